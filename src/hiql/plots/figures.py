"""Whole figures, composed of the drawings of this package. They ask a fitted model, and never fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure, SubFigure

from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.effects import effects
from hiql.evaluate.measures.occupancy import expected_visits
from hiql.models import IntentionModel
from hiql.plots.labels import FloatArray, IntArray, named, shaped
from hiql.plots.matrices import draw_transition_matrix
from hiql.plots.posterior import draw_mean_posterior, draw_posterior
from hiql.plots.regressions import draw_weights
from hiql.plots.style import intention_colour, new_figure, style
from hiql.plots.worlds import draw_world
from hiql.worlds.mdp import MDP

FEW_VISITS = 0.5
"""States with fewer expected visits under an intention count as unvisited: its policy there is a guess."""
N_SESSIONS = 3
"""How many sessions an overview shows unless told which."""


def overview_figure(
    model: IntentionModel,
    data: Trajectories,
    world: MDP | None = None,
    names: Sequence[str] | None = None,
    true: npt.ArrayLike | None = None,
    sessions: Sequence[int] | None = None,
    *,
    marks: Mapping[str, Sequence[int]] | None = None,
) -> Figure:
    """A fitted model at a glance: when each intention ruled, how they follow one another, what each wants.

    Parameters
    ----------
    data : what to look at; not necessarily what the model was fitted to
    world : where to draw the intentions; without one (model-free fits), their policies become tables
    names : K names of intentions
    true : (N,) the true intention of each step, numbered as the model's, where a simulation knows it
    sessions : indices of the sessions shown; the first three by default
    marks : passed on to :func:`draw_world`
    """
    texts = named(names, model.n_intentions_)
    posterior = model.smooth_proba(data)
    shown = range(min(N_SESSIONS, data.n_sessions)) if sessions is None else sessions
    heights = (max(3.6, 0.6 + 1.15 * len(shown)), 3.2)
    with style():
        figure = new_figure(max(8.0, 3.2 * model.n_intentions_), sum(heights))
        top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=heights, hspace=0.05)[:, 0]
        left, right = top.subfigures(1, 2, squeeze=False, width_ratios=(1.6, 1.0), wspace=0.05)[0]
        _draw_sessions(left, data, shown, posterior, model.decode(data), true, texts)
        course, matrix = right.subplots(2, 1)
        draw_mean_posterior(course, data, posterior, texts, legend=False)
        draw_transition_matrix(matrix, model.transition_, texts)
        _draw_intentions(bottom, model, data, posterior, world, texts, marks)
    return figure


def _draw_sessions(
    figure: SubFigure,
    data: Trajectories,
    shown: Sequence[int],
    posterior: FloatArray,
    decoded: IntArray,
    true: npt.ArrayLike | None,
    names: Sequence[str],
) -> None:
    """One row a session, under one legend."""
    truth = None if true is None else shaped("true", true, data.n_steps)
    rows = figure.subplots(len(shown), 1, squeeze=False)[:, 0]
    for ax, session in zip(rows, shown, strict=True):
        steps = data.session(session)
        known = None if truth is None else truth[steps]
        draw_posterior(ax, posterior[steps], names, decoded[steps], known, legend=False)
        ax.set_xlabel("step" if ax is rows[-1] else "")
        ax.set_title(f"session {data.session_names[session]}", loc="left", size="medium")
    figure.legend(*rows[0].get_legend_handles_labels(), loc="outside upper left", ncols=min(len(names), 4))


def _draw_intentions(
    figure: SubFigure,
    model: IntentionModel,
    data: Trajectories,
    posterior: FloatArray,
    world: MDP | None,
    names: Sequence[str],
    marks: Mapping[str, Sequence[int]] | None,
) -> None:
    """One map, table or set of weights an intention, titled with its name."""
    axes = figure.subplots(1, model.n_intentions_, squeeze=False)[0]
    if hasattr(model, "weights_"):
        found = effects(model, data)
        for i, ax in enumerate(axes):
            draw_weights(ax, found, i)
    else:
        _draw_policies(axes, model, data, expected_visits(data, posterior), world, marks)
    for i, ax in enumerate(axes):
        ax.set_title(names[i], color=intention_colour(i))


def _draw_policies(
    axes: npt.NDArray[Any],
    model: IntentionModel,
    data: Trajectories,
    expected: FloatArray,
    world: MDP | None,
    marks: Mapping[str, Sequence[int]] | None,
) -> None:
    """One map (or table) an intention; without rewards a map has no values to be coloured by."""
    values = getattr(model, "value_", np.zeros(expected.shape))
    for i, ax in enumerate(axes):
        visits = np.where(expected[i] < FEW_VISITS, 0, expected.sum(axis=0))
        draw_world(
            ax, world, values[i], model.policy_[i], visits=visits, marks=marks,
            state_labels=data.state_labels, action_labels=data.action_labels,
        )  # fmt: skip
