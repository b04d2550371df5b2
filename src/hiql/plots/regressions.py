"""What drives choices: weights of inputs with their errors, psychometric curves, and the weight of the past by lag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from hiql.evaluate.measures.effects import Effects
from hiql.evaluate.measures.psychometric import PsychometricCurves
from hiql.plots.labels import named, shaped
from hiql.plots.style import FAINT, PALETTE, intention_colour

HEIGHT = 0.8
"""Of the bars of one input, together."""


def draw_weights(ax: Axes, effects: Effects, intention: int) -> None:
    """Bars, one an input and contrast: the change of log-odds for one standard deviation, ± its standard error."""
    size, error = effects.size[intention], effects.error[intention]
    names = [*effects.names, "bias"]
    thickness = HEIGHT / len(size)
    for c, (values, errors) in enumerate(zip(size, error, strict=True)):
        at = np.arange(len(names)) - HEIGHT / 2 + (c + 0.5) * thickness
        colour = intention_colour(intention) if len(size) == 1 else PALETTE[c % len(PALETTE)]
        ax.barh(
            at, values, 0.9 * thickness, xerr=np.nan_to_num(errors), color=colour, capsize=2, label=effects.contrasts[c]
        )
    furthest = 1.05 * float((np.abs(effects.size) + np.nan_to_num(effects.error)).max())
    ax.set_xlim(-furthest, furthest)  # the same for all intentions
    ax.axvline(0.0, color=FAINT, linewidth=0.7)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"log-odds of {effects.contrasts[0]} for 1 s.d." if len(size) == 1 else "log-odds for 1 s.d.")
    if len(size) > 1:
        ax.legend()


def draw_weights_by_group(
    ax: Axes, by_group: Mapping[str, Effects], common: Effects, intention: int, contrast: int = 0
) -> None:
    """A dot for each animal's weight of each input, ± its standard error, and a ring for the population's.

    ``by_group`` is what :func:`hiql.evaluate.effects_by_group` found, ``common`` what :func:`hiql.evaluate.effects`.
    """
    names = [*common.names, "bias"]
    size = np.stack([each.size[intention, contrast] for each in by_group.values()])
    error = np.stack([each.error[intention, contrast] for each in by_group.values()])
    around = HEIGHT * (np.arange(len(size)) - (len(size) - 1) / 2) / max(len(size), 3)
    style: dict[str, Any] = {"fmt": "o", "markersize": 3, "elinewidth": 0.8, "color": intention_colour(intention)}
    for d in range(len(names)):
        ax.errorbar(size[:, d], d + around, xerr=np.nan_to_num(error[:, d]), **style)
    ring: dict[str, Any] = {"fmt": "o", "markersize": 9, "markerfacecolor": "none", "color": FAINT, "zorder": 3}
    errors = np.nan_to_num(common.error[intention, contrast])
    ax.errorbar(common.size[intention, contrast], np.arange(len(names)), xerr=errors, label="population", **ring)
    ax.axvline(0.0, color=FAINT, linewidth=0.7)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"log-odds of {common.contrasts[contrast]} for 1 s.d.")
    ax.legend()


def draw_psychometric(
    ax: Axes, curves: PsychometricCurves, action: int, label: str, names: Sequence[str] | None = None
) -> None:
    """Curves of all intentions over one input, and the data's points with their standard errors."""
    for i, name in enumerate(named(names, len(curves.proba))):
        colour = intention_colour(i)
        ax.plot(curves.x, curves.proba[i, :, action], color=colour, label=name)
        ax.errorbar(
            curves.at, curves.share[i, :, action], curves.error[i, :, action], color=colour, fmt="o", elinewidth=0.8
        )
    ax.set(xlabel=curves.name, ylabel=f"p({label})", ylim=(-0.02, 1.02))
    ax.legend()


def draw_kernel(ax: Axes, kernel: npt.ArrayLike, names: Sequence[str] | None = None, title: str = "") -> None:
    """(K, n) how much a choice 1, …, n steps ago adds to the log-odds of choosing the same."""
    table = shaped("kernel", kernel, None, None)
    for i, (name, row) in enumerate(zip(named(names, len(table)), table, strict=True)):
        ax.plot(np.arange(1, table.shape[1] + 1), row, color=intention_colour(i), marker="o", label=name)
    ax.axhline(0.0, color=FAINT, linewidth=0.7)
    ax.set(xlabel="steps ago", ylabel="log-odds of the same choice", title=title)
    ax.legend()
