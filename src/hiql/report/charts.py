"""Charts about the data and the chain of intentions. Pure functions: numbers in, a plotly figure out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from hiql.data.trajectories import Trajectories
from hiql.engine.search import Restarts
from hiql.evaluate.measures.calibration import Calibration
from hiql.evaluate.measures.courses import Course, mean_course
from hiql.evaluate.words.lasting import Lasting
from hiql.plots.labels import FloatArray
from hiql.plots.style import FAINT, INK, PALETTE, PROBABILITY_MAP, intention_colour
from hiql.report.look import colour_scale, faded, new_chart, whole_number_ticks
from hiql.report.markup import plotly_text

MOST_POINTS = 1000
"""A line has at most this many points; longer courses show every n-th step."""
MOST_MEANS = 400
"""A mean course has at most this many points; longer ones show means over several steps."""
FEW_SESSIONS = 5
"""Where fewer sessions still run, a mean over them is drawn dotted."""


def session_lengths(data: Trajectories) -> go.Figure:
    """How many sessions have how many steps."""
    low, high = int(data.lengths.min()), int(data.lengths.max())
    most_bars = min(40, max(10, 2 * np.sqrt(data.n_sessions)))
    width = max(1, int(np.ceil((high - low + 1) / most_bars)))
    edges = np.arange(low, high + width + 1, width)
    counts, _ = np.histogram(data.lengths, edges)
    ranges = [f"{a}" if width == 1 else f"{a}–{b - 1}" for a, b in pairwise(edges)]
    bars = go.Bar(
        x=edges[:-1] + (width - 1) / 2, y=counts, width=width * 0.9, customdata=ranges, marker_color=PALETTE[0],
        hovertemplate="%{customdata} steps: %{y} sessions<extra></extra>",
    )  # fmt: skip
    return new_chart(bars, height=260, xaxis_title="steps in a session", yaxis_title="sessions", bargap=0)


def steps_per_subject(data: Trajectories) -> go.Figure:
    """Decisions of each subject, in order of appearance."""
    subjects = list(dict.fromkeys(data.subjects))
    owner = np.array([subjects.index(name) for name in data.subjects])
    steps, sessions = np.bincount(owner, data.lengths), np.bincount(owner)
    bars = go.Bar(
        x=np.arange(len(subjects)), y=steps, customdata=sessions, marker_color=PALETTE[0],
        hovertext=[plotly_text(name) for name in subjects],
        hovertemplate="%{hovertext}: %{y} steps in %{customdata} sessions<extra></extra>",
    )  # fmt: skip
    every = int(np.ceil(len(subjects) / 30))
    ticks = range(0, len(subjects), every)
    figure = new_chart(bars, height=260, xaxis_title="subject", yaxis_title="steps", bargap=0.3)
    return figure.update_xaxes(tickvals=list(ticks), ticktext=[_short(subjects[i]) for i in ticks])


def transition_matrix(transition: npt.ArrayLike, names: Sequence[str], bounds: FloatArray | None = None) -> go.Figure:
    """The probability of each intention (column) given the one before (row), with numbers, and ``bounds`` (2, K, K)."""
    matrix = np.asarray(transition, dtype=np.float64)
    places = np.arange(len(matrix))
    texts = [_coloured(i, name) for i, name in enumerate(names)]
    below = [_coloured(i, name, 14) for i, name in enumerate(names)]
    cells = go.Heatmap(
        z=matrix, x=places, y=places, zmin=0, zmax=1, colorscale=colour_scale(PROBABILITY_MAP), showscale=False,
        xgap=3, ygap=3, texttemplate="%{text}", text=_with_bounds(matrix, bounds), customdata=_pairs(names),
        hovertemplate="from %{customdata[0]} to %{customdata[1]}: %{z:.4f}<extra></extra>",
    )  # fmt: skip
    figure = new_chart(cells, height=max(260, 90 + 70 * len(matrix)), xaxis_title="to", yaxis_title="from")
    figure.update_xaxes(
        tickvals=places, ticktext=below, showline=False, ticks="", tickangle=0 if len(names) < 4 else 30
    )
    return figure.update_yaxes(
        tickvals=places, ticktext=texts, showline=False, ticks="", autorange="reversed", showgrid=False
    )


def dwell_times(found: Sequence[Lasting], names: Sequence[str]) -> go.Figure:
    """The share of runs that last at least so many steps: of paths drawn from the posterior (lines), and of those that
    the clock makes in the same sessions (dotted, and the range of 95 % of simulations)."""
    figure = new_chart(xaxis_title="lasting at least … steps", yaxis_title="share of runs")
    longest = max(max(int(np.sum(one.drawn > 0.01)), int(np.sum(one.simulated > 0.01)), 1) for one in found)
    for i, one in enumerate(found):
        steps = _thinned(min(longest + 1, len(one.low)))
        band = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
        figure.add_scatter(x=steps + 1, y=one.high[steps], **band)
        shade = faded(intention_colour(i), 0.15)
        figure.add_scatter(x=steps + 1, y=one.low[steps], fill="tonexty", fillcolor=shade, **band)
    for i, (one, name) in enumerate(zip(found, names, strict=True)):
        steps, colour = _thinned(min(longest + 1, len(one.drawn))), intention_colour(i)
        figure.add_scatter(
            x=steps + 1, y=one.drawn[steps], line={"color": colour, "width": 2}, mode="lines", name=_short(name),
            hovertemplate="%{y:.1%} last ≥ %{x} steps<extra>%{fullData.name}</extra>",
        )  # fmt: skip
        figure.add_scatter(
            x=steps + 1, y=one.simulated[steps], line={"color": colour, "dash": "dot", "width": 1.5}, mode="lines",
            name=f"{_short(name)}, simulated", showlegend=False,
            hovertemplate="%{y:.1%} of simulated ones last ≥ %{x} steps<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    figure.update_xaxes(range=[0.9, longest + 1.1], **whole_number_ticks(0, longest))
    figure.update_layout(legend_traceorder="normal")
    return figure.update_yaxes(range=[0, 1.03], tickformat=".0%")


def mean_posterior(data: Trajectories, posterior: FloatArray, names: Sequence[str]) -> go.Figure:
    """Mean ± standard error of the intention probabilities (N, K) over the sessions still running at each step."""
    course, every = _coarse(mean_course(data, posterior))
    at = np.arange(len(course.mean)) * every + (every - 1) / 2
    enough = int(np.sum(course.n >= min(FEW_SESSIONS, data.n_sessions)))  # the number running only ever falls
    means = "" if every == 1 else f", means of {every} steps"
    figure = new_chart(xaxis_title=f"step of the session{means}", yaxis_title="mean probability")
    solid, rest = np.arange(enough), np.arange(max(enough - 1, 0), len(at))
    for i, name in enumerate(names):
        mean, error = course.mean[:, i], np.nan_to_num(course.error[:, i])
        colour = intention_colour(i)
        figure.add_scatter(
            x=at[np.concatenate([solid, solid[::-1]])],
            y=np.concatenate([(mean - error)[solid], (mean + error)[solid[::-1]]]),
            fill="toself", fillcolor=faded(colour, 0.18), line_width=0, mode="lines", hoverinfo="skip",
            showlegend=False,
        )  # fmt: skip
        figure.add_scatter(
            x=at[solid], y=mean[solid], name=_short(name), line={"color": colour, "width": 2}, mode="lines",
            customdata=np.stack([error[solid], course.n[solid]], axis=1),
            hovertemplate="step %{x}: %{y:.3f} ± %{customdata[0]:.3f}, %{customdata[1]} sessions"
            "<extra>%{fullData.name}</extra>",
        )  # fmt: skip
        if len(rest) > 1:
            line = {"color": colour, "width": 1.2, "dash": "dot"}
            figure.add_scatter(x=at[rest], y=mean[rest], line=line, mode="lines", hoverinfo="skip", showlegend=False)
    figure.update_xaxes(range=[at[0] - 0.02 * at[-1] - 0.02, 1.02 * at[-1] + 0.02])
    return figure.update_yaxes(range=[-0.02, 1.03])


def calibrated(found: Calibration) -> go.Figure:
    """How often actions were taken (dots, with two standard errors), by the probability predicted for them."""
    figure = new_chart(height=300, xaxis_title="predicted probability", yaxis_title="share taken")
    line = {"color": FAINT, "dash": "dot", "width": 1.5}
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=line, hoverinfo="skip", showlegend=False)
    bars = {"type": "data", "array": 2 * found.error, "thickness": 1.2, "width": 3}
    figure.add_scatter(
        x=found.predicted, y=found.taken, mode="markers", error_y=bars, customdata=found.n, showlegend=False,
        marker={"color": PALETTE[0], "size": 8},
        hovertemplate="predicted %{x:.1%}, taken %{y:.1%} (%{customdata:,} actions)<extra></extra>",
    )  # fmt: skip
    figure.update_xaxes(range=[-0.03, 1.03], tickformat=".0%")
    return figure.update_yaxes(range=[-0.03, 1.03], tickformat=".0%")


def restart_objectives(restarts: Restarts) -> go.Figure:
    """How far below the best objective every attempt of the search ended, in the order they were made."""
    below = restarts.best - restarts.objectives
    figure = new_chart(height=280, xaxis_title="attempt", yaxis_title="nats below the best")
    kinds = dict.fromkeys(attempt.kind for attempt in restarts.attempts)
    symbols = ("circle", "diamond", "square", "triangle-up", "cross")
    for i, kind in enumerate(kinds):
        at = np.array([k for k, attempt in enumerate(restarts.attempts) if attempt.kind == kind])
        passes = [restarts.attempts[k].n_passes for k in at]
        marker = {"color": PALETTE[i % len(PALETTE)], "size": 9, "symbol": symbols[i % len(symbols)]}
        figure.add_scatter(
            x=at + 1, y=below[at], mode="markers", name=kind, marker=marker, customdata=passes, showlegend=True,
            cliponaxis=False,
            hovertemplate="attempt %{x}: %{y:.2f} nats below the best after %{customdata} passes"
            "<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    figure.add_hline(y=0, line={"color": INK, "width": 1})
    reach = max(float(below.max()), 1e-3)
    figure.update_yaxes(range=[1.08 * reach, -0.06 * reach])
    return figure.update_xaxes(range=[0.3, len(below) + 0.7], tickformat="d")


def _coarse(course: Course) -> tuple[Course, int]:
    """A course with at most MOST_MEANS rows, each the mean over ``every`` steps, and that number."""
    every = int(np.ceil(len(course.n) / MOST_MEANS))
    starts = np.arange(0, len(course.n), every)
    counts = np.diff(starts, append=len(course.n))
    mean, error, n = ((np.add.reduceat(column, starts, axis=0).T / counts).T for column in course)
    return Course(mean, error, np.rint(n).astype(np.int64)), every


def _thinned(n: int) -> npt.NDArray[np.int64]:
    """Indices 0…n-1, or every so manieth of them where there are too many to draw."""
    return np.arange(0, n, max(1, int(np.ceil(n / MOST_POINTS))))


def _coloured(intention: int, name: str, most: int = 24) -> str:
    return f'<span style="color:{intention_colour(intention)}">{_short(name, most)}</span>'


def _with_bounds(matrix: FloatArray, bounds: FloatArray | None) -> list[list[str]]:
    """Numbers for cells, and below each what it may be, if that is known."""
    if bounds is None:
        return [[f"{p:.3f}" for p in row] for row in matrix]
    cells = np.stack([matrix, *bounds], axis=-1)
    return [[f"{p:.3f}<br>{low:.2f} – {high:.2f}" for p, low, high in row] for row in cells]


def _pairs(names: Sequence[str]) -> list[list[list[str]]]:
    return [[[plotly_text(a), plotly_text(b)] for b in names] for a in names]


def _short(text: object, most: int = 24) -> str:
    """A label that leaves room for the chart."""
    words = str(text)
    return plotly_text(words if len(words) <= most else words[: most - 1] + "…")
