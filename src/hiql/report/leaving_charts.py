"""Where animals switch: the probability of leaving an intention, on the map of the world or as a list of bars."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from hiql.evaluate.measures.leaving import Leaving
from hiql.plots.leaving import LABEL, listed
from hiql.plots.maze import NODE, shortest_corridor
from hiql.plots.style import FAINT, INK, UNSEEN, VALUE_MAP, intention_colour
from hiql.report.look import UNVISITED, colour_scale, new_chart
from hiql.report.maps import CELL, COLOURBAR, UNIT, cells_of_grid, framed, ground, laid_out, state_named
from hiql.report.markup import plotly_text
from hiql.report.shapes import polygons
from hiql.worlds.mdp import World


def leaving_map(found: Leaving, intention: int, world: World) -> go.Figure:
    """Places coloured by the probability of leaving an intention there; those met too rarely are left blank."""
    return (_on_maze if len(world.links) else _on_grid)(found, intention, world)


def _on_grid(found: Leaving, i: int, world: World) -> go.Figure:
    shown = np.where(found.known[:, i], found.probability[:, i], np.nan)
    scale = {"z": laid_out(world, shown), "colorscale": colour_scale(VALUE_MAP), "zmin": 0.0, "zmax": found.highest}
    cells = cells_of_grid(world, _hover_texts(found, i, world), **scale)
    cells.colorbar.title.text = LABEL
    blank = polygons(world.positions[~found.known[:, i], None] + CELL, UNVISITED)
    return framed(world, [blank, cells], {}, shaded=None, margin=0.6)


def _on_maze(found: Leaving, i: int, world: World) -> go.Figure:
    known, (x, y) = found.known[:, i], world.positions.T
    texts = np.array(_hover_texts(found, i, world), dtype=object)
    told: dict[str, Any] = {"mode": "markers", "hovertemplate": "%{text}<extra></extra>"}
    dots = go.Scatter(x=x[~known], y=y[~known], text=texts[~known], marker={"size": 4, "color": UNSEEN}, **told)
    marker = {
        "size": NODE * UNIT, "line": {"color": INK, "width": 0.7}, "color": found.probability[known, i],
        "colorscale": colour_scale(VALUE_MAP), "cmin": 0.0, "cmax": found.highest, **COLOURBAR,
    }  # fmt: skip
    nodes = go.Scatter(x=x[known], y=y[known], text=texts[known], marker=marker, **told)
    nodes.marker.colorbar.title.text = LABEL
    return framed(world, [*ground(world), dots, nodes], {}, shaded=None, margin=shortest_corridor(world))


def _hover_texts(found: Leaving, i: int, world: World) -> list[str]:
    """One a place: its name, the probability of leaving there, and how many steps it is known from."""
    places = {state: name for name, state in world.places.items()}
    rows = zip(found.labels, found.probability[:, i], found.steps[:, i], found.known[:, i], strict=True)
    return [
        f"<b>{state_named(label, places.get(m))}</b><br>"
        + (f"left with probability {p:.3f}<br>{steps:,.0f} steps there" if known else f"too few steps: {steps:.1f}")
        for m, (label, p, steps, known) in enumerate(rows)
    ]


def leaving_bars(found: Leaving, intention: int) -> go.Figure:
    """One bar a context, those with the most departures, beside a dotted line at the average."""
    rows, at = listed(found, intention), f"{plotly_text(found.context)} "
    bars = go.Bar(
        x=found.probability[rows, intention], y=np.arange(len(rows)), orientation="h", width=0.7,
        customdata=found.steps[rows, intention], text=[plotly_text(found.labels[m]) for m in rows], textposition="none",
        marker_color=intention_colour(intention),
        hovertemplate=at + "%{text}: left with probability %{x:.3f}, %{customdata:,.0f} steps<extra></extra>",
    )  # fmt: skip
    figure = new_chart(bars, height=90 + 24 * max(len(rows), 3), xaxis_title=LABEL, yaxis_title=found.context)
    figure.add_vline(x=float(found.average[intention]), line={"color": FAINT, "dash": "dot", "width": 1.5})
    figure.update_xaxes(range=[0, 1.05 * max(found.highest, float(found.average.max()))])
    labels = [plotly_text(found.labels[m]) for m in rows]
    return figure.update_yaxes(
        tickvals=np.arange(len(rows)), ticktext=labels, range=[len(rows) - 0.4, -0.6], showgrid=False, ticks=""
    )
