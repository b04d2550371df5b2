"""The section that says how subjects differ: shares of every intention, and how many subjects ever switch."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from hiql.evaluate.measures.subjects import SubjectShares, subject_shares
from hiql.plots.style import intention_colour
from hiql.report import words
from hiql.report.findings import Findings
from hiql.report.look import new_chart
from hiql.report.markup import plotly_text
from hiql.report.page import Page

MOST_SUBJECTS = 40
"""A chart shows at most this many subjects: the first."""


def subjects_section(page: Page, findings: Findings) -> None:
    """Shares of every intention by subject, where there are several of both."""
    found = subject_shares(findings.data, findings.smoothed, findings.decoded)
    if findings.n_intentions == 1 or len(found.subjects) == 1:
        return
    page.heading("How subjects differ")
    page.text(who_switches(found))
    cut = f" The first {MOST_SUBJECTS} of {len(found.subjects):,}." if len(found.subjects) > MOST_SUBJECTS else ""
    caption = f"The share of a subject's steps that each intention accounts for, by the posterior.{cut}"
    page.charts(page.chart(shares_chart(found, findings.names), caption))


def who_switches(found: SubjectShares) -> str:
    """How many subjects ever switch, by the most likely paths, in a sentence."""
    n, within = len(found.subjects), int(found.switches.sum())
    between = int((found.changes & ~found.switches).sum())
    more = f", {between:,} more only between sessions" if between else ""
    return (
        f"By the most likely paths, {within:,} of {words.counted(n, 'subject')} ever switch within a session{more}; "
        "such paths pass over brief visits."
    )


def shares_chart(found: SubjectShares, names: tuple[str, ...]) -> go.Figure:
    """One bar a subject, divided among the intentions."""
    at = np.arange(min(len(found.subjects), MOST_SUBJECTS))
    labels = [plotly_text(found.subjects[i]) for i in at]
    bars = [
        go.Bar(
            x=share[at], y=at, orientation="h", name=plotly_text(name), marker_color=intention_colour(i), text=labels,
            textposition="none", hovertemplate="%{text}: %{x:.1%}<extra>%{fullData.name}</extra>",
        )
        for i, (name, share) in enumerate(zip(names, found.share.T, strict=True))
    ]  # fmt: skip
    figure = new_chart(*bars, height=110 + 20 * max(len(at), 3), barmode="stack", bargap=0.3, xaxis_title="share")
    figure.update_layout(legend_traceorder="normal").update_xaxes(range=[0, 1], tickformat=".0%")
    return figure.update_yaxes(
        tickvals=at, ticktext=labels, range=[len(at) - 0.4, -0.6], showgrid=False, ticks="", title="subject"
    )
