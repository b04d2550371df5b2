"""Intentions follow a first-order Markov chain: initial distribution Π, transition matrix Λ (paper, §4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import ChainCounts, ChainPrior, SomeOfBoth, Timeline, shares_told
from hiql.dynamics.dense import Chain
from hiql.errors import InvalidParameter
from hiql.parts.dirichlet import log_dirichlet_draw
from hiql.parts.log_probabilities import LogProbabilities, check_tables, log_dirichlet
from hiql.parts.part import FloatArray, Order
from hiql.parts.path import Path
from hiql.parts.reads import Reads
from hiql.parts.registry import register
from hiql.parts.rows import Rows, Sessions, add_rows
from hiql.priors.counted import ModeOrPosterior
from hiql.priors.estimates import MODE, check_estimate, concentration, evidence_of_rows, log_rows, times_log


@register
@dataclass(frozen=True, eq=False)
class ChainParameters:
    """log Π (R, K), a row for each kind of session, and log Λ (M, K, K), a matrix for each context."""

    log_initial: FloatArray
    log_transition: FloatArray


@register
@dataclass(frozen=True)
class MarkovChain(ModeOrPosterior, LogProbabilities):
    """z_0 ~ Π, z_t ~ Λ[z_{t-1}]: one Π, one Λ.

    Dynamics with several of either inherit from this and say in ``bind`` which one each session and step reads.

    Parameters
    ----------
    pseudo_count : added to every expected count of Π and Λ: the mode under a symmetric Dirichlet prior with
        concentration 1 + ``pseudo_count``, the mean under one with ``pseudo_count``. It keeps every move possible.
    estimate : "mode" or "bayes" (:mod:`hiql.priors.estimates`); models say it for their parts
    """

    pseudo_count: float = 0.1
    estimate: str = field(default=MODE, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        number = isinstance(self.pseudo_count, int | float | np.number) and np.isfinite(self.pseudo_count)
        if not (number and self.pseudo_count >= 0):
            raise InvalidParameter(parameter="pseudo_count", value=self.pseudo_count, remedy="choose a number ≥ 0")
        check_estimate(self.estimate)

    @property
    def exact(self) -> bool:
        return True

    def check(self, data: Trajectories, n_intentions: int) -> None:
        """Any data will do."""

    def bind(self, data: Trajectories) -> Timeline:
        return Timeline(Rows.only(np.arange(data.n_sessions + 1)), Rows.only(data.offsets))

    @property
    def reads(self) -> Reads:
        """Nothing; unknown for a subclass with a ``bind`` of its own, unless it says otherwise."""
        return () if type(self).bind is MarkovChain.bind else None

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
            begins, moves = (rows.chunk(sessions) for rows in timeline)
            some = begins.some, moves.some
            return Chain(begins.of(initial), begins.numbers, moves.of(bank), moves.numbers, phases, some)

        return of

    def statistics(self, params: Any, timeline: Any, sessions: Sessions, counts: ChainCounts) -> ChainCounts:  # noqa: ARG002
        return counts

    def add_up(self, statistics: Sequence[tuple[ChainCounts, SomeOfBoth]]) -> ChainCounts:
        tables = zip(*(zip(counts, some, strict=True) for counts, some in statistics), strict=True)
        return ChainCounts(*(add_rows(table) for table in tables))

    def update(self, params: ChainParameters, counts: ChainCounts) -> ChainParameters:
        """Paper, eqs. (10) and (11), with pseudo-counts; a row that was never left stays uniform."""
        raised = [part + prior for part, prior in zip(counts, self.prior(params), strict=True)]
        log_initial, log_transition = (log_rows(self.estimate, part) for part in raised)
        return replace(params, log_initial=log_initial, log_transition=log_transition)

    def prior(self, params: ChainParameters) -> ChainPrior:
        """The pseudo-counts of both tables: here the same in every place."""
        tables = params.log_initial, params.log_transition
        return ChainPrior(*(np.full(table.shape, float(self.pseudo_count)) for table in tables))

    def log_prior(self, params: ChainParameters) -> float:
        """Σ pseudo-count · log θ, up to a constant."""
        tables = zip(self.prior(params), (params.log_initial, params.log_transition), strict=True)
        return sum(log_dirichlet(prior, table) for prior, table in tables)

    def worth(self, params: ChainParameters, counts: ChainCounts) -> float:
        """The log-prior; or log B(n + c) − log B(c) − n · log θ for what was read, θ, whatever it was."""
        if not self.is_posterior:
            return self.log_prior(params)
        tables = params.log_initial, params.log_transition
        rows = zip(counts, self.prior(params), tables, strict=True)
        return sum(evidence_of_rows(n, prior) - times_log(n, read) for n, prior, read in rows)

    def conjugate(self, params: ChainParameters) -> ChainPrior | None:
        """The pseudo-counts; None for a subclass with an M-step of its own, unless it says otherwise."""
        return self.prior(params) if type(self).update is MarkovChain.update else None

    def drawn(self, params: ChainParameters, path: Path, rng: np.random.Generator) -> ChainParameters | None:
        """Every row ~ Dirichlet(concentration + counts), with the prior that belongs to the estimate."""
        if (prior := self.conjugate(params)) is None:
            return None
        tables = zip(prior, path.told(self, params), strict=True)
        log_initial, log_transition = (
            log_dirichlet_draw(concentration(self.estimate, given) + seen, rng) for given, seen in tables
        )
        return replace(params, log_initial=log_initial, log_transition=log_transition)

    def summary(self, params: ChainParameters) -> dict[str, FloatArray]:
        return {"initial": np.exp(params.log_initial[0]), "transition": np.exp(params.log_transition[0])}

    def permute(self, params: ChainParameters, order: Order) -> ChainParameters:
        moved = params.log_transition[:, order][:, :, order]
        return replace(params, log_initial=params.log_initial[:, order], log_transition=moved)

    def n_free(self, counts: ChainCounts) -> int:
        return sum(shares_told(part) for part in counts)

    def check_params(self, params: ChainParameters, data: Trajectories, n_intentions: int) -> None:
        begins, moves = self.bind(data)
        shapes = {"log_initial": (begins.size, n_intentions), "log_transition": (moves.size, *(n_intentions,) * 2)}
        check_tables(params, ChainParameters, **shapes)


MarkovChain.counts_as = MarkovChain
