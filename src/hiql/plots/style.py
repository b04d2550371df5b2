"""How figures look: colours, fonts and sizes, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F6000", "#000000")
"""Colours that the colour-blind can tell apart (after Okabe & Ito); intention i always has the i-th."""

INK, FAINT, UNSEEN, CORRIDOR = "#222222", "#8C8C8C", "#B8B8B8", "#E9E9E9"
POLICY = "#C00018"
"""The red of policy arrows and crosses."""
PLACES = (INK, "#0072B2", "#009E73", "#CC79A7")
"""Colours of named places, in their order in the world."""

RC: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # ships with matplotlib: the same figure on every machine
    "font.size": 8.0,
    "axes.titlesize": 9.0,
    "axes.titleweight": "normal",
    "axes.labelsize": 8.0,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=PALETTE),
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.fontsize": 7.0,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 3.0,
    "hatch.linewidth": 0.6,
    "figure.dpi": 100.0,
    "savefig.dpi": 200.0,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.05,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",  # text stays text: it can be searched and edited
    "svg.hashsalt": "hiql",  # the same figure gives the same file
}


def _part(name: str, low: float, high: float) -> Colormap:
    """A colormap without its ends, so that ink stays legible on it."""
    return LinearSegmentedColormap.from_list(f"hiql {name}", mpl.colormaps[name](np.linspace(low, high, 256)))


VALUE_MAP = _part("Blues", 0.02, 0.68)
OCCUPANCY_MAP = _part("Greys", 0.0, 1.0)
PROBABILITY_MAP = _part("Purples", 0.0, 0.85)


@contextmanager
def style() -> Iterator[None]:
    """Within ``with style():`` figures are made in the style of this package; afterwards all is as before."""
    with mpl.rc_context(RC):
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches, laid out without overlaps; pyplot does not know of it."""
    return Figure(figsize=(width, height), layout="constrained")


def intention_colour(intention: int) -> str:
    """The fixed colour of intention 0, 1, …; after eight they begin again."""
    return PALETTE[intention % len(PALETTE)]
