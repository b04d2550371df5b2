"""What a reward solver is given, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories

FloatArray = npt.NDArray[np.float64]


class Preference(NamedTuple):
    """What an intention wants: ``reward`` r, ``q`` Q and ``log_policy`` log π (…, S, A), ``value`` V (…, S).

    Q = r + γ P V, V = max_a Q and π = softmax_a Q. Rewards are identified only up to a gauge: see
    :func:`hiql.solvers.gauge.zero_mean_gauge`.
    """

    reward: FloatArray
    q: FloatArray
    value: FloatArray
    log_policy: FloatArray


@dataclass(frozen=True, eq=False)
class Evidence:
    """Demonstrations weighted by how likely each intention was behind them.

    ``counts`` (K, S, A) are the expected numbers of times each intention took each action in each state;
    ``weights`` (N, K), the posterior of every step, are computed only when a solver asks for them.
    """

    data: Trajectories
    counts: FloatArray
    compute_weights: Callable[[], FloatArray]

    @cached_property
    def weights(self) -> FloatArray:
        return self.compute_weights()

    def sampled(self, rng: np.random.Generator) -> Evidence:
        """Each demonstration goes to intention i with probability equal to its posterior (paper, Algorithm 3)."""
        chosen = (rng.random(self.weights.shape) < self.weights).astype(np.float64)
        return Evidence(self.data, weighted_counts(self.data, chosen), lambda: chosen)


def weighted_counts(data: Trajectories, weights: FloatArray) -> FloatArray:
    """(K, S, A) the demonstrations counted with weights (N, K); missing steps do not count."""
    size = data.n_states * data.n_actions
    counts = np.stack([np.bincount(data.pairs, w, minlength=size + 1)[:size] for w in weights.T])
    return counts.astype(np.float64).reshape(-1, data.n_states, data.n_actions)


class RewardSolver(Protocol):
    """How a reward explains weighted demonstrations. Implemented by small frozen dataclasses.

    The EM loop needs only policies, so ``policy`` is called at each iteration and ``explain`` once, at the end.
    """

    @property
    def is_exact(self) -> bool:
        """Whether ``policy`` maximises Σ counts·log π + ``log_prior``, so that EM can only climb."""
        ...

    def check(self, data: Trajectories, n_intentions: int) -> None:
        """Raise a named error if this solver cannot work on these data."""
        ...

    def policy(self, evidence: Evidence) -> FloatArray:
        """(K, S, A) the log-policies that explain the evidence: the M-step."""
        ...

    def log_prior(self, log_policy: FloatArray) -> float:
        """What ``policy`` maximises besides the expected log-likelihood, up to a constant."""
        ...

    def explain(self, evidence: Evidence, log_policy: FloatArray) -> Preference:
        """The rewards behind the policies."""
        ...
