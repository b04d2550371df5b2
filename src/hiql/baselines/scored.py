"""The door every baseline is scored through: the same names, units and meaning as for the models."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hiql.data.trajectories import IntArray, Trajectories
from hiql.errors import DataDoesNotFitModel, InvalidParameter

FloatArray = npt.NDArray[np.float64]


class Scored(Protocol):
    """What baselines and models have in common: fit, then say how likely observed actions were."""

    n_free_: int

    def fit(self, data: Trajectories) -> Self: ...
    def score(self, data: Trajectories, *, per: str | None = None) -> float: ...
    def predict_action_proba(self, data: Trajectories) -> FloatArray: ...
    def bic(self, data: Trajectories) -> float: ...
    def aic(self, data: Trajectories) -> float: ...


class PolicyBaseline(BaseEstimator):
    """An estimator that explains each step by one of P policies, known before the action is seen.

    ``fit`` of a subclass sets ``log_policy_`` (P, S, A) and ``n_free_``; ``_policy_of_step`` says which policy
    rules each step. All scores follow from these. Missing steps (state or action -1) are no evidence.
    """

    log_policy_: FloatArray
    n_free_: int

    def _policy_of_step(self, data: Trajectories) -> IntArray:
        """(N,) which of the P policies rules each step."""
        return np.zeros(data.n_steps, dtype=np.int64)

    @property
    def policy_(self) -> FloatArray:
        """(P, S, A) π(a|s) of each policy."""
        check_is_fitted(self, "log_policy_")
        return np.exp(self.log_policy_)

    def score(self, data: Trajectories, y: object = None, *, per: str | None = None) -> float:  # noqa: ARG002
        """Log-likelihood Σ_t log π_t(a_t|s_t) in nats: total, or per observed "step" or "session"."""
        divisors = {None: 1, "step": data.n_observed, "session": data.n_sessions}
        if per not in divisors:
            raise InvalidParameter(parameter="per", value=per, remedy="choose None, 'step' or 'session'")
        self._check_data(data)
        seen = (data.states >= 0) & (data.actions >= 0)
        ruling = self._policy_of_step(data)[seen]
        total = self.log_policy_[ruling, data.states[seen], data.actions[seen]].sum()
        return float(total) / max(divisors[per], 1)

    def predict_action_proba(self, data: Trajectories) -> FloatArray:
        """(N, A) p(a_t | s_t). Uniform where the state is missing."""
        self._check_data(data)
        proba = np.full((data.n_steps, data.n_actions), 1.0 / data.n_actions)
        known = data.states >= 0
        proba[known] = np.exp(self.log_policy_[self._policy_of_step(data)[known], data.states[known]])
        return proba

    def bic(self, data: Trajectories) -> float:
        """Bayesian information criterion −2 log L + n_free log N; lower is better. See ``n_free_``."""
        return -2.0 * self.score(data) + self.n_free_ * np.log(data.n_observed)

    def aic(self, data: Trajectories) -> float:
        """Akaike information criterion −2 log L + 2 n_free; lower is better."""
        return -2.0 * self.score(data) + 2.0 * self.n_free_

    def _check_data(self, data: Trajectories) -> None:
        check_is_fitted(self, "log_policy_")
        check_sizes(data, *self.log_policy_.shape[1:])


def check_sizes(data: Trajectories, n_states: int, n_actions: int) -> None:
    """Raise unless the data have these numbers of states and actions."""
    for field, size in (("n_states", n_states), ("n_actions", n_actions)):
        if getattr(data, field) != size:
            raise DataDoesNotFitModel(field=field, data=getattr(data, field), model=size)


def log_odds_seen(counts: Any) -> int:
    """How many log-odds between actions the counts (…, S, A) can tell: observed pairs − observed states."""
    seen = np.asarray(counts) > 0
    return int(seen.sum() - seen.any(axis=-1).sum())
