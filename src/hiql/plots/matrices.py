"""Tables as heat maps: how intentions follow one another, and policies over abstract states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh

from hiql.plots.colourbar import add_colourbar
from hiql.plots.labels import FloatArray, labelled, named, shaped
from hiql.plots.style import INK, PROBABILITY_MAP, intention_colour

DARK_FROM = 0.5
"""Share of the colour range from which numbers are written in white."""


def draw_transition_matrix(
    ax: Axes,
    transition: npt.ArrayLike,
    names: Sequence[str] | None = None,
    low: npt.ArrayLike | None = None,
    high: npt.ArrayLike | None = None,
) -> None:
    """The probability of each intention (column) given the one before (row), with numbers.

    ``transition``, and the interval's ends ``low`` and ``high`` where given, are (K, K).
    """
    transition = shaped("transition", transition, None, None)
    n = len(transition)
    transition = shaped("transition", transition, n, n)
    _draw_cells(ax, transition)
    _write_numbers(ax, transition, lift=0.0 if low is None or high is None else 0.1)
    if low is not None and high is not None:
        _write_intervals(ax, transition, shaped("low", low, n, n), shaped("high", high, n, n))
    tilt: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if n > 2 else {}
    ax.set_xticks(range(n), named(names, n), **tilt)
    ax.set_yticks(range(n), named(names, n))
    for i, label in enumerate([*ax.get_xticklabels(), *ax.get_yticklabels()]):
        label.set_color(intention_colour(i % n))
    ax.set(xlabel="to", ylabel="from", aspect="equal")


def draw_heatmap(
    ax: Axes,
    table: npt.ArrayLike,
    state_labels: Sequence[Hashable] | None = None,
    action_labels: Sequence[Hashable] | None = None,
    *,
    numbers: bool | None = None,
    label: str = "probability",
) -> None:
    """A table (S, A) as coloured cells, one row a state: policies of worlds that have no map.

    Values are probabilities (colours run from 0 to 1); NaN is unknown, and left blank with a question mark.
    ``numbers`` writes each into its cell; by default if there are at most 30 states.
    """
    table = shaped("table", table, None, None)
    n_states, n_actions = table.shape
    cells = _draw_cells(ax, table)
    if n_states <= 30 if numbers is None else numbers:
        _write_numbers(ax, table, size="x-small")
    ax.set_xticks(range(n_actions), labelled(action_labels, n_actions, "action"))
    ax.set_yticks(range(n_states), labelled(state_labels, n_states, "state"))
    ax.set(xlabel="action", ylabel="state")
    add_colourbar(ax, cells, label)


def _draw_cells(ax: Axes, table: FloatArray) -> QuadMesh:
    """One cell an entry, the first row on top; no frame and no tick marks: the cells are frame enough."""
    edges = [np.arange(n + 1) - 0.5 for n in table.shape]
    cells = ax.pcolormesh(edges[1], edges[0], table, cmap=PROBABILITY_MAP, vmin=0.0, vmax=1.0)
    cells.set(edgecolor="white", linewidth=0.8)
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return cells


def _write_numbers(ax: Axes, table: FloatArray, *, lift: float = 0.0, size: str = "medium") -> None:
    for (row, column), value in np.ndenumerate(table):
        text = "?" if np.isnan(value) else f"{value:.2f}"
        _write(ax, column, row - lift, text, shade=float(value), size=size)


def _write_intervals(ax: Axes, table: FloatArray, low: FloatArray, high: FloatArray) -> None:
    for (row, column), value in np.ndenumerate(table):
        text = f"[{low[row, column]:.2f}, {high[row, column]:.2f}]"
        _write(ax, column, row + 0.18, text, shade=float(value), size="x-small")


def _write(ax: Axes, x: float, y: float, text: str, *, shade: float, size: str) -> None:
    """Centred text, dark on light cells and light on dark ones."""
    ax.text(x, y, text, ha="center", va="center", size=size, color="white" if shade > DARK_FROM else INK)
