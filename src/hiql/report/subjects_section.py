"""The section that says how subjects differ: shares of every intention, and how many subjects ever switch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from hiql.evaluate.measures.subjects import SubjectShares, subject_shares
from hiql.plots.style import intention_colour
from hiql.report import words
from hiql.report.findings import Findings
from hiql.report.look import new_chart
from hiql.report.markup import plotly_text, tag
from hiql.report.page import Page
from hiql.report.subject_numbers import ERRORS, Numbers, as_plain, has_own, numbers_of

MOST_SUBJECTS = 40
"""A chart shows at most this many subjects: the first."""


def subjects_section(page: Page, findings: Findings) -> None:
    """Shares of every intention by subject, where there are several of both."""
    found = subject_shares(findings.data, findings.smoothed, findings.decoded)
    several = findings.n_intentions > 1
    if len(found.subjects) == 1 or not (several or has_own(findings)):
        return
    page.heading("How subjects differ")
    if several:
        page.text(who_switches(found))
        more = len(found.subjects) > MOST_SUBJECTS
        cut = f" The first {MOST_SUBJECTS} of {len(found.subjects):,}." if more else ""
        caption = f"The share of a subject's steps that each intention accounts for, by the posterior.{cut}"
        page.charts(page.chart(shares_chart(found, findings.names), caption))
    one_by_one(page, findings, found)


def one_by_one(page: Page, findings: Findings, found: SubjectShares) -> None:
    """A panel where one chooses a subject, which ``subject_browser.js`` fills."""
    charts = numbers_of(findings, found)
    chosen = tag("label", "Subject", tag("select", id="subject-chosen", autocomplete="off"))
    figures = [
        tag("figure", tag("h3", each.title), tag("div", class_="subject-chart", role="img", aria_label=each.title))
        for each in charts
    ]
    page.block(
        tag(
            "div",
            tag("h3", "One of them, beside the population"),
            tag("div", chosen, class_="controls"),
            tag("p", id="subject-about", aria_live="polite"),
            tag("div", *figures, class_="charts"),
            tag("p", legend(findings, charts), class_="hint"),
            id="subject-panel",
        )
    )
    about = [{"name": name, "about": whose(findings, found, i)} for i, name in enumerate(found.subjects)]
    look = new_chart(margin={"t": 12}).to_plotly_json()["layout"]
    page.script("subject_browser", {"subjects": about, "charts": [as_plain(each) for each in charts], "layout": look})


def legend(findings: Findings, charts: Sequence[Numbers]) -> str:
    """What dots and rings are."""
    own = has_own(findings)
    sure = f" Bars {what_bars_are(charts)}." if any(each.bounds is not None for each in charts) else ""
    alike = "" if own else (
        " In this model all subjects act alike under an intention; --pool subjects gives each a way of its own."
    )  # fmt: skip
    return f"Dots: the subject. Rings: the population.{sure}{alike}"


def what_bars_are(charts: Sequence[Numbers]) -> str:
    """In words."""
    if any(each.sure == ERRORS for each in charts):
        return "of weights are standard errors, what is not known of the population included"
    return "hold 95 % of the draws from the posterior"


def whose(findings: Findings, found: SubjectShares, i: int) -> str:
    """For example "m3: 12 sessions, 1,200 steps; it switches within sessions."."""
    data = findings.data
    own = np.array([str(name) == found.subjects[i] for name in data.subjects])
    within, between = bool(found.switches[i]), bool(found.changes[i])
    does = "switches within sessions" if within else "switches only between sessions" if between else "never switches"
    sessions, steps = int(own.sum()), int(data.lengths[own].sum())
    told = f"{found.subjects[i]}: {words.counted(sessions, 'session')}, {words.counted(steps, 'step')}"
    return f"{told}; it {does}." if findings.n_intentions > 1 else f"{told}."


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
