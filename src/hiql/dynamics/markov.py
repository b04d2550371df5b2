"""Intentions follow a first-order Markov chain: initial distribution Π, transition matrix Λ (paper, §4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import Chain, ChainCounts, ChainPrior, Timeline, shares_told
from hiql.errors import InvalidParameter
from hiql.kernels.log_tables import log_shares
from hiql.parts.log_probabilities import LogProbabilities, check_tables
from hiql.parts.part import FloatArray, Order
from hiql.parts.registry import register
from hiql.parts.rows import Rows, Sessions


@register
@dataclass(frozen=True, eq=False)
class ChainParameters:
    """log Π (R, K), a row for each kind of session, and log Λ (M, K, K), a matrix for each context."""

    log_initial: FloatArray
    log_transition: FloatArray


@register
@dataclass(frozen=True)
class MarkovChain(LogProbabilities):
    """z_0 ~ Π, z_t ~ Λ[z_{t-1}]: one Π, one Λ.

    Dynamics with several of either inherit from this and say in ``bind`` which one each session and step reads.

    Parameters
    ----------
    pseudo_count : added to every expected count of Π and Λ: the mode under a symmetric Dirichlet prior with
        concentration 1 + ``pseudo_count``. It keeps every transition possible.
    """

    pseudo_count: float = 0.1

    def __post_init__(self) -> None:
        if not (np.isfinite(self.pseudo_count) and self.pseudo_count >= 0):
            raise InvalidParameter(parameter="pseudo_count", value=self.pseudo_count, remedy="choose a number ≥ 0")

    @property
    def exact(self) -> bool:
        return True

    def check(self, data: Trajectories, n_intentions: int) -> None:
        """Any data will do."""

    def bind(self, data: Trajectories) -> Timeline:
        return Timeline(Rows.only(np.arange(data.n_sessions + 1)), Rows.only(data.offsets))

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> ChainParameters:
        """Π uniform; Λ = 0.95·I plus normal noise of deviation 0.05, made positive, rows normalised (Appendix C)."""
        begins, moves = self.bind(data)
        noise = np.abs(rng.normal(0.0, 0.05, (n_intentions, n_intentions)))
        transition = 0.95 * np.eye(n_intentions) + noise
        log_transition = np.log(transition / transition.sum(axis=1, keepdims=True))
        return ChainParameters(
            np.full((begins.size, n_intentions), -np.log(n_intentions)),
            np.repeat(log_transition[None], moves.size, axis=0),
        )

    def chain(self, params: ChainParameters, timeline: Timeline) -> Callable[[Sessions], Chain]:
        initial, bank = np.exp(params.log_initial), np.exp(params.log_transition)
        phases = np.arange(initial.shape[-1])

        def of(sessions: Sessions) -> Chain:
            begins, moves = (rows.between(*sessions) for rows in timeline)
            return Chain(initial, begins, bank, moves, phases)

        return of

    def update(self, params: ChainParameters, counts: ChainCounts) -> ChainParameters:  # noqa: ARG002
        """Paper, eqs. (10) and (11), with pseudo-counts; a row that was never left stays uniform."""
        return ChainParameters(*(self._shares(part) for part in counts))

    def log_prior(self, params: ChainParameters) -> float:
        tables = params.log_initial, params.log_transition
        return float(sum(self.pseudo_count * table.sum() for table in tables)) if self.pseudo_count else 0.0

    def conjugate(self, timeline: Timeline, n_intentions: int) -> ChainPrior | None:
        """The pseudo-count in every place; None for a subclass with an M-step of its own, unless it says otherwise."""
        if type(self).update is not MarkovChain.update:
            return None
        begins, moves = timeline
        shapes = (begins.size, n_intentions), (moves.size, n_intentions, n_intentions)
        return ChainPrior(*(np.full(shape, float(self.pseudo_count)) for shape in shapes))

    def summary(self, params: ChainParameters) -> dict[str, FloatArray]:
        return {"initial": np.exp(params.log_initial[0]), "transition": np.exp(params.log_transition[0])}

    def permute(self, params: ChainParameters, order: Order) -> ChainParameters:
        return ChainParameters(params.log_initial[:, order], params.log_transition[:, order][:, :, order])

    def n_free(self, counts: ChainCounts) -> int:
        return sum(shares_told(part) for part in counts)

    def check_params(self, params: ChainParameters, data: Trajectories, n_intentions: int) -> None:
        begins, moves = self.bind(data)
        shapes = {"log_initial": (begins.size, n_intentions), "log_transition": (moves.size, *(n_intentions,) * 2)}
        check_tables(params, ChainParameters, **shapes)

    def _shares(self, counts: FloatArray) -> FloatArray:
        return log_shares((counts + self.pseudo_count).reshape(-1, counts.shape[-1])).reshape(counts.shape)
