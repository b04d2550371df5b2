"""Mazes: corridors, nodes coloured by value or occupancy, policy arrows, named places."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, PolyCollection
from scipy import sparse
from scipy.sparse import csgraph

from hiql.errors import InvalidParameter
from hiql.plots.colourbar import add_colourbar
from hiql.plots.labels import FloatArray, shaped
from hiql.plots.places import mark_places
from hiql.plots.policy import Moves, draw_moves, likely_moves
from hiql.plots.style import CORRIDOR, INK, OCCUPANCY_MAP, UNSEEN, VALUE_MAP
from hiql.worlds.mdp import World

WIDEST, NARROWEST = 0.75, 0.4
"""Width of the first and of the last corridors, in units of the shortest corridor."""
NODE, DOT = 0.42, 0.14
"""Diameter of a visited and of an unvisited node, in the same units."""


def draw_maze(
    ax: Axes,
    world: World,
    value: npt.ArrayLike | None = None,
    occupancy: npt.ArrayLike | None = None,
    policy: npt.ArrayLike | None = None,
    visited: npt.ArrayLike | None = None,
    *,
    label: str | None = None,
    limits: tuple[float, float] | None = None,
) -> None:
    """A maze as its corridors lie, with nodes coloured by ``value`` or by ``occupancy``.

    Parameters
    ----------
    value, occupancy : (S,) one of them; occupancy is drawn in greys
    policy : (S, A) an arrow along the corridor that each node's most likely action takes, a cross where it
        stays; the fainter the less probable
    visited : (S,) nodes where this is 0 are drawn as small grey dots, without a colour or an arrow
    limits : values of the lightest and the darkest colour; the extremes of ``value`` by default
    """
    if value is not None and occupancy is not None:
        raise InvalidParameter(parameter="occupancy", value="given with value", remedy="give one of the two")
    unit = shortest_corridor(world)
    seen = np.ones(world.n_states) if visited is None else shaped("visited", visited, world.n_states)
    floor = PolyCollection(list(corridors(world, unit)), facecolor=CORRIDOR, linewidth=0, zorder=1)
    ax.add_collection(floor)
    if value is not None:
        nodes = _draw_nodes(ax, world, shaped("value", value, world.n_states), seen > 0, unit)
        nodes.set(cmap=VALUE_MAP, clim=limits or (None, None))
        add_colourbar(ax, nodes, label or "value", below=True)
    if occupancy is not None:
        nodes = _draw_nodes(ax, world, shaped("occupancy", occupancy, world.n_states), seen > 0, unit)
        nodes.set(cmap=OCCUPANCY_MAP, clim=(0.0, None))
        add_colourbar(ax, nodes, label or "occupancy", below=True)
    if policy is not None:
        _draw_policy(ax, world, likely_moves(world, policy, seen), unit)
    mark_places(ax, world, unit)
    low, high = world.positions.min(axis=0) - unit, world.positions.max(axis=0) + unit
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.set_axis_off()


def shortest_corridor(world: World) -> float:
    """Its length: the unit in which everything in the maze is sized."""
    return float(np.linalg.norm(_spans(world), axis=1).min())


def _spans(world: World) -> FloatArray:
    """(L, 2) the vector along each corridor."""
    return world.positions[world.links[:, 1]] - world.positions[world.links[:, 0]]


def corridors(world: World, unit: float) -> FloatArray:
    """(L, 4, 2) the corners of each corridor; the further from the start, the narrower."""
    depth = _depth(world)
    near, far = (_half_width(depth + later, depth.max()) * unit for later in (0, 1))
    along = _spans(world) / np.linalg.norm(_spans(world), axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) * near[:, None]
    first = world.positions[world.links[:, 0]] - along * near[:, None]
    last = world.positions[world.links[:, 1]] + along * far[:, None]  # flush with those that branch off
    return np.stack([first - across, last - across, last + across, first + across], axis=1)


def _depth(world: World) -> FloatArray:
    """(L,) how many corridors lie between the start and each corridor; 0 where none lead there."""
    ends = (np.ones(len(world.links)), tuple(world.links.T))
    graph = sparse.csr_array(ends, shape=(world.n_states, world.n_states))
    steps = csgraph.shortest_path(graph, directed=False, unweighted=True, indices=world.start)
    depth = steps[world.links].min(axis=1)
    return np.where(np.isfinite(depth), depth, 0.0)


def _half_width(depth: FloatArray, deepest: float) -> FloatArray:
    """(L,) half the width of corridors this deep, in units of the shortest corridor."""
    return 0.5 * (WIDEST + (NARROWEST - WIDEST) * depth / max(deepest, 1.0))


def _draw_nodes(
    ax: Axes, world: World, shade: FloatArray, seen: npt.NDArray[np.bool_], unit: float
) -> EllipseCollection:
    """Coloured discs where the animal was, small grey dots where it was not."""
    discs, dots = (
        EllipseCollection(size, size, 0.0, units="xy", offsets=world.positions[where], offset_transform=ax.transData)
        for where, size in ((seen, NODE * unit), (~seen, DOT * unit))
    )
    discs.set(array=shade[seen], edgecolor=INK, linewidth=0.5, zorder=2)
    dots.set(facecolor=UNSEEN, linewidth=0, zorder=2)
    ax.add_collection(dots)
    ax.add_collection(discs)
    return discs


def _draw_policy(ax: Axes, world: World, moves: Moves, unit: float) -> None:
    """Arrows from the node to the middle of its corridor; two that meet pass each other."""
    corridor = np.linalg.norm(world.positions[moves.targets] - world.positions[moves.states], axis=1)
    start = 0.15 * unit
    draw_moves(
        ax, world, moves, reach=0.62 * corridor - start, start=start, width=0.085 * unit, cross=0.16 * unit,
        lane=0.15 * unit,
    )  # fmt: skip
