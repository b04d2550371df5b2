"""The sections of the report, in the order of the page. Each takes the page and adds its blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from hiql.plots.labels import labelled
from hiql.plots.style import intention_colour
from hiql.report import charts, selection_charts, words
from hiql.report.browser import pack
from hiql.report.findings import Findings
from hiql.report.maps import Intention, grid_map, maze_map
from hiql.report.markup import Markup, joined, tag
from hiql.report.page import Page
from hiql.report.policy_tables import most_visited, policy_table
from hiql.report.provenance import BIBTEX, PAPER, PAPER_URL, provenance
from hiql.worlds.mdp import World

GAUGE = (
    "Rewards and values are known only up to a gauge: adding a function of the state and taking back its discounted "
    "next value leaves behaviour unchanged. Compare probabilities of actions between intentions, fits and animals; "
    "compare rewards and values only between actions or states within one map."
)


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
            f"of {data.n_states:,} states visited": f"{int(np.sum(data.pair_counts.sum(axis=1) > 0)):,}",
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


def _all_sessions(n: int) -> str:
    return "The session has" if n == 1 else "Every session has"


def selection_section(page: Page, selection: Any) -> None:
    """How many intentions, and why."""
    table = cast(pd.DataFrame, selection.table)
    page.heading("How many intentions?")
    page.text(selection.explanation)
    shown = [
        page.chart(
            selection_charts.held_out_chart(table, selection.chosen),
            "Sessions that were held out of the fit, with standard errors: higher is better. The ring marks the choice.",
        ),
        page.chart(
            selection_charts.bic_chart(table, selection.chosen),
            "BIC of all data: a second opinion that needs no held-out sessions.",
        ),
    ]
    if table[["restart_agreement", "fold_agreement"]].notna().any(axis=None):
        shown.append(
            page.chart(
                selection_charts.agreement_chart(table, selection.chosen),
                "Do restarts (lines) and folds (dotted) find the same intentions? 1 means that they do.",
            )
        )
    page.charts(*shown)
    page.table(selection_charts.readable(table), chosen=[selection.chosen])
    page.text(_about_table(table, selection), kind="hint")


def _about_table(table: pd.DataFrame, selection: Any) -> str:
    same = selection_charts.common_settings(table)
    texts = [f"All candidates: {same}."] if same else []
    texts.append("The shaded row is the one chosen.")
    if selection.best != selection.chosen:
        texts.append(f"Row {selection.best + 1} has the best held-out score; a gap is the difference to it.")
    return " ".join(texts)


def intentions_section(page: Page, findings: Findings) -> None:
    """What each intention wants and does."""
    page.heading("The intentions")
    world = findings.world
    on_map = len(getattr(world, "positions", ())) > 0
    choices = ("value", "reward", "visits") if on_map else ("policy", "reward")
    if on_map:
        page.text(
            "Arrows show what an intention does, the longer and darker the more probable; a cross is staying put. Point "
            "at a state for its numbers. States an intention was hardly ever in are left blank."
        )
    else:
        page.text("What each intention does in each state. Point at a cell for its numbers.")
        page.text(_which_states(findings), kind="hint")
    page.block(_radios("shade", "Colour by", choices))
    page.block(
        tag("div", *(_card(page, findings, i, on_map) for i in range(findings.n_intentions)), class_="intentions")
    )
    page.text(GAUGE, kind="hint")


def _which_states(findings: Findings) -> str:
    shown, n = len(most_visited(findings.visits.sum(axis=0))), findings.data.n_states
    return f"All {n:,} states." if shown == n else f"The {shown} most visited of {n:,} states."


def _card(page: Page, findings: Findings, i: int, on_map: bool) -> Markup:
    """One intention: its name, some numbers in words, and its map or table."""
    model, data = findings.model, findings.data
    names = getattr(findings.world, "action_names", None) or None
    intention = Intention(
        model.policy_[i],
        model.reward_[i],
        model.value_[i],
        findings.visits[i],
        labelled(data.state_labels, data.n_states, "state"),
        labelled(data.action_labels or names, data.n_actions, "action"),
    )
    if not on_map:
        figure = policy_table(intention, most_visited(findings.visits.sum(axis=0)))
    elif len(cast(World, findings.world).links):
        figure = maze_map(cast(World, findings.world), intention)
    else:
        figure = grid_map(cast(World, findings.world), intention)
    return tag(
        "section",
        tag("h3", findings.names[i]),
        tag("p", _portrait(findings, i)),
        page.chart(figure, ""),
        class_="intention",
        style=f"--colour: {intention_colour(i)}",
    )


def _portrait(findings: Findings, i: int) -> str:
    """Numbers about one intention, in words."""
    text = (
        f"{words.percent(findings.share[i])} of the steps, {words.lasting(findings.dwell[i], findings.data)}; "
        f"begins {words.percent(float(findings.model.initial_[i]))} of sessions."
    )
    if findings.profile is not None and not np.isnan(findings.profile[i]).any():
        _, win_stay, lose_switch = findings.profile[i]
        text += f" Stays after a win: {words.percent(win_stay)}; switches after a loss: {words.percent(lose_switch)}."
    return text


def dynamics_section(page: Page, findings: Findings) -> None:
    """How intentions follow one another."""
    model, names = findings.model, findings.names
    page.heading("How they take turns")
    if findings.n_intentions == 1:
        page.text("There is only one intention, so there are no turns to take.")
        return
    page.charts(
        page.chart(
            charts.transition_matrix(model.transition_, names),
            "The probability of each intention at a step, given the one before.",
            "From one step to the next",
        ),
        page.chart(
            charts.dwell_times(findings.runs, model.transition_, names),
            "Runs of the decoded path (lines) and what the transition matrix expects (dotted). Runs cut off by the end "
            "of a session count for as long as they were seen (Kaplan–Meier).",
            "How long they last",
        ),
    )
    page.table(dwell_table(findings))
    page.text(
        "Expected: 1 / (1 − p), p being the probability to go on. Decoded runs are shorter where sessions end early, and "
        "longer where the most likely path passes over brief visits.",
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


def dwell_table(findings: Findings) -> pd.DataFrame:
    """Expected and decoded durations of every intention."""
    rows = []
    for i, name in enumerate(findings.names):
        runs = findings.runs.of(i)
        any_run = len(runs.length) > 0
        rows.append(
            {
                "intention": name,
                "share of steps": words.percent(findings.share[i]),
                "expected duration": words.steps(findings.dwell[i]) if np.isfinite(findings.dwell[i]) else "∞",
                "decoded runs": f"{len(runs.length):,}",
                "their mean": words.steps(runs.length.mean()) if any_run else "–",
                "their median": f"{np.median(runs.length):g} steps" if any_run else "–",
                "cut off by a session's end": words.percent(runs.cut.mean()) if any_run else "–",
            }
        )
    return pd.DataFrame(rows)


def browser_section(page: Page, findings: Findings) -> None:
    """Session by session, step by step."""
    header, shown = pack(findings)
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
        _radios("posterior", "P(intention)", ("smoothed", "causal")),
        tag(
            "p",
            "Smoothed looks ahead: it uses the whole session. Causal uses only steps up to now; relate that one to neural "
            "activity or to what comes next. The arrow keys ← → change the session.",
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


def _radios(name: str, title: str, choices: tuple[str, ...]) -> Markup:
    """A group of radio buttons, the first one pressed."""
    buttons = [
        tag("label", tag("input", type="radio", name=name, value=choice, checked=i == 0, autocomplete="off"), choice)
        for i, choice in enumerate(choices)
    ]
    return tag("div", tag("fieldset", tag("legend", title), *buttons), class_="controls")


def trust_section(page: Page, findings: Findings, selection: Any) -> None:
    """How far to trust the fit: restarts and warnings."""
    page.heading("Can the fit be trusted?")
    model = findings.model
    failures = [] if selection is None else list(selection.failures)
    warnings = [*getattr(model, "notes_", ()), *(f"A fit failed ({_unit(f.unit)}): {f.error}" for f in failures)]
    for warning in warnings:
        page.text(warning, kind="warning")
    if not warnings:
        page.text("The fit converged, and nothing unusual was noticed.")
    restarts = getattr(model, "restarts_", None)
    if restarts is not None and len(restarts.attempts) > 1:
        page.text(f"EM finds local optima, so hiql searched: {restarts}.")
        caption = (
            "Where every attempt ended. Starts are random; kicks disturb the best so far, and are given up once they cannot "
            "win; polish and finish take the best further."
        )
        page.charts(page.chart(charts.restart_objectives(restarts), caption))


def _unit(unit: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in unit.items())


def origin_section(page: Page, about: Mapping[str, str] | None) -> None:
    """How the report was made, and how to cite."""
    page.heading("How it was made, how to cite")
    rows = [tag("tr", tag("td", key), tag("td", value)) for key, value in provenance(about).items()]
    page.block(tag("table", tag("tbody", *rows), class_="pairs"))
    page.block(tag("p", joined("If you use these results, please cite ", tag("a", PAPER, href=PAPER_URL))))
    page.block(tag("details", tag("summary", "BibTeX"), tag("pre", tag("code", BIBTEX))))
