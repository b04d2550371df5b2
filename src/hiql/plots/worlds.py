"""One door for every kind of world: a maze, an open grid, or a table where there is no map."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from hiql.plots.grid import draw_grid
from hiql.plots.labels import labelled, shaped
from hiql.plots.matrices import draw_heatmap
from hiql.plots.maze import draw_maze
from hiql.worlds.mdp import MDP, World

MOST_ROWS = 24
"""A table shows at most this many states: the most visited."""


def draw_world(
    ax: Axes,
    world: MDP | None,
    value: npt.ArrayLike,
    policy: npt.ArrayLike,
    *,
    visits: npt.ArrayLike | None = None,
    marks: Mapping[str, Sequence[int]] | None = None,
    state_labels: Sequence[Hashable] | None = None,
    action_labels: Sequence[Hashable] | None = None,
) -> None:
    """What an intention wants (``value`` (S,)) and does (``policy`` (S, A)), in the form the world allows.

    With corridors (``world.links``) it is a maze, with ``world.positions`` alone a grid, without either (or
    with no world at all, as in model-free fits) a table of the policy. ``visits`` (S,) counts how often each
    state was seen: states never seen carry no arrow (a table leaves them blank), and a long table shows those seen
    most. ``marks`` are for grids, labels for tables.
    """
    if not len(getattr(world, "positions", ())):
        _draw_table(ax, policy, visits, state_labels, action_labels)
    elif len(cast(World, world).links):
        draw_maze(ax, cast(World, world), value, policy=policy, visited=visits)
    else:
        draw_grid(ax, cast(World, world), value, policy, marks, visits)


def _draw_table(
    ax: Axes,
    policy: npt.ArrayLike,
    visits: npt.ArrayLike | None,
    state_labels: Sequence[Hashable] | None,
    action_labels: Sequence[Hashable] | None,
) -> None:
    policy = shaped("policy", policy, None, None)
    n_states = len(policy)
    counts = np.zeros(n_states) if visits is None else shaped("visits", visits, n_states)
    rows = np.sort(np.argsort(-counts, kind="stable")[:MOST_ROWS])
    labels = labelled(state_labels, n_states, "state")
    known = policy if visits is None else np.where(counts[:, None] > 0, policy, np.nan)
    draw_heatmap(ax, known[rows], [labels[row] for row in rows], action_labels)
    if len(rows) < n_states:
        ax.set_ylabel(f"state ({len(rows)} most visited of {n_states})")
