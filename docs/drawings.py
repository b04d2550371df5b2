"""Figures 1, 2 and 4 of the paper, which show no results: the model and two worlds. ``python docs/drawings.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle

import hiql
from hiql.experiments.labyrinth.walks import shortest_path
from hiql.plots import draw_maze, new_figure, save_figure, style
from hiql.plots.style import CORRIDOR, INK, PALETTE, intention_colour
from hiql.worlds.labyrinth import HOME, WATER
from hiql.worlds.two_goals import BARRIERS, SIDE

IMAGES = Path(__file__).parent / "images"
STEPS = (("0", 0.0), ("1", 1.6), ("n", 4.2))
ROWS = {"s": 2.4, "a": 1.2, "z": 0.0}
RADIUS = 0.34


def model_figure() -> Figure:
    """Figure 1: states and actions as observed, and the chain of intentions behind them."""
    figure = new_figure(4.6, 2.9)
    ax = figure.subplots()
    for number, (step, x) in enumerate(STEPS):
        for name, y in ROWS.items():
            _node(ax, x, y, rf"${name}_{step}$", hidden=name == "z")
        _arrow(ax, (x, ROWS["z"]), (x, ROWS["a"]))
        _arrow(ax, (x, ROWS["s"]), (x, ROWS["a"]))
        if number:
            _lead_on(ax, STEPS[number - 1][1], x, dots=number > 1)
    ax.text(-1.1, ROWS["s"], "states", ha="right", va="center")
    ax.text(-1.1, ROWS["a"], r"actions, $\pi_{z}(a\,|\,s)$", ha="right", va="center")
    ax.text(-1.1, ROWS["z"], r"intentions, $\Pi$ and $\Lambda$", ha="right", va="center", color=intention_colour(0))
    ax.set(xlim=(-3.2, 4.8), ylim=(-0.5, 2.9), aspect="equal")
    ax.set_axis_off()
    return figure


def _node(ax: Axes, x: float, y: float, text: str, *, hidden: bool) -> None:
    colour = intention_colour(0) if hidden else INK
    face = "white" if hidden else CORRIDOR
    ax.add_patch(Circle((x, y), RADIUS, facecolor=face, edgecolor=colour, linewidth=1.0, zorder=3))
    ax.text(x, y, text, ha="center", va="center", color=colour, zorder=4)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """From the rim of one circle to the rim of the other."""
    way = np.subtract(end, start)
    rim = (RADIUS + 0.04) * way / np.linalg.norm(way)
    shape = {"arrowstyle": "-|>", "mutation_scale": 9, "color": INK, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(tuple(start + rim), tuple(end - rim), zorder=2, **shape))


def _lead_on(ax: Axes, before: float, x: float, *, dots: bool) -> None:
    """State and action lead to the next state, the intention to the next one; dots for the steps left out."""
    middle = 0.5 * (before + x)
    for start, end in (("s", "s"), ("a", "s"), ("z", "z")):
        a, b = np.array([before, ROWS[start]]), np.array([x, ROWS[end]])
        if not dots:
            _arrow(ax, tuple(a), tuple(b))
    if dots:
        for y in (ROWS["s"], ROWS["z"]):
            _arrow(ax, (before, y), (middle + 0.05, y))
            ax.text(middle, y, "…", ha="center", va="center", size="large")
            _arrow(ax, (middle - 0.05, y), (x, y))


def gridworld_figure() -> Figure:
    """Figure 2: where the expert starts, where it is going, and where it may change its mind."""
    figure = new_figure(2.4, 2.4)
    ax = figure.subplots()
    for x in range(SIDE):
        for y in range(SIDE):
            ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor="white", edgecolor=INK, linewidth=0.7))
    for x, y in BARRIERS:
        ax.text(x, y, "#", ha="center", va="center", color=PALETTE[0], weight="bold", size="large")
    ax.text(0, 0, "start", ha="center", va="center", size="small")
    ax.text(SIDE - 1, SIDE - 1, "goal", ha="center", va="center", size="small")
    ax.set(xlim=(-0.6, SIDE - 0.4), ylim=(-0.6, SIDE - 0.4), aspect="equal", xlabel="x", ylabel="y")
    ax.set(xticks=range(SIDE), yticks=range(SIDE))
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return figure


def labyrinth_figure() -> Figure:
    """Figure 4: 127 nodes, and the shortest way from the entrance to the water port."""
    world = hiql.worlds.labyrinth()
    figure = new_figure(4.2, 4.2)
    ax = figure.subplots()
    draw_maze(ax, world)
    ax.plot(*world.positions.T, "o", color=INK, markersize=2.2, zorder=4)
    ax.plot(*world.positions[shortest_path(HOME, WATER)].T, color=PALETTE[0], linewidth=1.6, zorder=3)
    return figure


if __name__ == "__main__":
    with style():
        drawings = {"figure_1_model": model_figure, "figure_2_gridworld": gridworld_figure}
        for name, draw in (drawings | {"figure_4_labyrinth": labyrinth_figure}).items():
            print(*save_figure(draw(), IMAGES / name, ["png"]))
