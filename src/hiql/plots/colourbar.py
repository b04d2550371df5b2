"""A slim colour bar beside an axis, which keeps the axis's size."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.ticker import MaxNLocator

RIGHT, BELOW = (1.03, 0.2, 0.03, 0.6), (0.3, -0.05, 0.4, 0.025)
"""Where the bar lies: left, bottom, width, height in units of the axis."""


def add_colourbar(ax: Axes, mappable: ScalarMappable, label: str, *, below: bool = False) -> None:
    """Put the colours of ``mappable`` and their meaning to the right of ``ax``, or below it."""
    inset = ax.inset_axes(BELOW if below else RIGHT)
    orientation = "horizontal" if below else "vertical"
    bar = ax.figure.colorbar(mappable, cax=inset, orientation=orientation, label=label, ticks=MaxNLocator(4))
    bar.outline.set_visible(False)
    inset.tick_params(length=2)
