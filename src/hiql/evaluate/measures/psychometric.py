r"""Psychometric curves: what each intention does as one input changes, beside what was done.

For intention i, input d and a value x,

.. math:: p_i(a \mid x) = \frac{\sum_t \gamma_t(i)\, \pi_i(a \mid u_t \text{ with } u_{td} = x)}{\sum_t \gamma_t(i)},

γ being p(z_t = i | session): all else stays as it was at the steps of the intention (a partial dependence). The points
are shares of actions at the steps where the input was near x, with the same weights; so where inputs go together with
others, points may lie off the curve of a true model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.matching import input_columns
from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.accuracy import weighted_mean
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]
N_POINTS = 33
"""Places at which a curve is computed."""
N_BINS = 9
"""Points of an input with many values: so many groups with equal numbers of steps."""
FEW_VALUES = 15
"""An input with at most so many values has a point at each."""
ENOUGH = 300
"""Steps, evenly spread, over which all other inputs are averaged."""


class PsychometricCurves(NamedTuple):
    """Curves ``proba`` (K, G, A) at values ``x`` (G,) of the input ``name``; points ``share`` (K, B, A) at ``at`` (B,).

    ``error`` (K, B, A) is the standard error of a point; NaN, like the share, where an intention has no steps.
    """

    name: str
    x: FloatArray
    proba: FloatArray
    at: FloatArray
    share: FloatArray
    error: FloatArray


def psychometric_curves(
    model: IntentionModel, data: Trajectories, name: str, smoothed: FloatArray | None = None
) -> PsychometricCurves:
    """The curves of all intentions over the range of one input in the data; ``smoothed`` (N, K) if it is known."""
    (column,) = input_columns((name,), data.input_names)
    posterior = model.smooth_proba(data) if smoothed is None else smoothed
    steps = np.flatnonzero(data.observed & np.isfinite(data.inputs[:, column]))
    values = data.inputs[steps, column]
    x = np.linspace(values.min(), values.max(), N_POINTS)
    curve = curves_alone(model, data, name, posterior)
    return PsychometricCurves(name, x, curve, *_points(data, steps, values, posterior[steps]))


def curves_alone(model: IntentionModel, data: Trajectories, name: str, smoothed: FloatArray) -> FloatArray:
    """(K, G, A) the curves at G values between the lowest and the highest."""
    (column,) = input_columns((name,), data.input_names)
    steps = np.flatnonzero(data.observed & np.isfinite(data.inputs[:, column]))
    values = data.inputs[steps, column]
    some = steps[:: max(1, len(steps) // ENOUGH)]
    x = np.linspace(values.min(), values.max(), N_POINTS)
    return np.stack([_at(model, data, some, column, value, smoothed[some]) for value in x], axis=1)


def _at(
    model: IntentionModel,
    data: Trajectories,
    steps: npt.NDArray[np.intp],
    column: int,
    value: float,
    weights: FloatArray,
) -> FloatArray:
    """(K, A) the mean policy at these steps, had the input had this value there."""
    inputs = np.array(data.inputs)
    inputs[steps, column] = value
    policy = model.policy_at(replace(data, inputs=inputs), steps)
    return np.einsum("nk,nka->ka", weights / np.maximum(weights.sum(axis=0), 1e-300), policy)


def _points(
    data: Trajectories, steps: npt.NDArray[np.intp], values: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Where the points lie, the shares of actions there, and their errors."""
    bins = bins_of(values)
    done = data.actions[steps][:, None] == np.arange(data.n_actions)
    at, share, error = [], [], []
    for group in range(bins.max() + 1):
        here = bins == group
        at.append(values[here].mean())
        means = [weighted_mean(done[here, a, None].astype(np.float64), weights[here]) for a in range(data.n_actions)]
        share.append(np.stack([mean for mean, _ in means], axis=1))
        error.append(np.stack([its for _, its in means], axis=1))
    return np.array(at), np.stack(share, axis=1), np.stack(error, axis=1)


def bins_of(values: FloatArray, n_bins: int = N_BINS) -> npt.NDArray[np.intp]:
    """(n,) which point each value belongs to: its own if there are few values, else groups of about equal size."""
    different, codes = np.unique(values, return_inverse=True)
    if len(different) <= FEW_VALUES:
        return codes
    edges = np.unique(np.quantile(values, np.linspace(0.0, 1.0, n_bins + 1)[1:-1]))
    return np.unique(np.searchsorted(edges, values, side="right"), return_inverse=True)[1]
