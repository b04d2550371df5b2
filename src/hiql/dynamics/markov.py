"""Intentions follow a first-order Markov chain: initial distribution Π, transition matrix Λ (paper, §4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import Chain, ChainCounts, FloatArray, Parameters, shares_told
from hiql.errors import InvalidParameter
from hiql.kernels.log_tables import log_shares


@dataclass(frozen=True)
class MarkovChain:
    """z_0 ~ Π, z_t ~ Λ[z_{t-1}]. Parameters are (log Π, log Λ).

    Parameters
    ----------
    pseudo_count : added to every expected count of Π and Λ: the mode under a symmetric Dirichlet prior with
        concentration 1 + ``pseudo_count``. It keeps every transition possible.
    """

    pseudo_count: float = 0.1

    def __post_init__(self) -> None:
        if not (np.isfinite(self.pseudo_count) and self.pseudo_count >= 0):
            raise InvalidParameter(parameter="pseudo_count", value=self.pseudo_count, remedy="choose a number ≥ 0")

    def init(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Parameters:  # noqa: ARG002
        """Π uniform; Λ = 0.95·I plus normal noise of deviation 0.05, made positive, rows normalised (Appendix C)."""
        noise = np.abs(rng.normal(0.0, 0.05, (n_intentions, n_intentions)))
        transition = 0.95 * np.eye(n_intentions) + noise
        return (
            np.full(n_intentions, -np.log(n_intentions)),
            np.log(transition / transition.sum(axis=1, keepdims=True)),
        )

    def chain(self, params: Parameters, data: Trajectories) -> Chain:
        initial, transition = params
        return Chain(np.exp(initial), np.exp(transition)[None], _one_matrix(data.n_steps), np.arange(len(initial)))

    def update(self, params: Parameters, counts: ChainCounts) -> Parameters:  # noqa: ARG002
        """Paper, eqs. (10) and (11), with pseudo-counts."""
        return self._normalised(counts.initial), self._normalised(counts.transitions[0])

    def log_prior(self, params: Parameters) -> float:
        return float(sum(self.pseudo_count * p.sum() for p in params)) if self.pseudo_count else 0.0

    def summary(self, params: Parameters) -> dict[str, FloatArray]:
        initial, transition = params
        return {"initial": np.exp(initial), "transition": np.exp(transition)}

    def permute(self, params: Parameters, order: npt.NDArray[np.intp]) -> Parameters:
        initial, transition = params
        return initial[order], transition[np.ix_(order, order)]

    def n_free(self, params: Parameters, counts: ChainCounts) -> int:  # noqa: ARG002
        return shares_told(counts.initial) + shares_told(counts.transitions[0])

    def _normalised(self, counts: FloatArray) -> FloatArray:
        """log of (counts + pseudo-count) / total; a row that was never left stays uniform."""
        return log_shares((counts + self.pseudo_count).reshape(-1, counts.shape[-1])).reshape(counts.shape)


@lru_cache(maxsize=16)
def _one_matrix(n_steps: int) -> npt.NDArray[np.uint32]:
    """Rows of a bank of one matrix, which leads into every step; they take no memory."""
    return np.broadcast_to(np.uint32(0), n_steps)
