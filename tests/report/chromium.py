"""A headless Chromium that looks at pages as a reader would."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-prefers-reduced-motion",
    "--window-size=1400,1000",
)
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}


@contextmanager
def chromium(profile) -> Iterator[Reader]:
    """Start a browser with a fresh profile, and end it; the test is skipped where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install hiql[test]")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("needs the programs chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for switch in (*SWITCHES, f"--user-data-dir={profile}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    session = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    try:
        yield Reader(session)
    finally:
        session.quit()


class Reader:
    """Opens pages and remembers what they logged and requested."""

    def __init__(self, driver) -> None:
        self.driver = driver

    def open(self, path) -> None:
        self.driver.get("about:blank")
        self.requests()  # forget what the browser asked for before
        self.driver.get(path.resolve().as_uri())

    def run(self, script, *arguments):
        """The value of a script's ``return``."""
        return self.driver.execute_script(script, *arguments)

    def emulate_dark(self, dark) -> None:
        """Ask for dark pages, or for light ones."""
        wanted = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})

    def console(self) -> list[str]:
        """What the page complained about since last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """Every address the page asked for since last asked."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]

    def point_at(self, identifier, down) -> None:
        """Bring an element into sight and move the mouse to its middle, ``down`` pixels below its top."""
        from selenium.webdriver import ActionChains

        self.run(f"document.getElementById('{identifier}').scrollIntoView({{behavior: 'instant'}})")
        element = self.driver.find_element("id", identifier)
        ActionChains(self.driver).move_to_element_with_offset(element, 0, down - element.size["height"] // 2).perform()

    def press(self, key) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(key).perform()

    def as_phone(self) -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)

    def as_desktop(self) -> None:
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
