"""How policies change from day to day: a line for each subject."""

from __future__ import annotations

from matplotlib.axes import Axes

from hiql.evaluate.measures.drift import Drifting
from hiql.plots.style import PALETTE

MOST_NAMED = 6
"""More lines than colours are drawn alike, without a legend."""
DAY, CHANGED = "day", "choices changed since the first day"


def draw_drift(ax: Axes, found: Drifting, intention: int) -> None:
    """The share of an intention's choices that would be others than on the subject's first day, by day."""
    named = len(found.subjects) <= MOST_NAMED
    for n, (name, days, changed) in enumerate(zip(*found, strict=True)):
        colour = PALETTE[n % len(PALETTE)] if named else PALETTE[0]
        ax.plot(days, changed[:, intention], color=colour, alpha=1.0 if named else 0.5, label=name)
    ax.set(xlabel=DAY, ylabel=CHANGED, ylim=(0.0, 1.05 * max(found.most, 0.05)))
    if named and len(found.subjects) > 1:
        ax.legend()
