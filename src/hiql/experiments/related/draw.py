"""Figures of the comparison: how far each system comes in each world, and what each assumption buys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from hiql.baselines.recipes import RECIPES
from hiql.experiments.related.compute import RelatedResult, at_par, best_system, contrasts
from hiql.plots import PALETTE, new_figure
from hiql.plots.style import FAINT, INK, VALUE_MAP


def figures(result: RelatedResult) -> Iterator[tuple[str, Figure]]:
    """The table as a map, and the assumptions as bars."""
    worlds, systems = len(result.config.sizes), len(result.config.systems)
    table = new_figure(1.9 + 0.62 * worlds, 1.2 + 0.27 * systems)
    draw_table(table.subplots(), result)
    yield "figure_systems_and_worlds", table
    bought = new_figure(7.2, 0.6 + 0.42 * len(contrasts(result)))
    draw_contrasts(bought.subplots(), result)
    yield "figure_assumptions", bought


def draw_table(ax: Axes, result: RelatedResult) -> None:
    """Shades: the share of the way from chance to the best system. Numbers: nats a step. Bold: at par with the best.

    A frame is the world that was made for a system.
    """
    worlds = list(result.config.sizes)
    systems = [s for s in result.config.systems if any(s in result.cells[w] for w in worlds)]
    share = np.full((len(systems), len(worlds)), np.nan)
    for j, world in enumerate(worlds):
        cells = result.cells[world]
        if not cells:
            continue
        best = best_system(cells)
        floor = min(cell.nats for cell in cells.values())
        for i, system in enumerate(systems):
            if system not in cells:
                ax.text(j, i, "–", ha="center", va="center", color=FAINT, size="x-small")
                continue
            share[i, j] = (cells[system].nats - floor) / max(cells[best].nats - floor, 1e-9)
            weight = "bold" if at_par(cells[system], cells[best]) else "normal"
            ax.text(
                j, i, f"{cells[system].nats:.2f}", ha="center", va="center", color=INK, size="x-small", weight=weight
            )
            if RECIPES[system].home == world:
                ax.add_patch(_frame(j, i))
    ax.imshow(np.ma.masked_invalid(share), cmap=VALUE_MAP, vmin=0.0, vmax=1.0, aspect="auto")
    ax.set_xticks(range(len(worlds)), worlds, rotation=40, ha="left", rotation_mode="anchor")
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(systems)), systems)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("held-out nats a step; bold: at par with the best; framed: the world made for the system")


def _frame(column: int, row: int) -> Rectangle:
    return Rectangle((column - 0.48, row - 0.46), 0.96, 0.92, fill=False, edgecolor=PALETTE[1], linewidth=1.2)


def draw_contrasts(ax: Axes, result: RelatedResult) -> None:
    """What each assumption gains in each world, in nats a step with two standard errors."""
    found = {label: by_world for label, by_world in contrasts(result).items() if by_world}
    worlds = list(result.config.sizes)
    for row, (_, by_world) in enumerate(found.items()):
        names = [world for world in worlds if world in by_world]
        offsets = np.linspace(-0.32, 0.32, max(len(names), 2))
        for offset, world in zip(offsets, names, strict=False):
            gain, error = by_world[world]
            number = worlds.index(world)
            colour, marker = PALETTE[number % len(PALETTE)], "o" if number < len(PALETTE) else "s"
            bars: Any = {"color": colour, "marker": marker, "markersize": 3.0, "elinewidth": 0.8, "linestyle": ""}
            ax.errorbar(gain, row + offset, xerr=2 * error, **bars)
    for number, world in enumerate(worlds):
        marker = "o" if number < len(PALETTE) else "s"
        ax.plot([], [], marker, color=PALETTE[number % len(PALETTE)], label=world)
    ax.axvline(0.0, color=FAINT, linewidth=0.8, zorder=1)
    for row in range(1, len(found)):
        ax.axhline(row - 0.5, color=FAINT, linewidth=0.3, zorder=0)
    ax.set_yticks(range(len(found)), list(found))
    ax.set_ylim(len(found) - 0.5, -0.5)
    ax.set_xscale("symlog", linthresh=0.02)
    ax.set_xlabel("gain in held-out nats a step (± two standard errors; the scale is linear below 0.02)")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
