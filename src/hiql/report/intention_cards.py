"""The section of the intentions: one card each, with its name, some numbers in words, and its map or table."""

from __future__ import annotations

from typing import cast

import numpy as np

from hiql.plots.style import intention_colour
from hiql.report import words
from hiql.report.findings import Findings
from hiql.report.maps import Intention, grid_map, maze_map
from hiql.report.markup import Markup, radios, tag
from hiql.report.page import Page
from hiql.report.policy_tables import most_visited, policy_table
from hiql.worlds.mdp import World

STRATEGIES = (
    "A state is what happened in the last trials, the latest first: the choice, then + for a reward and - for none; a "
    "dot is a trial before the session. Intentions that come close to a pure strategy are named after it "
    "(exploitation: stay after a win, switch after a loss; exploration: always switch; perseveration: always stay), or "
    "after the action that they prefer whatever they did before; all others are numbered, unless you name them. The "
    "names are conveniences: look at the numbers."
)
GAUGE = (
    "Probabilities of actions are safe to compare between intentions, fits and animals. Rewards and values are not: a "
    "function of the state can move between them without any change of behaviour (a gauge), so read them as a pattern "
    "within one intention."
)


def intentions_section(page: Page, findings: Findings) -> None:
    """What each intention wants and does."""
    page.heading("The intentions")
    world = findings.world
    on_map = len(getattr(world, "positions", ())) > 0
    choices = ("value", "reward", "visits") if on_map else ("policy", "reward")
    if on_map:
        page.text(
            "Arrows show what an intention does, the longer and darker the more probable; a cross is staying put. "
            "Point at a state for its numbers. States an intention was hardly ever in are left blank."
        )
    else:
        page.text(
            "What each intention does: rows are states, columns are actions. Point at a cell for its numbers. States "
            "an intention was hardly ever in are left blank: what it would do there is unknown."
        )
        page.text(_which_states(findings), kind="hint")
        if findings.profile is not None:
            page.text(STRATEGIES, kind="hint")
    page.block(radios("shade", "Colour by", choices))
    page.block(
        tag("div", *(_card(page, findings, i, on_map) for i in range(findings.n_intentions)), class_="intentions")
    )
    page.text(GAUGE, kind="hint")


def _which_states(findings: Findings) -> str:
    shown, n = len(most_visited(findings.visits.sum(axis=0))), findings.data.n_states
    return f"All {n:,} states." if shown == n else f"The {shown} most visited of {n:,} states."


def _card(page: Page, findings: Findings, i: int, on_map: bool) -> Markup:
    """One intention: its name, some numbers in words, and its map or table."""
    model = findings.model
    intention = Intention(
        model.policy_[i],
        model.reward_[i],
        model.value_[i],
        findings.visits[i],
        findings.state_names,
        findings.action_names,
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
        page.chart(figure, "", spoken=f"What “{findings.names[i]}” wants and does"),
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
