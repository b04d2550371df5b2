"""The section that compares what animals did with what the model expected just before, as small multiples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from hiql.evaluate.measures.foreseen import NORMAL, Foreseen, foreseen
from hiql.plots.labels import FloatArray
from hiql.plots.style import PALETTE
from hiql.report import words
from hiql.report.findings import Findings
from hiql.report.look import faded, new_chart
from hiql.report.markup import plotly_text
from hiql.report.page import Page

LONGEST_LABEL = 14


def foreseen_section(page: Page, findings: Findings) -> None:
    """Does the model act as the animals do?"""
    found = foreseen(findings.data, findings.predicted)
    if not found:
        return
    page.heading("Does it act as the animals do?")
    page.text(how_many_inside(found))
    charts = [
        page.chart(foreseen_chart(each), "", f"{each.event}, by {each.by}", spoken=spoken(each)) for each in found
    ]
    page.charts(*charts, small=True)
    page.text(
        "Dots: how often it was done. Lines: how often the model expected it, step by step, from the steps before; "
        "shaded: where 95 % of such shares lie if the model is right. The parameters were fitted to these data: to lie "
        "inside is necessary, not sufficient. Groups of fewer than ten steps are left out.",
        kind="hint",
    )


def how_many_inside(found: Sequence[Foreseen]) -> str:
    """A count, and what lies furthest outside."""
    inside = np.concatenate([each.inside for each in found])
    told = f"{int(inside.sum())} of {words.counted(len(inside), 'share')} lie where 95 % would if the model were right."
    if inside.all():
        return told
    missed = max(found, key=lambda each: float(np.max(_apart(each) * ~each.inside)))
    worst = int(np.argmax(_apart(missed) * ~missed.inside))
    return (
        f"{told} Furthest off: “{missed.event}” at {missed.by} {_label(missed, worst)}, done in "
        f"{words.percent(missed.share[worst])} of {words.counted(int(missed.n[worst]), 'step')} where "
        f"{words.percent(missed.expected[worst])} were expected."
    )


def _apart(found: Foreseen) -> FloatArray:
    return np.asarray(np.abs(found.share - found.expected) / np.maximum(found.error, 1e-9))


def _label(found: Foreseen, i: int) -> str:
    return found.at[i] if isinstance(found.at, tuple) else f"{found.at[i]:.3g}"


def spoken(found: Foreseen) -> str:
    """The chart in words, for screen readers."""
    shares = ", ".join(
        f"{_label(found, i)}: {words.percent(found.share[i])} (expected {words.percent(found.expected[i])})"
        for i in range(len(found.n))
    )
    return f"{found.event}, by {found.by}: {shares}"


def foreseen_chart(found: Foreseen) -> go.Figure:
    """Shares as dots, and the expected ones as lines with the range of 95 %."""
    named = isinstance(found.at, tuple)
    x = np.arange(len(found.n), dtype=np.float64) if named else np.asarray(found.at, dtype=np.float64)
    low, high = (np.clip(found.expected + side * NORMAL * found.error, 0, 1) for side in (-1, 1))
    figure = new_chart(*(_bars if named else _band)(x, found.expected, low, high), height=210, showlegend=False)
    labels = [plotly_text(_label(found, i)) for i in range(len(found.n))]
    colours = [PALETTE[0] if inside else PALETTE[1] for inside in found.inside]
    figure.add_scatter(
        x=x, y=found.share, mode="markers", marker={"size": 8, "color": colours}, text=labels,
        customdata=np.stack([found.expected, low, high, found.n], axis=1),
        hovertemplate="%{text}: %{y:.1%} of %{customdata[3]:,}<br>expected %{customdata[0]:.1%} "
        "(%{customdata[1]:.1%} to %{customdata[2]:.1%})<extra></extra>",
    )  # fmt: skip
    if named:
        short = [plotly_text(t if len(t) <= LONGEST_LABEL else t[: LONGEST_LABEL - 1] + "…") for t in found.at]
        figure.update_xaxes(tickvals=x, ticktext=short, range=[-0.5, len(x) - 0.5])
    figure.update_xaxes(title=plotly_text(found.by)).update_layout(margin_t=12)
    return figure.update_yaxes(tickformat=".0%", nticks=5)


QUIET: dict[str, Any] = {"hoverinfo": "skip"}
SHADE = faded(PALETTE[0], 0.2)


def _band(x: FloatArray, middle: FloatArray, low: FloatArray, high: FloatArray) -> list[go.Scatter]:
    """A line with a shade around it, for groups along an axis of numbers."""
    none = {"width": 0}
    return [
        go.Scatter(x=x, y=high, mode="lines", line=none, **QUIET),
        go.Scatter(x=x, y=low, mode="lines", line=none, fill="tonexty", fillcolor=SHADE, **QUIET),
        go.Scatter(x=x, y=middle, mode="lines", line={"color": PALETTE[0], "width": 1.5}, **QUIET),
    ]


def _bars(x: FloatArray, middle: FloatArray, low: FloatArray, high: FloatArray) -> list[go.Scatter]:
    """A stroke with a shade around it for each of several named groups."""
    shade = {"color": SHADE, "thickness": 22, "width": 0}
    error = {"type": "data", "array": high - middle, "arrayminus": middle - low, **shade}
    stroke = {"symbol": "line-ew", "size": 11, "line": {"color": PALETTE[0], "width": 1.5}}
    return [go.Scatter(x=x, y=middle, mode="markers", marker=stroke, error_y=error, **QUIET)]
