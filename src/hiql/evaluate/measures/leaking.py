"""The score that the paper's authors report, which is no held-out likelihood."""

from __future__ import annotations

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.models.intention_model import IntentionModel


def leaking_score(model: IntentionModel, data: Trajectories) -> float:
    """What the authors report as log-likelihood: Σ_t log Σ_z p(z_t | whole session) π_z(a_t|s_t), in nats.

    The posterior of step t has already seen a_t, and the steps after it: it leans to the intention that takes a_t, and
    the sum comes out above the log-likelihood of the held-out data (``model.score``), which may use the past only. With
    one intention there is nothing to leak, and both are the same: so K = 1 and K = 2 are not compared alike.
    """
    seen = (data.states >= 0) & (data.actions >= 0)
    taken = model.policy_[:, data.states[seen], data.actions[seen]]
    return float(np.log((model.smooth_proba(data)[seen].T * taken).sum(axis=0)).sum())
