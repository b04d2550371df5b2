"""Intentions whose choices are tables: what each does, and wants, as a map or table of states."""

from __future__ import annotations

from typing import cast

import plotly.graph_objects as go

from hiql.report.findings import Findings
from hiql.report.maps import Intention, grid_map, map_shades, maze_map
from hiql.report.markup import radios
from hiql.report.page import Page
from hiql.report.policy_tables import most_visited, policy_table, table_shades
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


def introduce(page: Page, findings: Findings) -> None:
    """How to read the cards, and what colours them."""
    if _on_map(findings):
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
    shades = tuple((map_shades if _on_map(findings) else table_shades)(_intention(findings, 0)))
    if len(shades) > 1:
        page.block(radios("shade", "Colour by", shades))


def portrait(findings: Findings, i: int) -> go.Figure:
    """The map or table of one intention."""
    intention = _intention(findings, i)
    if not _on_map(findings):
        return policy_table(intention, most_visited(findings.visits.sum(axis=0)))
    draw = maze_map if len(cast(World, findings.world).links) else grid_map
    return draw(cast(World, findings.world), intention)


def conclude(page: Page, findings: Findings) -> None:
    """What may be compared."""
    if hasattr(findings.model, "reward_"):
        page.text(GAUGE, kind="hint")


def _on_map(findings: Findings) -> bool:
    return len(getattr(findings.world, "positions", ())) > 0


def _which_states(findings: Findings) -> str:
    shown, n = len(most_visited(findings.visits.sum(axis=0))), findings.data.n_states
    return f"All {n:,} states." if shown == n else f"The {shown} most visited of {n:,} states."


def _intention(findings: Findings, i: int) -> Intention:
    model = findings.model
    wants = {name: getattr(model, f"{name}_")[i] for name in ("reward", "value") if hasattr(model, f"{name}_")}
    return Intention(
        model.policy_[i],
        wants.get("reward"),
        wants.get("value"),
        findings.visits[i],
        findings.state_names,
        findings.action_names,
    )
