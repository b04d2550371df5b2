"""Where each intention was used."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]


def expected_occupancy(model: IntentionModel, data: Trajectories) -> FloatArray:
    """(K, S) each intention's share of expected visits, Σ_t p(z_t = i | session) 1[s_t = s]; every row sums to 1.

    The posterior is the smoothed one. Steps with an unknown state are left out; an intention that accounts for no
    step at all has been everywhere alike.
    """
    known = data.states >= 0
    posterior = model.smooth_proba(data)[known]
    visits = np.zeros((data.n_states, model.n_intentions))
    np.add.at(visits, data.states[known], posterior)
    return shares(visits.T)


def shares(weights: FloatArray) -> FloatArray:
    """(…, n) weights divided by their sum; uniform where all are 0."""
    total = weights.sum(axis=-1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / weights.shape[-1])
