"""The curves of ``benchmarks/growth.py``, drawn from its results: ``python benchmarks/growth_figure.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

from growth import CURVES, Curve
from hiql.plots.saving import save_figure
from hiql.plots.style import FAINT, PALETTE, new_figure, style

IMAGE = Path(__file__).parent.parent / "docs" / "images" / "growth"
LEAST_DECADES = 2.2
TIME, MEMORY = PALETTE[0], PALETTE[1]
UNDER = {
    "steps": "one pass of EM, K = 3",
    "sessions": "one pass, 10⁶ steps",
    "intentions": "one pass, 2·10⁵ steps",
    "states": "IAVI in a sparse grid",
    "restarts": "fit to labyrinth mice",
    "workers": "one pass, 3·10⁷ steps",
}


def draw_time(ax: Axes, curve: Curve) -> None:
    """Seconds against size, with the power law fitted to the upper half."""
    sizes, seconds = np.array(curve.sizes), np.array([np.median(taken) for taken in curve.seconds])
    exponent = float(np.median(curve.exponents()))
    upper = sizes >= np.sqrt(sizes[0] * sizes[-1])
    level = np.exp(np.mean(np.log(seconds[upper]) - exponent * np.log(sizes[upper])))
    ax.plot(sizes[upper], level * sizes[upper] ** exponent, color=FAINT, linewidth=3.5, alpha=0.5, zorder=2)
    ax.plot(sizes, seconds, "o-", color=TIME, linewidth=1.0, zorder=3)
    _finish(ax, curve, f"time ∝ {curve.title}$^{{{exponent:.2f}}}$", "seconds")


def draw_workers(ax: Axes, curve: Curve) -> None:
    """Two points are no power law: the ratio is what counts."""
    one, two = (np.median(taken) for taken in curve.seconds)
    ax.plot(curve.sizes, [one, one / 2], color=FAINT, linewidth=3.5, alpha=0.5)
    ax.plot(curve.sizes, [one, two], "o-", color=TIME, linewidth=1.0)
    _finish(ax, curve, f"two workers: {one / two:.2f}× as fast", "seconds")
    ax.set_xlim(0.8, 2.5)


def draw_memory(ax: Axes, curve: Curve) -> None:
    ax.plot(curve.sizes, curve.megabytes, "s-", color=MEMORY, linewidth=1.0)
    _finish(ax, curve, f"peak memory ≤ {max(curve.megabytes):,.0f} MB", "MB")


def _finish(ax: Axes, curve: Curve, title: str, unit: str) -> None:
    ax.set(xscale="log", yscale="log", title=title, ylabel=unit)
    ax.set_xlabel(f"{curve.title}\n({UNDER[curve.title]})")
    low, high = np.log10(ax.get_ylim())
    spare = max(0.0, LEAST_DECADES - (high - low)) / 2  # what hardly changes is to look like it
    ax.set_ylim(10 ** (low - spare), 10 ** (high + spare))
    if len(curve.sizes) < 3 or curve.sizes[-1] < 100:
        ax.set_xticks(curve.sizes, map(str, curve.sizes))
        ax.xaxis.set_minor_locator(NullLocator())
    else:
        ax.xaxis.set_major_locator(LogLocator(base=100))
        ax.xaxis.set_minor_locator(LogLocator(base=10))
        ax.xaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_minor_locator(NullLocator())
    ax.grid(True, which="major", color=FAINT, alpha=0.25, linewidth=0.5)


def growth_figure(curves: dict[str, Curve]) -> Figure:
    with style():
        figure = new_figure(7.4, 3.9)
        axes: Any = figure.subplots(2, 4)
        panels = [(draw_time, "steps"), (draw_memory, "steps"), (draw_time, "sessions"), (draw_time, "intentions")]
        panels += [(draw_time, "states"), (draw_memory, "states"), (draw_time, "restarts"), (draw_workers, "workers")]
        for ax, (draw, name) in zip(axes.flat, panels, strict=True):
            draw(ax, curves[name])
    return figure


if __name__ == "__main__":
    measured = {name: Curve(**curve) for name, curve in json.loads(CURVES.read_text()).items()}
    print(*save_figure(growth_figure(measured), IMAGE, ["png"]))
