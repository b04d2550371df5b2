"""Floors and a ceiling: chance, counted policies, and an observer who knows the true intentions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hiql.baselines.checks import check_evidence
from hiql.baselines.policy_baseline import PolicyBaseline
from hiql.baselines.timed import time_of_step, timed_counts
from hiql.choices.table import TableChoice, log_odds_seen, log_policy_from_counts
from hiql.data.sizes import check_sizes
from hiql.data.trajectories import IntArray, Trajectories
from hiql.errors import EmptyData, InvalidParameter, ShapeMismatch
from hiql.models.scoring import FloatArray


class RandomPolicy(PolicyBaseline):
    """Chance: π(a|s) = 1/A. Nothing is free."""

    def fit(self, data: Trajectories, y: object = None) -> Self:  # noqa: ARG002
        """Fit to the data; returns itself."""
        self.log_policy_ = np.full((1, data.n_states, data.n_actions), -np.log(data.n_actions))
        self.n_free_ = 0
        return self


class CountPolicy(PolicyBaseline):
    """One policy for all times: π(a|s) ∝ count(s, a) + pseudo-count.

    ``n_free_`` is the number of observed (state, action) pairs minus that of observed states.

    Parameters
    ----------
    pseudo_count : a number, or an array that broadcasts to (S, A)
    """

    def __init__(self, pseudo_count: float | FloatArray = 0.1) -> None:
        self.pseudo_count = pseudo_count

    def fit(self, data: Trajectories, y: object = None) -> Self:  # noqa: ARG002
        """Fit to the data; returns itself."""
        self._count(data, data.pair_counts[None])
        return self

    def _count(self, data: Trajectories, counts: FloatArray) -> None:
        TableChoice(self.pseudo_count).check(data, n_intentions=1)
        check_evidence(data)
        self.log_policy_ = log_policy_from_counts(counts, self.pseudo_count)
        self.n_free_ = log_odds_seen(counts)


class TimedCountPolicy(CountPolicy):
    """One policy for each time in the session: π_t(a|s) ∝ count_t(s, a) + pseudo-count.

    Steps beyond the longest training session follow the last policy. ``n_free_`` is the number of observed
    (time, state, action) triples minus that of observed (time, state) pairs; parameters as in
    :class:`CountPolicy`.
    """

    def fit(self, data: Trajectories, y: object = None) -> Self:  # noqa: ARG002
        """Fit to the data; returns itself."""
        self._count(data, timed_counts(data))
        return self

    def _policy_of_step(self, data: Trajectories) -> IntArray:
        return time_of_step(data, len(self.log_policy_))


class KnownExpert(PolicyBaseline):
    """The ceiling: Σ_t log π_{z_t}(a_t|s_t) with the true policies and the true intentions z_t.

    The intentions are those a simulation wrote into ``data.intentions``. Nothing is free.

    Parameters
    ----------
    policies : (K, S, A) the true π_z(a|s)
    """

    def __init__(self, policies: Any) -> None:
        self.policies = policies

    def fit(self, data: Trajectories, y: object = None) -> Self:  # noqa: ARG002
        """Fit to the data; returns itself."""
        policies = np.asarray(self.policies, dtype=np.float64)
        _check_policies(policies)
        check_sizes(data, *policies.shape[1:])
        with np.errstate(divide="ignore"):
            self.log_policy_ = np.log(policies)
        self.n_free_ = 0
        return self

    def _policy_of_step(self, data: Trajectories) -> IntArray:
        if data.intentions is None:
            raise EmptyData(
                what="the data have no true intentions",
                remedy="use simulated data, or give intentions= to Trajectories.from_arrays",
            )
        wrong = (data.intentions < 0) | (data.intentions >= len(self.log_policy_))
        if wrong.any():
            session, step = data.locate(int(np.argmax(wrong)))
            raise InvalidParameter(
                parameter=f"the true intention at session {session!r}, step {step},",
                value=int(data.intentions[np.argmax(wrong)]),
                remedy=f"the expert knows intentions 0…{len(self.log_policy_) - 1}; give a policy for every one",
            )
        return data.intentions


def _check_policies(policies: FloatArray) -> None:
    if policies.ndim != 3:
        raise ShapeMismatch(
            field="policies",
            shape=policies.shape,
            expected="(K, S, A)",
            remedy="give π(a|s) of every intention, state and action",
        )
    bad = ~((policies >= 0).all(axis=2) & (np.abs(policies.sum(axis=2) - 1.0) < 1e-6))
    if bad.any():
        intention, state = (int(i) for i in np.argwhere(bad)[0])
        raise InvalidParameter(
            parameter=f"policies[{intention}, {state}]",
            value=policies[intention, state].tolist(),
            remedy="make each π(·|s) non-negative with sum 1",
        )
