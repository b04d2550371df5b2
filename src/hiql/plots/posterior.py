"""Intentions over time: one session, and the mean over sessions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.courses import mean_course
from hiql.plots.labels import IntArray, named, shaped
from hiql.plots.style import intention_colour

STRIP_HEIGHT, STRIP_GAP = 0.12, 0.07
SHOW_MARKERS_UP_TO = 40
"""Sessions of at most this many steps get a dot for each step."""


def draw_posterior(
    ax: Axes,
    posterior: npt.ArrayLike,
    names: Sequence[str] | None = None,
    decoded: npt.ArrayLike | None = None,
    true: npt.ArrayLike | None = None,
    *,
    legend: bool = True,
) -> None:
    """One session's intention probabilities, with strips of intentions above them.

    Parameters
    ----------
    posterior : (T, K) probability of each intention at each step
    names : K names
    decoded, true : (T,) intentions 0…K-1, −1 where unknown; each given one becomes a strip
    """
    posterior = shaped("posterior", posterior, None, None)
    n_steps, n_intentions = posterior.shape
    marker = "o" if n_steps <= SHOW_MARKERS_UP_TO else None
    for i, name in enumerate(named(names, n_intentions)):
        ax.plot(posterior[:, i], color=intention_colour(i), label=name, marker=marker, clip_on=False, zorder=3)
    strips = {"true": true, "decoded": decoded}
    given = {label: shaped(label, path, n_steps).astype(int) for label, path in strips.items() if path is not None}
    for row, (label, path) in enumerate(given.items()):
        _draw_strip(ax, path, label, bottom=1.0 + STRIP_GAP + row * (STRIP_HEIGHT + STRIP_GAP))
    ax.set_ylim(-0.03, 1.0 + STRIP_GAP + len(given) * (STRIP_HEIGHT + STRIP_GAP))
    _finish(ax, n_steps, n_intentions if legend else 0)


def _draw_strip(ax: Axes, path: IntArray, label: str, bottom: float) -> None:
    """A coloured bar for each run of one intention; steps without one (−1) stay empty."""
    starts = np.flatnonzero(np.diff(path, prepend=path[0] - 1))
    lengths = np.diff(starts, append=len(path))
    known = path[starts] >= 0
    runs = [(start - 0.5, length) for start, length in zip(starts[known], lengths[known], strict=True)]
    colours = [intention_colour(int(i)) for i in path[starts[known]]]
    ax.broken_barh(runs, (bottom, STRIP_HEIGHT), facecolors=colours, linewidth=0)
    place = (1.01, bottom + STRIP_HEIGHT / 2)
    ax.annotate(label, place, xycoords=ax.get_yaxis_transform(), va="center", size="x-small")


def _finish(ax: Axes, n_steps: int, n_columns: int) -> None:
    """The axes that both drawings share, and a legend above them if it has columns."""
    ax.set_xlim(-0.5, n_steps - 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))
    ax.set_yticks([0.0, 0.5, 1.0], ["0", "0.5", "1"])
    ax.spines["left"].set_bounds(0.0, 1.0)
    ax.set(xlabel="step", ylabel="probability")
    if n_columns:
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=min(n_columns, 4), borderaxespad=0.2)


def draw_mean_posterior(
    ax: Axes,
    data: Trajectories,
    posterior: npt.ArrayLike,
    names: Sequence[str] | None = None,
    *,
    few: int = 5,
    legend: bool = True,
) -> None:
    """Mean ± standard error of the intention probabilities over the sessions still running at each step.

    ``posterior`` is (N, K). Where fewer than ``few`` sessions still run, lines are dotted and have no shade.
    """
    course = mean_course(data, posterior)
    n_steps, n_intentions = course.mean.shape
    steps = np.arange(n_steps)
    enough = int(np.sum(course.n >= min(few, data.n_sessions)))  # the number running only ever falls
    for i, name in enumerate(named(names, n_intentions)):
        mean, error = course.mean[:, i], course.error[:, i]
        colour = intention_colour(i)
        ax.plot(steps[:enough], mean[:enough], color=colour, label=name, clip_on=False)
        ax.plot(steps[enough - 1 :], mean[enough - 1 :], color=colour, linestyle=":", linewidth=1.0, clip_on=False)
        low, high = (mean - error)[:enough], (mean + error)[:enough]
        ax.fill_between(steps[:enough], low, high, color=colour, alpha=0.2, linewidth=0)
    ax.set_ylim(0.0, 1.0)
    _finish(ax, n_steps, n_intentions if legend else 0)
    rest = f"; dotted: fewer than {few}" if enough < n_steps else ""
    ax.set(xlabel=f"step (n = {data.n_sessions} sessions{rest})", ylabel="mean probability ± s.e.")
