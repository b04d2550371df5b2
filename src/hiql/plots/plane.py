"""Maps over a plane: what places are worth where states are continuous."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from hiql.errors import ShapeMismatch
from hiql.plots.colourbar import add_colourbar
from hiql.plots.labels import shaped
from hiql.plots.style import INK, VALUE_MAP


def draw_plane(
    ax: Axes,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    value: npt.ArrayLike,
    visited: npt.ArrayLike | None = None,
    *,
    label: str | None = "value",
    limits: tuple[float, float] | None = None,
) -> None:
    """A plane coloured by value or reward, such as those of :func:`hiql.rewards.value_by_regression`.

    Parameters
    ----------
    x, y : (n,) and (m,) the coordinates of a grid of points
    value : (m, n) at (x[j], y[i]), or (m · n,) in that order
    visited : (N, 2) places where demonstrations were; elsewhere colours say little
    label : of the colour bar; None draws none
    limits : values of the lightest and the darkest colour; the extremes of ``value`` by default
    """
    columns, rows = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    flat = shaped("value", np.ravel(value), columns.size * rows.size).reshape(rows.size, columns.size)
    mesh = ax.pcolormesh(columns, rows, flat, cmap=VALUE_MAP, shading="nearest", rasterized=True)
    mesh.set_clim(*(limits or (None, None)))
    if visited is not None:
        places = np.asarray(visited, dtype=np.float64)
        if places.ndim != 2 or places.shape[1] != 2:
            remedy = "give x and y of each step"
            raise ShapeMismatch(field="visited", shape=places.shape, expected="(N, 2)", remedy=remedy)
        ax.plot(*places.T, ".", color=INK, markersize=1.0, alpha=0.25, linestyle="")
    if label is not None:
        add_colourbar(ax, mesh, label)
    ax.set(aspect="equal", xlabel="x", ylabel="y")
