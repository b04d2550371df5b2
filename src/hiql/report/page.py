"""One self-contained HTML page: sections, text, tables and figures, readable offline and when mailed.

The page asks nothing of the network, and its content security policy lets it ask nothing: only the scripts written
here may run (by their hash), whatever a label holds.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from hiql.report.markup import Markup, joined, json_block, tag

PLOTLY = "plotly-cartesian.min"
"""plotly.js as its makers bundle it for charts with plain axes (plotly.js-cartesian-dist-min of npm, MIT licence): a
third of the whole, so that pages open sooner and weigh less. Bars, lines and heat maps are all that we draw."""


class Page:
    """Collects blocks in order; ``html()`` is the whole document."""

    def __init__(self, title: str, lead: str = "") -> None:
        self.title = title
        self._blocks: list[Markup] = [tag("h1", title), tag("p", lead, class_="lead")]
        self._sections: list[tuple[str, str]] = []
        self._n_plots = 0
        self._scripts: list[str] = []

    def heading(self, text: str) -> None:
        """Begin a section; it enters the table of contents."""
        identifier = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
        self._sections.append((identifier, text))
        self._blocks.append(tag("h2", text, id=identifier))

    def text(self, text: str, kind: str | None = None) -> None:
        self._blocks.append(tag("p", text, class_=kind))

    def block(self, *elements: Markup) -> None:
        """Elements built with :func:`~hiql.report.markup.tag`, as they are."""
        self._blocks.append(joined(*elements))

    def table(self, table: pd.DataFrame, chosen: Sequence[int] = ()) -> None:
        """A table as it is, already rounded; rows at the positions ``chosen`` stand out."""
        head = tag("tr", *(tag("th", name, scope="col") for name in table.columns))
        rows = [
            tag("tr", *(tag("td", cell) for cell in row), class_="chosen" if i in chosen else "other")
            for i, row in enumerate(table.itertuples(index=False))
        ]
        self.block(
            tag(
                "div",
                tag("table", tag("thead", head), tag("tbody", *rows)),
                class_="wide",
                tabindex="0",
                role="region",
                aria_label="Table",
            )
        )

    def facts(self, facts: Mapping[str, object]) -> None:
        """Numbers in large type, each above what it counts."""
        tiles = [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts.items()]
        self.block(tag("dl", *tiles, class_="facts"))

    def charts(self, *charts: Markup, small: bool = False) -> None:
        """Charts side by side where there is room, ``small`` ones more of them; make each with :meth:`chart`."""
        self.block(tag("div", *charts, class_="charts small" if small else "charts"))

    def chart(self, figure: go.Figure, caption: str, title: str | None = None, *, spoken: str | None = None) -> Markup:
        """The place of an interactive chart, drawn when the page is opened, and its data beside it.

        Screen readers are told ``spoken``, or the caption.
        """
        self._n_plots += 1
        name = f"chart-{self._n_plots}"
        height = f"min-height: {figure.layout.height or 300}px"
        return tag(
            "figure",
            tag("h3", title) if title else "",
            tag("div", id=name, class_="chart", style=height, role="img", aria_label=spoken or caption),
            json_block(f"{name}-data", figure.to_json()),
            tag("figcaption", caption) if caption else "",
        )

    def script(self, name: str, data: Any) -> None:
        """Run ``name``.js of this package; it finds ``data`` in the element ``name``-data."""
        self.block(json_block(f"{name}-data", data))
        self._scripts.append(name)

    def html(self) -> str:
        drawn = ["charts"] if self._n_plots else []
        names = [*drawn, *self._scripts]
        scripts = [Markup(_asset(f"{name}.js")) for name in ([PLOTLY] if names else []) + names]
        head = tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=_policy(scripts)),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("link", rel="icon", href="data:,"),
            tag("title", self.title),
            tag("style", Markup(_asset("report.css"))),
        )
        links = [tag("li", tag("a", text, href=f"#{identifier}")) for identifier, text in self._sections]
        contents = tag("nav", tag("ol", *links), aria_label="Contents") if len(links) > 3 else ""
        main = tag("main", *self._blocks)
        body = tag("body", contents, main, *(tag("script", script) for script in scripts))
        return f"<!doctype html>{tag('html', head, body, lang='en')}"


def _asset(name: str) -> str:
    return files("hiql.report").joinpath(name).read_text(encoding="utf-8")


NOWHERE = "form-action 'none'; base-uri 'none'"
"""plotly.js brings a button that posts a chart to its maker's server; our charts leave it out, and this forbids it."""


def _policy(scripts: Sequence[Markup]) -> str:
    """Nothing from anywhere; scripts only if their hash is one of ours."""
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts]
    allowed = " ".join(hashes) or "'none'"
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; {NOWHERE}"
