"""What drives choices, as charts: weights, psychometric curves, the weight of the past."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from hiql.evaluate.measures.effects import Drives, Effects
from hiql.evaluate.measures.psychometric import PsychometricCurves
from hiql.plots.labels import FloatArray
from hiql.plots.style import FAINT, PALETTE, intention_colour
from hiql.report.look import faded, new_chart
from hiql.report.markup import plotly_text

BIAS = "bias"
BAR = 26
"""Height of a bar, in pixels."""
LEGEND = 18
"""Height of a line of the legend above narrow charts."""


HOVER = (
    "%{y}: %{x:.2f} (%{customdata[0]:.2f} to %{customdata[1]:.2f}) for 1 s.d., %{customdata[2]:.3g} for 1 unit"
    "<extra></extra>"
)


def _whisker(above: FloatArray, below: FloatArray | None = None) -> dict[str, Any]:
    lower = {} if below is None else {"symmetric": False, "arrayminus": below}
    return {"type": "data", "array": above, "thickness": 1.2, "width": 3, "color": FAINT, **lower}


def weights_chart(
    effects: Effects, intention: int, weights: FloatArray, whiskers: FloatArray, limit: float
) -> go.Figure:
    """Bars with whiskers: log-odds for one standard deviation of each input; the hover text has the user's units.

    ``weights`` (A, D + 1) of this intention; ``whiskers`` (2, C, D + 1) reach below and above; ``limit``, where the
    axis ends, is the same for all intentions.
    """
    names = [plotly_text(name) for name in (*effects.names, BIAS)]
    bars = []
    for c, contrast in enumerate(effects.contrasts):
        colour = intention_colour(intention) if len(effects.contrasts) == 1 else PALETTE[c % len(PALETTE)]
        own = weights[1] - weights[0] if len(effects.contrasts) == 1 else weights[c]
        bars.append(
            go.Bar(
                y=names, x=effects.size[intention, c], orientation="h", marker_color=colour, name=plotly_text(contrast),
                error_x=_whisker(whiskers[1, c], whiskers[0, c]),
                customdata=np.column_stack([*(effects.size[intention, c] + [[-1], [1]] * whiskers[:, c]), own]),
                hovertemplate=HOVER,
            )
        )  # fmt: skip
    several = len(bars) > 1
    title = "log-odds for 1 s.d." if several else f"log-odds of {plotly_text(effects.contrasts[0])} for 1 s.d."
    figure = new_chart(
        *bars,
        height=110 + BAR * len(names) * (1 if not several else max(1, len(bars) // 2)),
        showlegend=several,
        barmode="group",
    )
    figure.update_xaxes(range=[-limit, limit], title=title, zeroline=True, zerolinecolor=FAINT)
    return figure.update_yaxes(autorange="reversed", showline=False, ticks="")


def drives_chart(drives: Drives, origin: int, names: Sequence[str]) -> go.Figure:
    """Bars with errors: what each input adds to the log-odds of the next intention, out of this one."""
    several = drives.size.shape[1] > 1
    size, error = drives.size[origin], np.nan_to_num(drives.error[origin])
    limit = 1.05 * float((np.abs(drives.size) + np.nan_to_num(drives.error)).max(initial=1e-3))
    inputs = [plotly_text(name) for name in drives.names]
    bars = [
        go.Bar(
            y=inputs, x=size[j], orientation="h", error_x=_whisker(error[j]),
            marker_color=intention_colour(j if several else 1), name=plotly_text(names[j if several else 1]),
            customdata=error[j], hovertemplate="%{y}: %{x:.2f} ± %{customdata:.2f}<extra></extra>",
        )
        for j in range(drives.size.shape[1])
    ]  # fmt: skip
    title = "log-odds for 1 s.d." if several else f"log-odds of {plotly_text(names[1])} for 1 s.d."
    height = 110 + BAR * len(inputs) * len(bars) + (LEGEND * len(bars) if several else 0)
    figure = new_chart(*bars, height=height, showlegend=several, barmode="group")
    figure.update_xaxes(range=[-limit, limit], title=title, zeroline=True, zerolinecolor=FAINT)
    return figure.update_yaxes(autorange="reversed", showline=False, ticks="")


def psychometric_chart(
    curves: PsychometricCurves, action: int, label: str, names: Sequence[str], bounds: FloatArray | None = None
) -> go.Figure:
    """Curves of all intentions over one input, shaded between ``bounds`` (2, K, G, A), and the data's points with their
    errors."""
    traces = []
    for i, name in enumerate(names):
        colour, text = intention_colour(i), plotly_text(name)
        if bounds is not None:
            around = np.concatenate([bounds[0, i, :, action], bounds[1, i, ::-1, action]])
            traces.append(
                go.Scatter(
                    x=np.concatenate([curves.x, curves.x[::-1]]), y=around, fill="toself", line_width=0, mode="lines",
                    fillcolor=faded(colour, 0.18), hoverinfo="skip", legendgroup=text, showlegend=False,
                )
            )  # fmt: skip
        line = go.Scatter(
            x=curves.x, y=curves.proba[i, :, action], mode="lines", line_color=colour, name=text, legendgroup=text
        )
        points = go.Scatter(
            x=curves.at, y=curves.share[i, :, action], mode="markers", marker={"color": colour, "size": 6}, name=text,
            error_y=_whisker(curves.error[i, :, action]),
            legendgroup=text, showlegend=False,
        )  # fmt: skip
        traces += [line, points]
    figure = new_chart(
        *traces, height=320, xaxis_title=plotly_text(curves.name), yaxis_title=f"p({plotly_text(label)})"
    )
    return figure.update_yaxes(range=[-0.03, 1.03])


def kernel_chart(kernel: FloatArray, names: Sequence[str]) -> go.Figure:
    """How much a choice 1, 2, … steps ago adds to the log-odds of choosing the same."""
    lags = np.arange(1, kernel.shape[1] + 1)
    lines = [
        go.Scatter(x=lags, y=row, mode="lines+markers", line_color=intention_colour(i), name=plotly_text(name))
        for i, (name, row) in enumerate(zip(names, kernel, strict=True))
    ]
    figure = new_chart(*lines, height=300, xaxis_title="steps ago", yaxis_title="log-odds of the same choice")
    return figure.update_yaxes(zeroline=True, zerolinecolor=FAINT)
