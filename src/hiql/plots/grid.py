"""Open grids: coloured cells, policy arrows, named places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.ticker import MaxNLocator

from hiql.plots.colourbar import add_colourbar
from hiql.plots.labels import shaped
from hiql.plots.policy import all_moves, draw_moves
from hiql.plots.style import UNSEEN, VALUE_MAP
from hiql.worlds.mdp import World

CORNERS = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
PAPER = {"facecolor": "white", "alpha": 0.6, "linewidth": 0, "pad": 0.8}
"""What names lie on, so that they stay legible on any cell."""
LONGEST_ARROW = 0.45
"""Length of the arrow of a certain action, in cells."""


def draw_grid(
    ax: Axes,
    world: World,
    value: npt.ArrayLike,
    policy: npt.ArrayLike | None = None,
    marks: Mapping[str, Sequence[int]] | None = None,
    visited: npt.ArrayLike | None = None,
    *,
    label: str | None = "value",
    limits: tuple[float, float] | None = None,
) -> None:
    """A grid with its cells coloured by value.

    Parameters
    ----------
    value : (S,) colours the cells
    policy : (S, A) becomes arrows as long as they are probable, and crosses where an action stays
    marks : symbol → states, written into those cells, for example ``{"#": barriers}``
    visited : (S,) states where this is 0 are hatched and carry no arrows
    label : of the colour bar; None draws none
    limits : values of the lightest and the darkest colour; the extremes of ``value`` by default
    """
    value = shaped("value", value, world.n_states)
    seen = shaped("visited", np.ones(world.n_states) if visited is None else visited, world.n_states) > 0
    squares = world.positions[:, None] + CORNERS
    cells = PolyCollection(list(squares[seen]), array=value[seen], cmap=VALUE_MAP)
    cells.set(edgecolor="white", linewidth=1.0, clim=limits or (None, None))
    ax.add_collection(cells)
    unknown = PolyCollection(list(squares[~seen]), facecolor="none", edgecolor=UNSEEN, hatch="////", linewidth=0)
    ax.add_collection(unknown)
    if policy is not None:
        moves = all_moves(world, policy, seen)
        draw_moves(ax, world, moves, reach=LONGEST_ARROW * moves.probability)
    _write(ax, world, marks or {})
    if label is not None:
        add_colourbar(ax, cells, label)
    _frame(ax, world)
    ax.set_xlabel("x" if seen.all() else "x (hatched: not visited)")


def _write(ax: Axes, world: World, marks: Mapping[str, Sequence[int]]) -> None:
    """Names into the lower left corner of their cell, marks into the upper right: arrows leave these free."""
    for name, state in world.places.items():
        x, y = world.positions[state]
        ax.text(x - 0.44, y - 0.44, name, va="bottom", size="x-small", style="italic", bbox=PAPER, zorder=6)
    for symbol, states in marks.items():
        for x, y in world.positions[list(states)]:
            ax.text(x + 0.44, y + 0.44, symbol, ha="right", va="top", size="small", weight="bold", zorder=6)


def _frame(ax: Axes, world: World) -> None:
    low, high = world.positions.min(axis=0) - 0.5, world.positions.max(axis=0) + 0.5
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", ylabel="y")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(6, integer=True))
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
