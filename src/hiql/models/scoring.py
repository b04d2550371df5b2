"""The door every explanation of behaviour is scored through: the same names, units and meaning for all of them."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hiql.data.sizes import check_sizes, check_trajectories
from hiql.data.trajectories import Trajectories
from hiql.errors import ImpossibleSession, InvalidParameter

FloatArray = npt.NDArray[np.float64]


class Predicting(Protocol):
    """Whatever says how likely each action is, given the steps before."""

    def predict_action_proba(self, data: Trajectories) -> FloatArray:
        """(N, A) p(a_t | s_t and steps before t): causal."""
        ...


class Scored(Predicting, Protocol):
    """What models and baselines have in common: fit, then say how likely observed actions were."""

    n_free_: int

    def fit(self, data: Trajectories) -> Self:
        """Fit to the data; returns itself."""
        ...

    def score(self, data: Trajectories, *, per: str | None = None) -> float:
        """Log-likelihood of the data in nats: total, or per observed "step" or "session"."""
        ...

    def bic(self, data: Trajectories) -> float:
        """Bayesian information criterion; lower is better."""
        ...

    def aic(self, data: Trajectories) -> float:
        """Akaike information criterion; lower is better."""
        ...


class ScoredEstimator(BaseEstimator, ABC):
    """Scores from a log-likelihood. A fitted subclass has ``log_policy_`` (…, S, A) and ``n_free_``."""

    log_policy_: FloatArray
    n_free_: int

    @abstractmethod
    def _log_likelihood(self, data: Trajectories) -> float:
        """Total log-likelihood of data whose sizes have been checked."""

    def score(self, data: Trajectories, y: object = None, *, per: str | None = None) -> float:  # noqa: ARG002
        """Log-likelihood of the data in nats: total, or per observed "step" or "session".

        It is −inf, with a warning that says where, if the model rules out what was done.
        """
        self._check_data(data)
        divisors = {None: 1, "step": data.n_observed, "session": data.n_sessions}
        if per not in divisors:
            raise InvalidParameter(parameter="per", value=per, remedy="choose None, 'step' or 'session'")
        total = self._log_likelihood(data)
        if total == -np.inf:
            warn_impossible(self, data, stacklevel=3)
        return total / max(divisors[per], 1)

    def bic(self, data: Trajectories) -> float:
        """Bayesian information criterion −2 log L + n_free log N; lower is better. See ``n_free_``."""
        return -2.0 * self.score(data) + self.n_free_ * np.log(max(data.n_observed, 1))

    def aic(self, data: Trajectories) -> float:
        """Akaike information criterion −2 log L + 2 n_free; lower is better."""
        return -2.0 * self.score(data) + 2.0 * self.n_free_

    def _check_data(self, data: Trajectories) -> None:
        check_is_fitted(self)
        check_trajectories(data)
        check_sizes(data, *self._sizes)

    @property
    def _sizes(self) -> tuple[int, int]:
        """How many states and actions it was fitted to."""
        return self.log_policy_.shape[-2:]


def taken_proba(model: Predicting, data: Trajectories) -> FloatArray:
    """(N,) p(a_t | s_t and steps before t) of the action taken; NaN where the step carries no evidence."""
    taken = model.predict_action_proba(data)[np.arange(data.n_steps), data.actions]
    return np.where(data.observed, taken, np.nan)


def warn_impossible(model: Predicting, data: Trajectories, stacklevel: int) -> None:
    """One warning for all sessions that the model rules out; ``stacklevel`` as in ``warnings.warn``, from here."""
    warnings.warn(told_impossible(model, data), ImpossibleSession, stacklevel=stacklevel)


def told_impossible(model: Predicting, data: Trajectories, name: str = "this model") -> str:
    """A sentence about data whose log-likelihood under the model is −inf."""
    steps = np.flatnonzero(taken_proba(model, data) == 0)
    session, step = data.locate(int(steps[0]))
    n_sessions = len(np.unique(np.searchsorted(data.offsets, steps, side="right")))
    return (
        f"{n_sessions} of {data.n_sessions} sessions are impossible under {name}, first at session {session!r}, step "
        f"{step} (state {data.states[steps[0]]}, action {data.actions[steps[0]]}), which nothing that it knows "
        f"explains after the steps before; their log-likelihood is −inf, and posteriors pass over such steps like "
        f"missing ones; pseudo-counts above 0 keep everything possible"
    )
