"""The likelihood of forgetting Q-learning as a function that can be climbed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from hiql.data.histories import latest_trial, trial_rewards
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.kernels.forgetting_q import forgetting_q
from hiql.models.scoring import FloatArray

RETENTION, REWARD, PERSEVERATION, BIAS = range(4)
"""Where each number stands in a point: logit ρ, β, α and b."""


class FQPass(NamedTuple):
    """The log-likelihood at a point, its gradient there, and the log-odds (N,) of choice 1 at every trial."""

    total: float
    gradient: FloatArray
    log_odds: FloatArray


class FQLikelihood:
    """log p(choices | ρ, β, α, b) of the data, as a function of a point (logit ρ, β, α[, b]).

    The log-odds of choice 1 are linear in β, α and b (:func:`~hiql.kernels.forgetting_q.forgetting_q`): given ρ
    this is a logistic regression, so that the likelihood is concave in all but one number. A point of length 3
    has b = 0.
    """

    def __init__(self, data: Trajectories) -> None:
        if data.n_actions != 2:
            remedy = "fQ-learning chooses between two; drop the other choices"
            raise InvalidParameter(parameter="n_actions of the data", value=data.n_actions, remedy=remedy)
        latest = latest_trial(data)
        sign = np.array([-1.0, 1.0, 0.0])  # of choices 0, 1 and -1, none
        self.offsets = data.offsets
        self.signs = sign[data.actions]
        self.last_signs = sign[latest.choice[data.states]]
        self.impulses = trial_rewards(data, latest) * self.signs

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """The log-likelihood at a point, and its gradient."""
        found = self.at(point)
        return found.total, found.gradient

    def at(self, point: FloatArray) -> FQPass:
        """One pass over all trials."""
        log_odds, gradient = np.empty(len(self.signs)), np.empty(4)
        retention = float(expit(point[RETENTION]))
        weights = np.zeros(3)
        weights[: len(point) - 1] = point[REWARD:]
        total = forgetting_q(
            self.offsets, self.signs, self.last_signs, self.impulses, retention, weights, log_odds, gradient
        )
        gradient[RETENTION] *= retention * (1.0 - retention)
        return FQPass(total, gradient[: len(point)], log_odds)
