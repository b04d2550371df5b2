"""The section of the session browser: an empty panel, which ``session_browser.js`` fills."""

from __future__ import annotations

from hiql.plots.style import intention_colour
from hiql.report.browser import MOST_BYTES, pack
from hiql.report.findings import Findings
from hiql.report.markup import Markup, radios, tag
from hiql.report.page import Page


def browser_section(page: Page, findings: Findings) -> None:
    """Session by session, step by step."""
    header, shown = pack(findings, MOST_BYTES)
    data = findings.data
    page.heading("Session by session")
    if not shown.is_all_of(data):
        page.text(
            f"The data are too large to travel whole inside a page: here are the first sessions of every subject, "
            f"{len(shown.sessions):,} of {data.n_sessions:,} ({shown.steps.sum():,} of {data.n_steps:,} steps).",
            kind="warning",
        )
    page.block(_browser(findings, with_map=header["map"] is not None))
    page.text("Probabilities are shown to within 0.002.", kind="hint")
    page.script("session_browser", header)


def _browser(findings: Findings, with_map: bool) -> Markup:
    """The empty browser, which ``session_browser.js`` fills."""
    legend = [
        tag("li", tag("span", class_="swatch", style=f"--colour: {intention_colour(i)}"), name)
        for i, name in enumerate(findings.names)
    ]
    buttons = {"closer": "Zoom in", "wider": "Zoom out", "all": "Whole session"}
    return tag(
        "div",
        tag(
            "div",
            tag("label", "Subject", tag("select", id="browse-subject")),
            tag("label", "Session", tag("select", id="browse-session")),
            tag(
                "span",
                tag("button", "← Previous", type="button", id="browse-previous"),
                tag("button", "Next →", type="button", id="browse-next"),
                class_="buttons",
            ),
            tag(
                "span",
                *(tag("button", text, type="button", id=f"browse-{name}") for name, text in buttons.items()),
                class_="buttons",
            ),
            class_="controls",
        ),
        radios("posterior", "P(intention)", ("smoothed", "causal")),
        tag(
            "p",
            "Smoothed looks ahead: it uses the whole session. Causal uses only steps up to now; relate that one to "
            "neural activity or to what comes next. The arrow keys ← → change the session.",
            class_="hint",
        ),
        tag("p", id="browse-about"),
        tag("p", id="browse-readout", class_="hint"),
        tag("p", id="browse-thinned", class_="warning"),
        tag("ul", *legend, class_="legend"),
        tag(
            "div",
            tag("div", id="browse-plot"),
            tag("div", id="browse-map") if with_map else "",
            class_="browse with-map" if with_map else "browse",
        ),
        id="browse-panel",
    )
