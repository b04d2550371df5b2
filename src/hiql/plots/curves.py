"""Lines and bars with standard errors: scores against some number, or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from hiql.plots.labels import shaped
from hiql.plots.style import INK, PALETTE


def draw_curves(
    ax: Axes,
    x: npt.ArrayLike,
    mean: npt.ArrayLike,
    error: npt.ArrayLike | None = None,
    label: str | None = None,
    *,
    colour: str = PALETTE[0],
    linestyle: Any = "-",
    marker: str | None = "o",
) -> None:
    """One line, ``mean`` (n,) against ``x`` (n,), with ``error`` (n,) as a shade to both sides.

    Points where the mean is NaN are left out; a NaN error means that none is known.
    """
    x = shaped("x", x, None)
    mean = shaped("mean", mean, len(x))
    ax.plot(x, mean, color=colour, linestyle=linestyle, marker=marker, label=label, zorder=3)
    if error is not None:
        error = np.nan_to_num(shaped("error", error, len(x)))
        ax.fill_between(x, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)


def draw_bars(
    ax: Axes,
    names: Sequence[str],
    mean: npt.ArrayLike,
    error: npt.ArrayLike | None = None,
    *,
    colours: Sequence[str] | str = PALETTE[0],
    base: float = 0.0,
) -> None:
    """A bar for each name, from ``base`` to ``mean`` (n,), with ``error`` (n,) as a whisker."""
    mean = shaped("mean", mean, len(names))
    whisker = None if error is None else shaped("error", error, len(names))
    ax.bar(range(len(names)), mean - base, 0.65, base, color=colours, yerr=whisker, ecolor=INK, capsize=2)
    ax.set_xticks(range(len(names)), names)
    ax.tick_params(axis="x", length=0)
