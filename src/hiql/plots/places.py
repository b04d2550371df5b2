"""Named places of a maze: a symbol around the node and a label where there is room for it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import RegularPolygon

from hiql.plots.labels import FloatArray
from hiql.plots.style import PLACES
from hiql.worlds.mdp import World

CORNERS = (4, 40, 3, 6)
"""The symbols, in the order of the world's places: square, circle, triangle, hexagon."""
RADIUS = (0.5, 0.38, 0.55, 0.42)
"""Their size, in units of the shortest corridor."""
DIRECTIONS = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])


def mark_places(ax: Axes, world: World, unit: float) -> None:
    """Draw the symbol and name of each place; ``unit`` is the length of the shortest corridor."""
    walls = obstacles(world)
    for i, (name, state) in enumerate(world.places.items()):
        centre, colour = world.positions[state], PLACES[i % len(PLACES)]
        n_corners = CORNERS[i % len(CORNERS)]
        symbol = RegularPolygon(
            tuple(centre), n_corners, radius=RADIUS[i % len(RADIUS)] * unit, orientation=np.pi / n_corners
        )
        symbol.set(facecolor="none", edgecolor=colour, linewidth=1.8, zorder=6)
        ax.add_patch(symbol)
        side = roomiest_side(centre, walls, unit)
        x, y = centre + 0.7 * unit * side
        ha = {1: "left", 0: "center", -1: "right"}[int(side[0])]
        va = {1: "bottom", 0: "center", -1: "top"}[int(side[1])]
        ax.text(x, y, name, ha=ha, va=va, color=colour, weight="bold", zorder=7)


def obstacles(world: World) -> FloatArray:
    """(n, 2) points along all corridors, their nodes included."""
    first, last = world.positions[world.links].transpose(1, 0, 2)
    along = np.linspace(0.0, 1.0, 9)[:, None, None]
    return (first + along * (last - first)).reshape(-1, 2)


def roomiest_side(centre: FloatArray, walls: FloatArray, unit: float) -> FloatArray:
    """(2,) the direction from a node in which a label meets the fewest corridors."""
    label = centre + unit * np.linspace(0.8, 3.0, 7)[:, None, None] * DIRECTIONS  # (7, 4, 2) where it would lie
    free = np.linalg.norm(label[:, :, None] - walls, axis=-1).min(axis=(0, 2))
    return DIRECTIONS[int(free.argmax())].astype(np.float64)
