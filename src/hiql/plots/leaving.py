"""Where animals switch: the probability of leaving an intention, on the map of the world or as a list of bars."""

from __future__ import annotations

from typing import cast

import numpy as np
from matplotlib.axes import Axes

from hiql.evaluate.measures.leaving import Leaving
from hiql.plots.grid import draw_grid
from hiql.plots.labels import IntArray
from hiql.plots.maze import draw_maze
from hiql.plots.style import FAINT, intention_colour
from hiql.worlds.mdp import MDP, World

MOST_BARS = 20
"""A list shows at most this many contexts: those with the most departures."""
LABEL = "p(leaving)"


def draw_leaving(ax: Axes, found: Leaving, intention: int, world: MDP | None = None) -> None:
    """How probable it is that an intention is left, by context.

    Where contexts are states and the world has a map, it colours the map (the same colours for all intentions);
    elsewhere it is one bar a context, beside a line at the average. What was met too rarely is left out.
    """
    if found.of_states and len(getattr(world, "positions", ())):
        _draw_map(ax, found, intention, cast(World, world))
    else:
        _draw_list(ax, found, intention)


def _draw_map(ax: Axes, found: Leaving, intention: int, world: World) -> None:
    value, known, limits = found.probability[:, intention], found.known[:, intention], (0.0, found.highest)
    if len(world.links):
        draw_maze(ax, world, value, visited=known, label=LABEL, limits=limits)
        return
    draw_grid(ax, world, value, visited=known, label=LABEL, limits=limits)
    ax.set_xlabel("x" if known.all() else "x (hatched: too few steps)")


def _draw_list(ax: Axes, found: Leaving, intention: int) -> None:
    rows = listed(found, intention)
    ax.barh(range(len(rows)), found.probability[rows, intention], 0.7, color=intention_colour(intention))
    ax.axvline(found.average[intention], color=FAINT, linestyle=":", label="average")
    ax.set_yticks(range(len(rows)), [found.labels[m] for m in rows])
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel=LABEL, ylabel=found.context, xlim=(0.0, 1.05 * max(found.highest, float(found.average.max()))))
    ax.legend()


def listed(found: Leaving, intention: int) -> IntArray:
    """The contexts that a list shows: those known with the most departures, in their own order."""
    departures = np.where(found.known[:, intention], found.departures[:, intention], -1.0)
    most = np.argsort(-departures, kind="stable")[:MOST_BARS]
    return np.sort(most[departures[most] >= 0])
