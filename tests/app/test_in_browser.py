"""The page in a real browser: by keyboard, on a phone, attacked from another page, and with its server killed."""

from __future__ import annotations

import http.server
import re
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from hiql.app.serving import free_door
from tests.app.site import TRACK, Visitor, until
from tests.app.test_runs import run_here
from tests.report.chromium import chromium
from tests.report.problems import HOSTILE, IMAGE


class Served:
    """A page that is served for real, in a thread of the test."""

    def __init__(self, folder):
        import uvicorn

        self.door = free_door(0)
        port = self.door.getsockname()[1]
        self.visitor = Visitor(folder, port=port)
        self.origin = f"http://127.0.0.1:{port}"
        self.address = f"{self.origin}/{self.visitor.token}/"
        self.server = uvicorn.Server(uvicorn.Config(self.visitor.app, log_level="error", ws="none"))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.door]}, daemon=True)
        self.thread.start()

    def close(self):
        self.server.should_exit = True
        self.thread.join(30)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as reader:
        yield reader


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("served") / "app")
    yield served
    served.close()


@contextmanager
def elsewhere(page):
    """The address of a page on another port, which is another origin."""

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def tab_to(reader, selector):
    """Press Tab until the element has the focus, as somebody without a mouse does; it must then be seen to have it."""
    from selenium.webdriver import Keys

    for _ in range(60):
        reader.press(Keys.TAB)
        if reader.run("return document.activeElement.matches(arguments[0])", selector):
            assert reader.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError(f"no way to {selector} by keyboard")


def in_view(reader, selector):
    return until(lambda: reader.run("return document.querySelector(arguments[0])", selector))


def choose(reader, path):
    in_view(reader, "#file").send_keys(str(path))


def fits_a_phone(reader):
    reader.as_phone()
    try:
        assert reader.run("return document.documentElement.scrollWidth <= innerWidth && innerWidth === 390")
    finally:
        reader.as_desktop()


def test_the_whole_way_by_keyboard_and_on_a_phone(reader, served, tmp_path, monkeypatch):
    from selenium.webdriver import Keys

    monkeypatch.setattr("hiql.app.runs._keeper", run_here)
    (tmp_path / "mice.csv").write_text(TRACK)
    reader.driver.get(served.address)
    fits_a_phone(reader)
    tab_to(reader, "#file")
    choose(reader, tmp_path / "mice.csv")
    in_view(reader, "#understood")
    fits_a_phone(reader)
    tab_to(reader, "input[name=intentions]")
    reader.press("1-2")  # Tab has chosen what was there
    tab_to(reader, "input[name=dynamics][value=markov]")
    reader.press(Keys.SPACE)
    tab_to(reader, "form[action$=run] summary")
    reader.press(Keys.ENTER)
    tab_to(reader, "input[name=restarts]")
    reader.press("1")
    fits_a_phone(reader)
    tab_to(reader, "form[action$=run] button")
    reader.press(Keys.ENTER)
    in_view(reader, "#found")
    reader.run("for (const each of document.querySelectorAll('details')) each.open = true")
    fits_a_phone(reader)
    tab_to(reader, "a[href$=report]")
    assert reader.console() == []
    assert {url.split("/")[2] for url in reader.requests() if url.startswith("http")} == {served.origin[7:]}
    reader.driver.get(reader.run("return document.querySelector('a[href$=report]').href"))
    assert reader.run("return document.querySelectorAll('div.chart').length") > 3  # drawn when they come into sight
    assert reader.run("return origin") == "null"
    assert reader.console() == []


def test_a_hostile_upload_is_text(reader, served, tmp_path):
    reader.driver.get(served.address)
    (tmp_path / "odd.csv").write_text(f'session,"{HOSTILE}","{IMAGE.replace(chr(34), chr(34) * 2)}"\n' + "a,b,c\n" * 20)
    choose(reader, tmp_path / "odd.csv")
    in_view(reader, "#understood")
    assert HOSTILE in reader.run("return document.querySelector('table.columns').textContent")
    (tmp_path / "no.xlsx").write_bytes(b"PK\x03\x04" + b"\0" * 100)
    reader.driver.get(served.address)
    choose(reader, tmp_path / "no.xlsx")
    assert "Excel" in in_view(reader, "#understood ~ p.warning").text
    (tmp_path / "empty.csv").touch()
    reader.driver.get(served.address)
    choose(reader, tmp_path / "empty.csv")
    assert "empty" in until(lambda: in_view(reader, "#said").text)
    assert reader.run("return window.hacked") is None


def test_a_browser_without_the_token_sees_nothing(reader, served):
    for address in (f"{served.origin}/", f"{served.origin}/tables"):
        reader.driver.get(address)
        assert "not the whole address" in reader.run("return document.body.textContent")
    reader.console()


def test_a_page_elsewhere_can_neither_read_nor_start_anything_even_if_it_knows_the_token(reader, served):
    before = len(served.visitor.workspace.places())
    page = f"""<iframe src="{served.address}"></iframe><img src="{served.address}look.css"><script>
    window.seen = [];
    const note = (name) => (value) => seen.push(name + value);
    const start = {{method: "POST", body: new URLSearchParams("name=maze")}};
    Promise.allSettled([
      fetch("{served.address}").then(note("read")),
      fetch("{served.address}", {{mode: "no-cors"}}).then(note("opaque")),
      fetch("{served.address}examples", start).then(note("start")),
      fetch("{served.address}examples", {{...start, mode: "no-cors"}}).then(note("blind")),
    ]).then(() => {{ window.over = true; }});</script>
    <form method="post" action="{served.address}examples"><input name="name" value="maze"></form>"""
    with elsewhere(page) as address:
        reader.driver.get(address)
        until(lambda: reader.run("return window.over"))
        assert reader.run("return window.seen") == []
        assert reader.run("try { return frames[0].document.body } catch { return null }") is None
        reader.run("document.forms[0].submit()")
        until(lambda: "Only a page of hiql app" in reader.run("return document.body?.textContent ?? ''"))
    assert len(served.visitor.workspace.places()) == before
    reader.console()


@contextmanager
def command(folder, port):
    """``hiql app`` as a user starts it; its address."""
    arguments = [sys.executable, "-m", "hiql.cli", "app", "--workspace", folder, "--port", port, "--no-browser"]
    with subprocess.Popen([*map(str, arguments)], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, re.search(r"http\S+", process.stdout.readline())[0]
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("example", ["bandit", "maze", "psychophysics"])
def test_three_kinds_of_table_go_the_whole_way_though_the_server_is_killed(reader, tmp_path, example):
    with free_door(0) as door:
        port = door.getsockname()[1]
    with command(tmp_path / "app", port) as (process, address):
        reader.driver.get(address)
        in_view(reader, f"button[value={example}]").click()
        in_view(reader, "form[action$=run] button.main").click()
        in_view(reader, "#bar")
        until(lambda: reader.run("return document.getElementById('bar').value") > 2, 600)
        process.kill()
        until(lambda: "has ended" in in_view(reader, "#told").text)
    with command(tmp_path / "app", port) as (_, again):
        assert again == address
        until(lambda: "interrupted" in in_view(reader, "#told").text)
        until(lambda: reader.run("return document.getElementById('found') !== null"), 900)
        assert "Nothing speaks against this fit" in reader.run("return document.body.textContent")
