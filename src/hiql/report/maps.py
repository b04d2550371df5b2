"""What an intention wants and does, on the map of its world: an open grid or a maze.

Every map carries its alternative colourings in ``layout.meta``: ``{"trace": index, "shades": {name: restyle}}``; a
radio button of the page applies one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from scipy.special import entr

from hiql.plots.figures import FEW_VISITS
from hiql.plots.labels import FloatArray, IntArray
from hiql.plots.maze import NODE, corridors, shortest_corridor
from hiql.plots.places import obstacles, roomiest_side
from hiql.plots.policy import all_moves, likely_moves
from hiql.plots.style import CORRIDOR, FAINT, INK, OCCUPANCY_MAP, UNSEEN, VALUE_MAP
from hiql.report.look import UNVISITED, colour_scale, new_chart
from hiql.report.markup import plotly_text
from hiql.report.shapes import arrows, polygons
from hiql.worlds.mdp import World

HEIGHT = 400
MANY_STATES = 400
"""From this many states on a grid shows the most likely move of a state instead of all."""
MOST_ACTIONS = 6
"""How many actions of a state the hover text lists, the most likely first."""
CELL = np.array([(-0.47, -0.47), (0.47, -0.47), (0.47, 0.47), (-0.47, 0.47)])
"""The corners of a cell of the bare floor of a grid."""
UNIT = 28
"""About how many pixels the shortest corridor of a maze takes."""


class Intention(NamedTuple):
    """What a map shows: ``policy`` and ``reward`` (S, A), ``value`` (S,), expected ``visits`` (S,); and what the
    states and actions are called. Where nobody asked for rewards, they and values are None."""

    policy: FloatArray
    reward: FloatArray | None
    value: FloatArray | None
    visits: FloatArray
    state_names: tuple[str, ...]
    action_names: tuple[str, ...]

    @property
    def visited(self) -> Any:
        """(S,) False where the intention hardly ever was: its policy there is a guess."""
        return self.visits >= FEW_VISITS

    @property
    def certainty(self) -> FloatArray:
        """(S,) 1 − H(π(·|s)) / log A: 0 where all actions are alike, 1 where one is certain."""
        entropy = entr(self.policy).sum(axis=1)
        return np.asarray(1.0 - entropy / np.log(max(self.policy.shape[1], 2)))


def grid_map(world: World, intention: Intention) -> go.Figure:
    """An open grid: coloured cells, arrows as long as their actions are probable, crosses where an action stays."""
    cells = cells_of_grid(world, _hover_texts(world, intention))
    moves_of = likely_moves if world.n_states > MANY_STATES else all_moves
    moves = moves_of(world, intention.policy, intention.visited)
    policy = arrows(world, moves, reach=0.45 * moves.probability, start=0.0, width=0.05, cross=0.1)
    shades = {
        name: {"z": [laid_out(world, values)], "colorscale": [scale], "colorbar.title.text": [title]}
        for name, (values, scale, title) in map_shades(intention).items()
    }
    return framed(world, [cells, *policy], shades, shaded=0, margin=0.6)


def cells_of_grid(world: World, texts: Sequence[str], **options: Any) -> go.Heatmap:
    """The cells of a grid, with what is said of each when one points at it."""
    columns, rows = (np.unique(world.positions[:, axis]) for axis in (0, 1))
    return go.Heatmap(
        x=columns, y=rows, text=laid_out(world, texts, ""), xgap=1.5, ygap=1.5,
        hovertemplate="%{text}<extra></extra>", **COLOURBAR, **options,
    )  # fmt: skip


def laid_out(world: World, values: Any, empty: Any = np.nan) -> Any:
    """Values of states (S,) as the rows of their grid."""
    columns, rows = (np.unique(world.positions[:, axis], return_inverse=True) for axis in (0, 1))
    table = np.full((len(rows[0]), len(columns[0])), empty, dtype=object if empty == "" else float)
    table[rows[1], columns[1]] = values
    return table


def maze_map(world: World, intention: Intention) -> go.Figure:
    """A maze: coloured nodes, and the most likely move of each as an arrow along its corridor."""
    unit = shortest_corridor(world)
    seen = intention.visited
    texts = np.array(_hover_texts(world, intention), dtype=object)
    x, y = world.positions.T
    marker = {"size": NODE * UNIT, "line": {"color": INK, "width": 0.7}, **COLOURBAR}
    nodes = go.Scatter(
        x=x[seen], y=y[seen], mode="markers", marker=marker, text=texts[seen], hovertemplate="%{text}<extra></extra>"
    )
    dots = go.Scatter(
        x=x[~seen], y=y[~seen], mode="markers", marker={"size": 4, "color": UNSEEN}, text=texts[~seen],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    moves = likely_moves(world, intention.policy, seen)
    length = np.linalg.norm(world.positions[moves.targets] - world.positions[moves.states], axis=1)
    start = 0.15 * unit
    policy = arrows(world, moves, reach=0.62 * length - start, start=start, width=0.1 * unit, cross=0.16 * unit)
    shades = {
        name: {"marker.color": [values[seen]], "marker.colorscale": [scale], "marker.colorbar.title.text": [title]}
        for name, (values, scale, title) in map_shades(intention).items()
    }
    traces = [*ground(world), dots, nodes, *policy]
    return framed(world, traces, shades, shaded=len(traces) - len(policy) - 1, margin=unit)


def ground(world: World) -> list[Any]:
    """The bare floor: the corridors of a maze, or the cells of a grid."""
    if len(world.links):
        return [polygons(corridors(world, shortest_corridor(world)), CORRIDOR)]
    return [polygons(world.positions[:, None] + CELL, UNVISITED)]


def ground_map(world: World) -> go.Figure:
    """An empty map, on which the page draws the track of a session."""
    margin = shortest_corridor(world) if len(world.links) else 0.6
    return framed(world, ground(world), {}, shaded=None, margin=margin)


COLOURBAR: dict[str, Any] = {
    "colorbar": {
        "orientation": "h", "x": 0.5, "xanchor": "center", "y": -0.02, "yanchor": "top", "thickness": 9, "len": 0.6,
        "outlinewidth": 0, "nticks": 5, "title": {"side": "bottom", "font": {"size": 12}}, "tickfont": {"size": 11},
    }
}  # fmt: skip


def map_shades(intention: Intention) -> dict[str, tuple[FloatArray, Any, str]]:
    """By what states can be coloured: the numbers (NaN where the intention never was), colours and title.

    What the data tell best comes first, and values, which are known up to a gauge, come last.
    """
    hidden = np.where(intention.visited, 0.0, np.nan)
    blue, grey = colour_scale(VALUE_MAP), colour_scale(OCCUPANCY_MAP)
    shades = {
        "certainty": (intention.certainty + hidden, blue, "certainty of the policy"),
        "visits": (intention.visits + hidden, grey, "expected visits"),
    }
    if intention.reward is not None:
        expected = (intention.policy * intention.reward).sum(axis=1)
        shades["reward"] = (expected + hidden, blue, "reward Σ π(a|s) r(s, a)")
    if intention.value is not None:
        shades["value"] = (intention.value + hidden, blue, "value V(s)")
    return shades


def _hover_texts(world: World, intention: Intention) -> list[str]:
    """One a state: its name, value and visits, and what is done there with which probability and reward."""
    place_of = {state: name for name, state in world.places.items()}
    best = np.argsort(-intention.policy, axis=1, kind="stable")[:, :MOST_ACTIONS]
    return [
        "<br>".join(
            [
                f"<b>{state_named(intention.state_names[s], place_of.get(s))}</b>",
                *_known_here(intention, s, best[s]),
            ]
        )
        for s in range(world.n_states)
    ]


def _known_here(intention: Intention, state: int, actions: IntArray) -> list[str]:
    """What an intention wants and does in a state; where it never was, that is unknown."""
    if not intention.visited[state]:
        return ["unknown, as this intention was never here"]
    worth = "" if intention.value is None else f"value {intention.value[state]:.2f}, "
    return [f"{worth}{intention.visits[state]:.0f} visits", *(_action(intention, state, action) for action in actions)]


def state_named(name: str, place: str | None) -> str:
    return f"state {plotly_text(name)}" + ("" if place is None else f" · {plotly_text(place)}")


def _action(intention: Intention, state: int, action: int) -> str:
    name, reward = plotly_text(intention.action_names[action]), intention.reward
    earns = "" if reward is None else f", reward {reward[state, action]:.2f}"
    return f"{name}: probability {intention.policy[state, action]:.2f}{earns}"


def framed(world: World, traces: list[Any], shades: dict[str, Any], *, shaded: int | None, margin: float) -> go.Figure:
    """A figure with equal axes and the names of places, coloured by the first of the shades."""
    low, high = _frame(world, margin)
    figure = new_chart(*traces, height=HEIGHT, showlegend=False, margin={"l": 4, "r": 4, "t": 4, "b": 4})
    for shade in list(shades.values())[:1]:
        for path, (value,) in shade.items():
            figure.data[shaded][path] = value
    aspect = float((high[1] - low[1]) / (high[0] - low[0]))
    figure.layout.meta = {"trace": shaded, "shades": shades, "aspect": aspect}
    bare = {"visible": False, "constrain": "domain"}
    figure.update_xaxes(range=[low[0], high[0]], **bare)
    figure.update_yaxes(range=[low[1], high[1]], scaleanchor="x", constraintoward="top", **bare)
    _name_places(figure, world)
    return figure


def _frame(world: World, margin: float) -> tuple[FloatArray, FloatArray]:
    """The corners of what is drawn: all states, and names beside the nodes of a maze."""
    low, high = world.positions.min(axis=0) - margin, world.positions.max(axis=0) + margin
    if len(world.links):
        named = world.positions[list(world.places.values())]
        reach = 3.2 * shortest_corridor(world)
        low[0] = min(low[0], *(named[:, 0] - reach), low[0])
        high[0] = max(high[0], *(named[:, 0] + reach), high[0])
    return low, high


def _name_places(figure: go.Figure, world: World) -> None:
    """Names beside nodes of a maze where there is most room, or in the corner of their cell of a grid."""
    maze = len(world.links) > 0
    walls, unit = (obstacles(world), shortest_corridor(world)) if maze else (world.positions, 1.0)
    for name, state in world.places.items():
        centre = world.positions[state]
        side = roomiest_side(centre, walls, unit) if maze else np.array([1, 1])
        x, y = centre + (0.6 * unit * side if maze else np.array([-0.45, -0.45]))
        figure.add_annotation(
            x=x, y=y, text=f"<b>{plotly_text(name)}</b>", showarrow=False, font={"size": 12, "color": INK},
            xanchor={1: "left", 0: "center", -1: "right"}[int(side[0])],
            yanchor={1: "bottom", 0: "middle", -1: "top"}[int(side[1])],
            bgcolor="rgba(255,255,255,0.65)", borderpad=1,
        )  # fmt: skip
        if maze:
            ring = {
                "size": 1.1 * UNIT * 0.62,
                "symbol": "circle-open",
                "color": FAINT,
                "line": {"width": 2, "color": INK},
            }
            figure.add_scatter(x=[centre[0]], y=[centre[1]], mode="markers", marker=ring, hoverinfo="skip")
