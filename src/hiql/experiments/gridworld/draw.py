"""The three panels of the paper's Figure 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from hiql.experiments.gridworld.compute import GridworldResult
from hiql.experiments.gridworld.config import (
    DIRL_1,
    DIRL_2,
    EXPERT,
    HIAVI_1,
    HIAVI_2,
    PRINTED_1,
    PRINTED_2,
    RANDOM,
)
from hiql.plots import PALETTE, draw_curves, draw_grid, new_figure
from hiql.plots.style import FAINT, INK

COLOURS = {
    HIAVI_1: (PALETTE[5], "--"),
    HIAVI_2: (PALETTE[0], "-"),
    PRINTED_1: (PALETTE[5], ":"),
    PRINTED_2: (PALETTE[0], ":"),
    DIRL_1: (PALETTE[1], "--"),
    DIRL_2[0.01]: (PALETTE[3], ":"),
    DIRL_2[0.1]: (PALETTE[1], "-"),
    DIRL_2[1.0]: (PALETTE[4], "-"),
    DIRL_2[10.0]: (PALETTE[2], ":"),
    RANDOM: (FAINT, "--"),
    EXPERT: (INK, "--"),
}
SHOWN_COURSES = (HIAVI_2, PRINTED_2, DIRL_2[0.1], DIRL_2[1.0])
SHOWN_VALUES = ("truth", HIAVI_1, HIAVI_2, PRINTED_2, DIRL_1, *DIRL_2.values())
FEW = 20
"""Courses are shown while at least this many sessions run."""


def figures(result: GridworldResult) -> Iterator[tuple[str, Figure]]:
    """The panels, a file each."""
    a = new_figure(7.2, 3.4)
    draw_likelihood(a.subplots(), result)
    yield "figure_3a_likelihood", a
    b = new_figure(6.4, 3.2)
    draw_abandon(b.subplots(), result)
    yield "figure_3b_abandon", b
    c = new_figure(1.65 * len(SHOWN_VALUES), 4.4)
    draw_values(c.subplots(2, len(SHOWN_VALUES)), result)
    yield "figure_3c_values", c


def draw_likelihood(ax: Axes, result: GridworldResult) -> None:
    """(a) held-out log-likelihood per trajectory against the number of expert trajectories."""
    for name, sizes in result.likelihood.items():
        found = {size: entry["per_trajectory"] for size, entry in sizes.items() if entry}
        colour, line = COLOURS[name]
        mean, error = ([entry[key] for entry in found.values()] for key in ("mean", "error"))
        ax.errorbar(list(found), mean, error, label=name, color=colour, linestyle=line, marker="o", capsize=2)
    ax.set_xticks(result.config.sizes, [str(size) for size in result.config.sizes], rotation=60)
    ax.set_xlabel("number of expert trajectories")
    ax.set_ylabel("held-out log-likelihood\nper trajectory (nats)")
    floor = result.likelihood[RANDOM][max(result.config.sizes)]
    if floor:
        ax.set_ylim(bottom=1.2 * floor["per_trajectory"]["mean"], top=0.4)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_abandon(ax: Axes, result: GridworldResult) -> None:
    """(b) probability of "abandon" at each step of a session, true and predicted."""
    truth = result.abandon["truth"]
    shown = np.array(truth["n"]) >= min(FEW, max(truth["n"]))
    steps = np.flatnonzero(shown)
    draw_curves(ax, steps, _part(truth["mean"], shown), _part(truth["error"], shown), "truth", colour=INK)
    for name in SHOWN_COURSES:
        if name in result.abandon:
            course = result.abandon[name]
            error = np.nan_to_num(_part(course["error"], shown))
            colour, line = COLOURS[name]
            draw_curves(
                ax, steps, _part(course["mean"], shown), error, name, colour=colour, linestyle=line, marker=None
            )
    ax.set_xlabel("step")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylabel('probability of "abandon"')
    ax.set_ylim(-0.02, 1.02)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _part(values: Sequence[float | None], shown: np.ndarray) -> np.ndarray:
    return np.array(values, dtype=np.float64)[shown]


def draw_values(axes: np.ndarray, result: GridworldResult) -> None:
    """(c) state values under the true rewards, of the expert and of the learnt policies; rows are intentions."""
    names = [name for name in SHOWN_VALUES if name in result.values]
    highest = float(np.max(result.values["truth"]))
    for column, name in enumerate(names):
        for row, intention in enumerate(result.expert.intentions):
            ax = axes[row, column]
            bar = "value" if column == len(names) - 1 else None
            value = np.array(result.values[name][row])
            marks = {"#": result.expert.barriers}
            draw_grid(ax, result.expert.world, value, marks=marks, label=bar, limits=(0.0, highest))
            ax.set(xticks=[], yticks=[], xlabel="", ylabel=f'"{intention}"' if column == 0 else "")
            if name in result.authors_evd:
                evd = result.authors_evd[name][intention]
                ax.set_xlabel(f"EVD {evd['mean']:.2f} ± {evd['error']:.2f}")
            if row == 0:
                ax.set_title(name.replace(", ", "\n", 1), size="medium")
