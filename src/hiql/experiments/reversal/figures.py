"""Sheets of panels, and every panel on its own."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from hiql.experiments.reversal import draw
from hiql.experiments.reversal.compute import ReversalResult, SourceResult
from hiql.plots import new_figure
from hiql.plots.style import FAINT

SHEET = "aaabbbcccddd;eeeeefffgggg;hhhhhhhhhiii"
"""Where the panels lie: one letter a panel, rows apart by semicolons."""
SIZES = {"h": (7.2, 2.8), "e": (4.6, 3.0)}
SIZE = (4.4, 3.8)
"""Inches of a panel on its own: wide ones by letter, the others with room for long names beside a matrix."""


def figures(result: ReversalResult) -> Iterator[tuple[str, Figure]]:
    """``figures_7_8_<source>`` with all panels, and unless the run is quick one file a panel in the folder "panels"."""
    for name, part in result.sources.items():
        yield f"figures_7_8_{name}", sheet(part)
        for letter, (title, _) in draw.panels().items() if result.config.panels else ():
            figure = new_figure(*SIZES.get(letter, SIZE))
            draw.draw_panel(figure.subplots(), part, letter)
            yield f"panels/figure_{title.split(' ', 1)[0]}_{name}", figure


def sheet(part: SourceResult) -> Figure:
    """All panels; those that need what the source lacks say so."""
    figure = new_figure(12.5, 9.8)
    for letter, ax in figure.subplot_mosaic(SHEET.replace(";", "\n")).items():
        draw.draw_panel(ax, part, letter)
    if part.truth is not None:
        figure.supxlabel("Simulated mice: the paper's own recordings are not public.", size="small", color=FAINT)
    return figure
