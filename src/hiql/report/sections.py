"""The sections of the report made of text, tables and charts. Each takes the page and adds its blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.calibration import calibration
from hiql.evaluate.words.verdict import Verdict
from hiql.report import charts, selection_charts, words
from hiql.report.findings import Findings
from hiql.report.markup import Markup, joined, tag
from hiql.report.page import Page
from hiql.report.provenance import BIBTEX, PAPER, PAPER_URL, provenance
from hiql.report.weight_charts import drives_chart
from hiql.sweep.answer import Said

MEAN = " on average"


def verdict_block(page: Page, verdict: Verdict) -> None:
    """How far to trust what the page tells, in one sentence."""
    page.text(verdict.sentence, kind="warning" if verdict.headline else "verdict")


def data_section(page: Page, findings: Findings) -> None:
    """What the data are."""
    data = findings.data
    subjects = len(set(data.subjects))
    page.heading("The data")
    page.facts(
        {
            words.plural(subjects, "subject"): f"{subjects:,}",
            words.plural(data.n_sessions, "session"): f"{data.n_sessions:,}",
            words.plural(data.n_steps, "step"): f"{data.n_steps:,}",
            "steps missing": f"{data.n_steps - data.n_observed:,}",
            **_states_visited(data),
            words.plural(data.n_actions, "action"): f"{data.n_actions:,}",
        }
    )
    shown = []
    if data.lengths.min() < data.lengths.max():
        middle = f"How long sessions are: {data.lengths.min():,} to {data.lengths.max():,} steps, "
        shown.append(page.chart(charts.session_lengths(data), f"{middle}{np.median(data.lengths):g} in the middle."))
    else:
        page.text(f"{_all_sessions(data.n_sessions)} {words.counted(int(data.lengths[0]), 'step')}.")
    if subjects > 1:
        shown.append(page.chart(charts.steps_per_subject(data), "Steps recorded of each subject."))
    if shown:
        page.charts(*shown)


def _states_visited(data: Trajectories) -> dict[str, str]:
    """Nothing where there is one state only, which stands for there being none."""
    visited = f"{int(np.sum(data.pair_counts.sum(axis=1) > 0)):,}"
    return {f"of {data.n_states:,} states visited": visited} if data.n_states > 1 else {}


def _all_sessions(n: int) -> str:
    return "The session has" if n == 1 else "Every session has"


def answer_section(page: Page, said: Sequence[Said]) -> None:
    """The recommendation, question by question, with the numbers that it quotes."""
    page.heading("The answer")
    for each in said:
        page.block(tag("h3", each.question))
        page.text(each.text)
        if each.numbers is not None:
            page.table(each.numbers)


def selection_section(page: Page, selection: Any) -> None:
    """How many intentions, and why."""
    table = cast(pd.DataFrame, selection.table)
    page.heading("How many intentions?")
    page.text(selection.explanation)
    if getattr(selection, "traits", ""):
        page.text(selection.traits)
    drawn = (
        ("to_chosen", selection_charts.gap_chart, "Held out of the fit: the difference to the choice on the same "
         "sessions, with its standard error. Above 0 is better than the choice, which the ring marks."),
        ("held_out", selection_charts.held_out_chart, "Held-out scores, with their standard errors. Sessions differ "
         "more than candidates do, so these errors are larger than those of differences."),
        ("evidence", selection_charts.evidence_chart, "Evidence, a lower bound of log p(data): higher is better, and "
         "differences below 3 nats do not decide. The ring marks the choice."),
        ("bic", selection_charts.bic_chart, "BIC: a second opinion that needs no held-out sessions."),
    )  # fmt: skip
    known = [each for each in drawn if each[0] in table and table[each[0]].notna().any()]
    shown = [page.chart(draw(table, selection.chosen), caption) for _, draw, caption in known]
    if table[["restart_agreement", "fold_agreement"]].notna().any(axis=None):
        shown.append(
            page.chart(
                selection_charts.agreement_chart(table, selection.chosen),
                "Do restarts (lines) and folds (dotted) find the same intentions? 1 means that they do.",
            )
        )
    page.block(*_legend(table))
    page.charts(*shown)
    page.table(selection_charts.readable(table), chosen=[selection.chosen])
    page.text(_about_table(table, selection), kind="hint")


def _legend(table: pd.DataFrame) -> list[Markup]:
    """What the lines of the charts below are, unless there is only one."""
    lines = selection_charts.line_colours(table)
    marks = (tag("span", class_="swatch", style=f"--colour: {colour}") for colour in lines.values())
    entries = [tag("li", mark, name) for mark, name in zip(marks, lines, strict=True)]
    return [tag("ul", *entries, class_="legend")] if len(lines) > 1 else []


def _about_table(table: pd.DataFrame, selection: Any) -> str:
    same = selection_charts.common_settings(table)
    texts = [f"All candidates: {same}."] if same else []
    texts.append("The shaded row is the one chosen.")
    if selection.best != selection.chosen and table["held_out"].notna().any():
        texts.append(f"Row {selection.best + 1} has the best held-out score; a gap is the difference to it.")
    return " ".join(texts)


def dynamics_section(page: Page, findings: Findings) -> None:
    """How intentions follow one another."""
    model, names = findings.model, findings.names
    whole = words.whole_sessions(findings)
    page.heading("How they are divided among sessions" if whole else "How they take turns")
    if findings.n_intentions == 1:
        page.text("There is only one intention, so there are no turns to take.")
        return
    if whole:
        page.text(f"{whole} What follows is about the few changes that there are.")
    page.charts(
        page.chart(
            charts.transition_matrix(model.transition_, names, findings.interval("transition_")),
            "The probability of each intention at a step, given the one before."
            + (" Below: where 95 % of the draws from the posterior lie." if findings.is_drawn else ""),
            "From one step to the next",
        ),
        page.chart(
            charts.dwell_times(findings.lasting, names),
            "Runs of paths drawn from the posterior (lines), and of those that the fitted clock makes in sessions of "
            "the same lengths (dotted; shaded: 95 % of simulations). A line that leaves its shade speaks against the "
            "clock.",
            "How long they last",
        ),
    )
    _driven(page, findings)
    page.table(dwell_table(findings))
    page.text(
        "Runs are those of paths drawn from the posterior: unlike runs of the most likely path, which passes over "
        "brief visits, they are distributed like true ones if the clock is right, and sessions cut them off as they do "
        "simulated ones. They are as usual where the shares that last so many steps are no further from the mean of "
        "simulations than those of 95 % of simulations are. "
        "The parameters were fitted to these data: to be as usual is necessary, not sufficient.",
        kind="hint",
    )
    page.charts(
        page.chart(
            charts.mean_posterior(findings.data, findings.smoothed, names),
            f"Mean of P(intention | session) ± standard error over sessions still running; dotted where fewer than "
            f"{charts.FEW_SESSIONS} are.",
            "Over the course of a session",
        )
    )


def _driven(page: Page, findings: Findings) -> None:
    """What drives switching, where inputs do."""
    if not hasattr(findings.model, "switch_weights_"):
        return
    drives, names = findings.drives, findings.names
    page.text(
        "What drives switching: how one standard deviation of an input changes the log-odds of the next intention; "
        "whiskers are standard errors."
    )
    titles = [""] if drives.is_shared else [f"Out of {name}" for name in names]
    page.charts(
        *(
            page.chart(drives_chart(drives, i, names), "", title, spoken=f"What drives switching {title}".strip())
            for i, title in enumerate(titles)
        )
    )


def dwell_table(findings: Findings) -> pd.DataFrame:
    """Durations of every intention: what the clock expects, what is found, and what it makes in such sessions."""
    rows = []
    for i, (name, found) in enumerate(zip(findings.names, findings.lasting, strict=True)):
        any_run, (low, high) = found.n_runs > 0, found.usual
        rows.append(
            {
                "intention": name,
                "share of steps": words.percent(findings.share[i]),
                "expected duration": words.lasting(findings.dwell[i], findings.data).split(" ", 1)[1].removesuffix(MEAN)
                + words.between(findings.bounds["durations"], i, words.rounded),
                "runs": f"{found.n_runs:,.0f}",
                "their mean": words.steps(found.mean) if any_run else "–",
                "simulated runs' mean": "–" if np.isnan(low) else f"{low:,.1f} to {high:,.1f} steps",
                "as usual": ("yes" if found.is_usual else "no") if any_run else "–",
                "cut off by a session's end": words.percent(found.cut) if any_run else "–",
            }
        )
    return pd.DataFrame(rows)


def trust_section(page: Page, findings: Findings, selection: Any, verdict: Verdict) -> None:
    """How far to trust the fit: the verdict again, what failed, and restarts."""
    page.heading("Can the fit be trusted?")
    verdict_block(page, verdict)
    for failure in [] if selection is None else selection.failures:
        page.text(f"A fit failed ({_unit(failure.unit)}): {failure.error}", kind="warning")
    shown = [
        page.chart(
            charts.calibrated(calibration(findings.model, findings.data)),
            "Of the actions that were given some probability by the steps before, the share that was taken, ± 2 "
            "standard errors. On the dotted line predictions are right.",
            "Are predictions right?",
        )
    ]
    restarts = getattr(findings.model, "restarts_", None)
    if restarts is not None and len(restarts.attempts) > 1:
        page.text(f"EM finds local optima, so hiql searched: {restarts}.")
        caption = (
            "Where every attempt ended. Starts are random; kicks disturb the best so far, and are given up once they "
            "cannot win; polish and finish take the best further."
        )
        shown.append(page.chart(charts.restart_objectives(restarts), caption, "Where the search ended"))
    page.charts(*shown)


def _unit(unit: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in unit.items())


def origin_section(page: Page, about: Mapping[str, str] | None) -> None:
    """How the report was made, and how to cite."""
    page.heading("Origin and citation")
    rows = [tag("tr", tag("td", key), tag("td", value)) for key, value in provenance(about).items()]
    page.block(tag("table", tag("tbody", *rows), class_="pairs"))
    page.block(tag("p", joined("If you use these results, please cite ", tag("a", PAPER, href=PAPER_URL))))
    page.block(tag("details", tag("summary", "BibTeX"), tag("pre", tag("code", BIBTEX))))
