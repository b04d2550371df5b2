"""Baselines that explain each step by one of several policies."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hiql.data.trajectories import IntArray, Trajectories
from hiql.models.scoring import FloatArray, ScoredEstimator


class PolicyBaseline(ScoredEstimator):
    """An estimator that explains each step by one of P policies, known before the action is seen.

    ``fit`` of a subclass sets ``log_policy_`` (P, S, A) and ``n_free_``; ``_policy_of_step`` says which policy
    rules each step. All scores follow from these. Missing steps (state or action -1) are no evidence.
    """

    def _policy_of_step(self, data: Trajectories) -> IntArray:
        """(N,) which of the P policies rules each step."""
        return np.zeros(data.n_steps, dtype=np.int64)

    @property
    def policy_(self) -> FloatArray:
        """(P, S, A) π(a|s) of each policy."""
        check_is_fitted(self, "log_policy_")
        return np.exp(self.log_policy_)

    def _log_likelihood(self, data: Trajectories) -> float:
        """Σ_t log π_t(a_t|s_t) over observed steps."""
        seen = data.observed
        ruling = self._policy_of_step(data)[seen]
        return float(self.log_policy_[ruling, data.states[seen], data.actions[seen]].sum())

    def predict_action_proba(self, data: Trajectories) -> FloatArray:
        """(N, A) p(a_t | s_t). Uniform where the state is missing."""
        self._check_data(data)
        proba = np.full((data.n_steps, data.n_actions), 1.0 / data.n_actions)
        known = data.states >= 0
        proba[known] = np.exp(self.log_policy_[self._policy_of_step(data)[known], data.states[known]])
        return proba
