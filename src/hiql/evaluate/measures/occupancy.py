"""Where each intention was used."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]


def expected_visits(data: Trajectories, posterior: FloatArray) -> FloatArray:
    """(K, S) expected visits of each intention to each state, Σ_t p(z_t = i | session) 1[s_t = s].

    ``posterior`` is (N, K). Steps with an unknown state are left out.
    """
    known = data.states >= 0
    states = data.states[known]
    return np.stack([np.bincount(states, weight, minlength=data.n_states) for weight in posterior[known].T])


def expected_occupancy(model: IntentionModel, data: Trajectories) -> FloatArray:
    """(K, S) each intention's share of its expected visits, by the smoothed posterior; every row sums to 1.

    An intention that accounts for no step at all has been everywhere alike.
    """
    return shares(expected_visits(data, model.smooth_proba(data)))


def shares(weights: FloatArray) -> FloatArray:
    """(…, n) weights divided by their sum; uniform where all are 0."""
    total = weights.sum(axis=-1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / weights.shape[-1])
