"""How the charts of the report look: the colours and maps of :mod:`hiql.plots`, in plotly's terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from matplotlib.colors import Colormap, to_hex, to_rgb

from hiql.plots.style import FAINT, INK

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
GRID, BACKGROUND = "#E6E8EB", "rgba(0,0,0,0)"
UNVISITED = "#F4F4F5"
"""The ground of maps: what shows where an intention never was."""

_AXIS: dict[str, Any] = {
    "gridcolor": GRID,
    "linecolor": FAINT,
    "showline": True,
    "zeroline": False,
    "ticks": "outside",
    "tickcolor": FAINT,
    "ticklen": 4,
    "title": {"standoff": 8, "font": {"size": 13}},
    "tickfont": {"size": 12},
    "automargin": True,
    "fixedrange": True,
}
TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": FONT, "size": 13, "color": INK},
        "paper_bgcolor": BACKGROUND,
        "plot_bgcolor": BACKGROUND,
        "margin": {"l": 8, "r": 12, "t": 28, "b": 8},
        "hoverlabel": {"bgcolor": "white", "bordercolor": FAINT, "font": {"family": FONT, "size": 13, "color": INK}},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        "xaxis": {**_AXIS, "showgrid": False},
        "yaxis": _AXIS,
        "dragmode": False,
        "modebar": {"bgcolor": BACKGROUND, "color": FAINT, "activecolor": INK},
    }
)


def new_chart(*traces: Any, height: int = 300, **layout: Any) -> go.Figure:
    """A chart in the style of the report: as wide as its place on the page, ``height`` pixels high."""
    return go.Figure(list(traces), layout=go.Layout(template=TEMPLATE, height=height, **layout))


def colour_scale(colours: Colormap, n: int = 12) -> list[list[Any]]:
    """A matplotlib colormap as plotly writes one."""
    places = np.linspace(0.0, 1.0, n)
    return [[round(float(place), 4), to_hex(colours(place))] for place in places]


def faded(colour: str, opacity: float) -> str:
    """A colour that lets others shine through."""
    red, green, blue = (round(255 * part) for part in to_rgb(colour))
    return f"rgba({red},{green},{blue},{opacity})"


def whole_number_ticks(low: int, high: int) -> dict[str, Any]:
    """For an axis of whole numbers: one tick each, where there is room."""
    return {"tickmode": "linear", "dtick": 1} if high - low <= 12 else {"tickformat": "d"}
