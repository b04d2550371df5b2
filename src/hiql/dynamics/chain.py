"""What every kind of intention dynamics hands to the smoother, and what it gets back."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories

FloatArray = npt.NDArray[np.float64]

Parameters = tuple[FloatArray, ...]
"""Arrays of log-probabilities, each normalised over its last axis, as model files are checked for."""


class Chain(NamedTuple):
    """A Markov chain over P phases for given data, probabilities not logs.

    ``initial`` (P,); ``bank`` (M, P, P) of transition matrices; ``rows`` (N,) uint32 says which of them leads
    *into* each step (the entry at a session's first step is ignored); ``phases`` (P,) says which intention each
    phase belongs to. A plain Markov chain has P = K and M = 1.
    """

    initial: FloatArray
    bank: FloatArray
    rows: npt.NDArray[np.uint32]
    phases: npt.NDArray[np.intp]


class ChainCounts(NamedTuple):
    """Expected counts under the posterior: ``initial`` (P,) and ``transitions`` (M, P, P)."""

    initial: FloatArray
    transitions: FloatArray


class IntentionDynamics(Protocol):
    """How intentions follow one another. Implemented by small frozen dataclasses."""

    def init(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Parameters:
        """A starting point."""
        ...

    def chain(self, params: Parameters, data: Trajectories) -> Chain:
        """The chain these parameters mean for these data.

        The row of a step may depend on that step (not on its action), on the one before it in its session, and on what
        belongs to the whole session. Then simulation can ask for it, with the last two steps of each session as data.
        """
        ...

    def update(self, params: Parameters, counts: ChainCounts) -> Parameters:
        """The M-step: the parameters that best explain the expected counts (and the prior)."""
        ...

    def log_prior(self, params: Parameters) -> float:
        """What ``update`` maximises besides the expected log-likelihood, up to a constant."""
        ...

    def summary(self, params: Parameters) -> dict[str, Any]:
        """``initial`` (K,) and ``transition`` (K, K) between intentions, as shown to the user."""
        ...

    def permute(self, params: Parameters, order: npt.NDArray[np.intp]) -> Parameters:
        """The same dynamics with intention ``order[i]`` called i."""
        ...

    def n_free(self, params: Parameters) -> int:
        """How many numbers the data had to determine."""
        ...
