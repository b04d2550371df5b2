"""The section that says how policies change over the days, for models in which they may."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from hiql.evaluate.measures.drift import Drifting, drifting, has_drift
from hiql.plots.drift import CHANGED, DAY, MOST_NAMED
from hiql.plots.style import PALETTE
from hiql.report import words
from hiql.report.findings import Findings
from hiql.report.look import new_chart
from hiql.report.markup import plotly_text
from hiql.report.page import Page

LITTLE = 0.02
"""Where fewer choices than this share have changed in any subject, days are said to be alike."""


def drift_section(page: Page, findings: Findings) -> None:
    """A chart for each intention, a line for each subject."""
    if not has_drift(findings.model):
        return
    found = drifting(findings.model, findings.data)
    page.heading("How policies change from day to day")
    page.text(how_far(found, findings.names))
    page.charts(
        *(
            page.chart(drift_chart(found, i), "", f"“{name}” over the days", spoken=f"How “{name}” changes by day")
            for i, name in enumerate(findings.names)
        )
    )


def how_far(found: Drifting, names: tuple[str, ...]) -> str:
    """What changed most, in a sentence."""
    if found.most < LITTLE:
        return "Days are alike: fewer than 2 in 100 choices would be others than on the first day, in every subject."
    last = np.array([changed[-1] for changed in found.changed])
    shares = [
        f"{' to '.join(dict.fromkeys(words.percent(each) for each in (low, high)))} in “{name}”"
        for name, low, high in zip(names, last.min(axis=0), last.max(axis=0), strict=True)
    ]
    return (
        f"The share of choices that would be others on a subject's last day than on its first: {words.listed(shares)}."
    )


def drift_chart(found: Drifting, intention: int) -> go.Figure:
    """The share of choices that would be others than on the first day, by day."""
    several, named = len(found.subjects) > 1, len(found.subjects) <= MOST_NAMED
    lines = [
        go.Scatter(
            x=days, y=changed[:, intention], mode="lines", name=plotly_text(name), showlegend=several and named,
            line_color=PALETTE[n % len(PALETTE)] if named else PALETTE[0], opacity=1.0 if named else 0.6,
            hovertemplate="day %{x:g}: %{y:.0%}<extra>%{fullData.name}</extra>",
        )
        for n, (name, days, changed) in enumerate(zip(*found, strict=True))
    ]  # fmt: skip
    figure = new_chart(*lines, xaxis_title=DAY, yaxis_title=CHANGED)
    return figure.update_yaxes(range=[0.0, 1.05 * max(found.most, 0.05)], tickformat=".0%")
