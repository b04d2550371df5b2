"""Policies and rewards of abstract states, as coloured tables of states by actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from hiql.plots.labels import IntArray
from hiql.plots.style import PROBABILITY_MAP
from hiql.report.look import colour_scale, new_chart
from hiql.report.maps import Intention
from hiql.report.markup import plotly_text

MOST_STATES = 60
"""A table shows at most this many states: the most visited."""
NUMBERS_UP_TO = 30
"""Tables of at most this many states carry numbers."""
DIVERGING = [[0.0, "#B35806"], [0.25, "#FDB863"], [0.5, "#F7F7F7"], [0.75, "#B2ABD2"], [1.0, "#542788"]]
"""Orange below, white at, purple above zero: the colour-blind can tell the ends apart."""


def most_visited(visits: npt.ArrayLike) -> IntArray:
    """(n,) the states to show, n ≤ 60, in their own order; ``visits`` (S,). Never visited ones give way to others."""
    counts = np.asarray(visits)
    seen = np.argsort(-counts, kind="stable")[: max(1, min(MOST_STATES, int(np.sum(counts > 0))))]
    return np.sort(seen)


def policy_table(intention: Intention, states: IntArray) -> go.Figure:
    """π(a|s) of some states (rows) and all actions (columns); the page can turn it into r(s, a)."""
    n_states, n_actions = len(states), intention.policy.shape[1]
    numbers = n_states <= NUMBERS_UP_TO and n_actions <= 8
    cells = go.Heatmap(
        x=np.arange(n_actions), y=np.arange(n_states), xgap=2, ygap=2, text=_hover_texts(intention, states),
        hovertemplate="%{text}<extra></extra>", texttemplate="%{z:.2f}" if numbers else None, colorbar=_BAR,
    )  # fmt: skip
    figure = new_chart(cells, height=130 + (28 if numbers else 15) * n_states, margin={"t": 8})
    shades = table_shades(intention, states)
    for path, (value,) in shades["policy"].items():
        figure.data[0][path] = value
    figure.layout.meta = {"trace": 0, "shades": shades}
    bare = {"showline": False, "ticks": "", "showgrid": False}
    names = [_short(intention.state_names[s]) for s in states]
    actions = [_short(name) for name in intention.action_names]
    figure.update_xaxes(tickvals=np.arange(n_actions), ticktext=actions, **bare)
    rows = {"tickvals": np.arange(n_states), "ticktext": names, "tickfont": {"size": 11}}
    return figure.update_yaxes(autorange="reversed", **rows, **bare)


def table_shades(intention: Intention, states: IntArray | slice = slice(None)) -> dict[str, Any]:
    """By what the cells can be coloured; what an intention does where it never was is a guess, and left blank."""
    hidden = np.where(intention.visited[states], 0.0, np.nan)[:, None]
    policy = intention.policy[states] + hidden
    shades = {"policy": _shade(policy, colour_scale(PROBABILITY_MAP), (0.0, 1.0), "probability")}
    if intention.reward is not None:
        reward = intention.reward[states] + hidden
        bound = float(np.nanmax(np.abs(reward), initial=1e-9))
        shades["reward"] = _shade(reward, DIVERGING, (-bound, bound), "reward r(s, a)")
    return shades


_BAR: dict[str, Any] = {
    "orientation": "h", "x": 0.5, "xanchor": "center", "y": 1.01, "yanchor": "bottom", "thickness": 9, "len": 0.7,
    "outlinewidth": 0, "nticks": 5, "title": {"side": "top", "font": {"size": 12}}, "tickfont": {"size": 11},
}  # fmt: skip


def _shade(table: Any, colours: Any, limits: tuple[float, float], title: str) -> dict[str, Any]:
    bounds = {"zmin": [limits[0]], "zmax": [limits[1]]}
    return {"z": [table], "colorscale": [colours], "colorbar.title.text": [title], **bounds}


def _hover_texts(intention: Intention, states: IntArray) -> list[list[str]]:
    return [
        [
            f"<b>state {plotly_text(intention.state_names[s])}</b><br>{plotly_text(name)}: {_known(intention, s, a)}"
            for a, name in enumerate(intention.action_names)
        ]
        for s in states
    ]


def _known(intention: Intention, state: int, action: int) -> str:
    if not intention.visited[state]:
        return "unknown, as this intention was never here"
    earns = "" if intention.reward is None else f", reward {intention.reward[state, action]:.2f}"
    return f"probability {intention.policy[state, action]:.3f}{earns}<br>{intention.visits[state]:.0f} visits"


def _short(text: str, most: int = 16) -> str:
    return plotly_text(text if len(text) <= most else text[: most - 1] + "…")
