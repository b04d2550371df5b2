"""What intentions do in each state, whatever else their choices depend on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]


def policy_by_state(model: IntentionModel, data: Trajectories, smoothed: FloatArray) -> FloatArray:
    """(K, S, A) the model's policies, or, where choices also depend on inputs, their average over the data.

    The average of intention i in state s is over the steps there, each weighted by p(z_t = i | session), ``smoothed``
    (N, K); uniform where it never was.
    """
    if hasattr(model, "policy_"):
        return np.asarray(model.policy_)
    known = np.flatnonzero(data.states >= 0)
    weighted = model.policy_at(data, known) * smoothed[known, :, None]
    total = np.zeros((data.n_states, *weighted.shape[1:]))
    np.add.at(total, data.states[known], weighted)
    there = total.sum(axis=2, keepdims=True)
    mean = np.divide(total, there, out=np.full_like(total, 1.0 / data.n_actions), where=there > 0)
    return mean.transpose(1, 0, 2)
