"""Figures with matplotlib. Every ``draw_…(ax, …)`` draws onto an axis; none fits, loads or saves."""

from hiql.plots.curves import draw_bars, draw_curves
from hiql.plots.drift import draw_drift
from hiql.plots.figures import overview_figure
from hiql.plots.grid import draw_grid
from hiql.plots.labels import intention_names
from hiql.plots.leaving import draw_leaving
from hiql.plots.matrices import draw_heatmap, draw_transition_matrix
from hiql.plots.maze import draw_maze
from hiql.plots.plane import draw_plane
from hiql.plots.posterior import draw_mean_posterior, draw_posterior
from hiql.plots.regressions import draw_kernel, draw_psychometric, draw_weights, draw_weights_by_group
from hiql.plots.saving import save_figure
from hiql.plots.selection import draw_selection
from hiql.plots.style import PALETTE, intention_colour, new_figure, style
from hiql.plots.worlds import draw_world

__all__ = [
    "PALETTE",
    "draw_bars",
    "draw_curves",
    "draw_drift",
    "draw_grid",
    "draw_heatmap",
    "draw_kernel",
    "draw_leaving",
    "draw_maze",
    "draw_mean_posterior",
    "draw_plane",
    "draw_posterior",
    "draw_psychometric",
    "draw_selection",
    "draw_transition_matrix",
    "draw_weights",
    "draw_weights_by_group",
    "draw_world",
    "intention_colour",
    "intention_names",
    "new_figure",
    "overview_figure",
    "save_figure",
    "style",
]
