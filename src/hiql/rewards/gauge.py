"""Rewards are known up to a potential: r(s,a) + f(s) − γ Σ_s' P(s,a,s') f(s') explains behaviour as well as r."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hiql.parts.part import FloatArray
from hiql.rewards.iavi import KnownTransitions


def zero_mean_gauge(reward: npt.ArrayLike, transitions: KnownTransitions) -> FloatArray:
    """(…, S, A) the equivalent reward whose (anchored) mean over actions is 0 in every state: the one IAVI returns.

    Two rewards differ only by a potential exactly when this makes them equal.
    """
    reward = np.asarray(reward, dtype=np.float64)
    potential = transitions.resolvent.solve(-(transitions.anchor * reward).sum(axis=-1).T).T
    return reward + potential[..., None] - transitions.discount * transitions.expect(potential)
