"""Intentions that last as long as they do: durations with a distribution of their own (hidden semi-Markov)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import log_softmax

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import SomeOfBoth, Timeline, shares_told
from hiql.dynamics.durations import mean_duration, shown_durations
from hiql.dynamics.phase_chain import PhaseChain, PhaseCounts
from hiql.errors import InvalidParameter
from hiql.parts.dirichlet import log_dirichlet_draw
from hiql.parts.log_probabilities import LOWEST, LogProbabilities, check_tables, log_dirichlet, rows_of
from hiql.parts.part import FloatArray, Order
from hiql.parts.path import Path
from hiql.parts.reads import Reads
from hiql.parts.registry import register
from hiql.parts.rows import Rows, Sessions
from hiql.priors.counted import ModeOrPosterior
from hiql.priors.estimates import MODE, check_estimate, concentration, evidence_of_rows, log_rows, times_log

FIRST_DURATION = 20.0
"""Mean steps of an intention where a search starts, as in a Markov chain that stays with probability 0.95."""
MOST_IN_ALL = 1000
"""Phases of all intentions together; more are refused at the door."""


@register
@dataclass(frozen=True, eq=False)
class PhaseParameters:
    """log Π (1, K); log-probabilities of the phase that a session begins in (K, n) and that an intention is entered at
    (K, n); of staying in a phase and of leaving it (K, 2); log Λ (K, K) of which intention follows, its diagonal −∞."""

    log_initial: FloatArray
    log_first: FloatArray
    log_entry: FloatArray
    log_stay: FloatArray
    log_following: FloatArray


@register
@dataclass(frozen=True)
class SemiMarkov(ModeOrPosterior, LogProbabilities):
    """z lasts D ~ p_i(D) steps, then j ≠ i follows with probability Λ_ij; p_i is a mixture of negative binomials.

    Each intention is a row of n phases, entered at a phase m ~ E_i; each phase is left with probability 1 − s_i at
    every step, the last one for another intention. So D is the sum of n − m + 1 geometric durations: all entering at
    the last phase is the Markov chain, s_i = 0 any distribution up to n, and large s_i smooth ones of any mean
    (``docs/theory/durations.md``). Sessions begin in any phase, with probabilities of their own, and end in any:
    durations that they cut off are accounted for exactly.

    Parameters
    ----------
    n_phases : n
    pseudo_count : added to every expected count of Π, E, Λ, of first phases and of staying and leaving
    estimate : "mode" or "bayes" (:mod:`hiql.priors.estimates`); models say it for their parts
    """

    n_phases: int = 20
    pseudo_count: float = 0.1
    estimate: str = field(default=MODE, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        n, c = self.n_phases, self.pseudo_count
        if not isinstance(n, int | np.integer) or isinstance(n, bool) or not 1 <= n <= MOST_IN_ALL:
            remedy = f"choose a whole number from 1 to {MOST_IN_ALL}"
            raise InvalidParameter(parameter="n_phases", value=n, remedy=remedy)
        if not (isinstance(c, int | float | np.number) and np.isfinite(c) and c >= 0):
            raise InvalidParameter(parameter="pseudo_count", value=c, remedy="choose a number ≥ 0")
        check_estimate(self.estimate)

    @property
    def exact(self) -> bool:
        return True

    @property
    def reads(self) -> Reads:
        return ()

    def check(self, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        if self.n_phases * n_intentions > MOST_IN_ALL:
            remedy = f"choose at most {MOST_IN_ALL // n_intentions} for {n_intentions} intentions"
            raise InvalidParameter(parameter="n_phases", value=self.n_phases, remedy=remedy)

    def bind(self, data: Trajectories) -> Timeline:
        return Timeline(Rows.only(np.arange(data.n_sessions + 1)), Rows.only(data.offsets))

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> PhaseParameters:  # noqa: ARG002
        """Any phase is as likely as any other, first and on entry; Λ is even but for some noise."""
        k, n = n_intentions, self.n_phases
        leaving = min((n + 1) / 2 / FIRST_DURATION, 0.5) * rng.uniform(0.8, 1.2, size=k)
        even = np.full((k, n), -np.log(n))
        with np.errstate(divide="ignore"):
            following = np.log(_others(k) * rng.uniform(0.8, 1.2, size=(k, k)))
        stay = np.log(np.stack([1.0 - leaving, leaving], axis=1))
        return PhaseParameters(np.full((1, k), -np.log(k)), even, even, stay, log_softmax(following, axis=1))

    def chain(self, params: PhaseParameters, timeline: Timeline) -> Callable[[Sessions], PhaseChain]:
        firsts = np.exp(params.log_initial[..., None] + params.log_first)
        stay, leave = np.exp(params.log_stay.T)
        entry, following = np.exp(params.log_entry), np.exp(params.log_following)

        def of(sessions: Sessions) -> PhaseChain:
            begins, moves = (rows.chunk(sessions).numbers for rows in timeline)
            return PhaseChain(firsts, begins, moves, stay, leave, entry, following)

        return of

    # --- fitting -----------------------------------------------------------------------------------------------

    def statistics(self, params: Any, timeline: Any, sessions: Sessions, counts: PhaseCounts) -> PhaseCounts:  # noqa: ARG002
        return counts

    def add_up(self, statistics: Sequence[tuple[PhaseCounts, SomeOfBoth]]) -> PhaseCounts:
        first, *others = [counts for counts, _ in statistics]
        return PhaseCounts(*(sum(rest, start) for start, *rest in zip(first, *others, strict=True)))

    def _tables(self, counts: PhaseCounts) -> tuple[FloatArray, ...]:
        """What is counted for each table of the parameters, in their order."""
        return counts.firsts.sum(axis=2), counts.firsts[0], counts.entries, counts.stays, counts.following

    def _pseudo_counts(self, n_intentions: int) -> tuple[Any, ...]:
        c = float(self.pseudo_count)
        return c, c, c, c, c * _others(n_intentions)

    def update(self, params: PhaseParameters, counts: PhaseCounts) -> PhaseParameters:
        """Shares of expected counts and pseudo-counts: all of it is counting."""
        estimate = MODE if _is_alone(params) else self.estimate
        tables = zip(self._tables(counts), self._pseudo_counts(len(counts.stays)), strict=True)
        initial, first, entry, stay, following = (log_rows(estimate, table + prior) for table, prior in tables)
        return PhaseParameters(initial, first, entry, stay, self._kept_apart(following))

    def log_prior(self, params: PhaseParameters) -> float:
        """Σ pseudo-count · log θ, up to a constant."""
        priors = self._pseudo_counts(len(params.log_stay))
        return sum(log_dirichlet(c, table) for c, table in zip(priors, vars(params).values(), strict=True))

    def worth(self, params: PhaseParameters, counts: PhaseCounts) -> float:
        """The log-prior; or Σ log B(n + c) − log B(c) − n · log θ. One intention is followed by itself in all of its
        phases alike: then nothing is told of them, and they are worth nothing."""
        if not self.is_posterior:
            return self.log_prior(params)
        if _is_alone(params):
            return 0.0
        priors = self._pseudo_counts(len(params.log_stay))
        rows = zip(self._tables(counts), priors, vars(params).values(), strict=True)
        return sum(evidence_of_rows(n, prior) - times_log(n, read) for n, prior, read in rows)

    def conjugate(self, params: PhaseParameters) -> None:
        """Compiled passes over blocks know matrices only."""

    def drawn(self, params: PhaseParameters, path: Path, rng: np.random.Generator) -> PhaseParameters:
        """Every row ~ Dirichlet(concentration + counts); that no intention follows itself is not in doubt."""
        counts: PhaseCounts = path.told(self, params)
        tables = zip(self._tables(counts), self._pseudo_counts(len(counts.stays)), strict=True)
        initial, first, entry, stay, following = (
            log_dirichlet_draw(concentration(self.estimate, c) + seen, rng) for seen, c in tables
        )
        return PhaseParameters(initial, first, entry, stay, self._kept_apart(following))

    def from_vector(self, vector: FloatArray, like: PhaseParameters) -> PhaseParameters:
        jumped: PhaseParameters = super().from_vector(vector, like)
        if _is_alone(like):
            return like
        return replace(jumped, log_following=self._kept_apart(jumped.log_following))

    def _kept_apart(self, log_following: FloatArray) -> FloatArray:
        """The same, where no intention follows itself."""
        others = _others(len(log_following)) > 0
        apart = np.where(others, np.maximum(log_following, LOWEST), -np.inf)
        return rows_of(apart, posterior=self.is_posterior and len(others) > 1)

    def n_free(self, counts: PhaseCounts) -> int:
        if len(counts.stays) == 1:
            return 0
        begun = counts.firsts.reshape(len(counts.firsts), -1)
        return sum(shares_told(table) for table in (begun, counts.entries, counts.stays, counts.following))

    # --- what a fitted model shows, and keeps --------------------------------------------------------------------

    def summary(self, params: PhaseParameters) -> dict[str, FloatArray]:
        """``transition`` (K, K) is that of the Markov chain with the same mean durations and the same followers:
        of all steps with i, in the long run, the share that is followed by one with j.

        ``following`` (K, K) says which intention follows when one ends, ``mean_duration`` (K,) how many steps each
        lasts on average, ``durations`` (K, D) how likely each is to last exactly 1, 2, … steps, up to 99.9 %.
        """
        entry, stay, following = (np.exp(t) for t in (params.log_entry, params.log_stay[:, 0], params.log_following))
        mean = mean_duration(entry, stay)
        leave = (1.0 / mean)[:, None]
        return {
            "initial": np.exp(params.log_initial[0]),
            "transition": np.eye(len(mean)) * (1.0 - leave) + leave * following,
            "following": following,
            "mean_duration": mean,
            "durations": shown_durations(entry, stay),
        }

    def permute(self, params: PhaseParameters, order: Order) -> PhaseParameters:
        return PhaseParameters(
            params.log_initial[:, order],
            params.log_first[order],
            params.log_entry[order],
            params.log_stay[order],
            params.log_following[order][:, order],
        )

    def check_params(self, params: PhaseParameters, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        k, n = n_intentions, self.n_phases
        phases = {"log_first": (k, n), "log_entry": (k, n), "log_stay": (k, 2)}
        check_tables(params, PhaseParameters, log_initial=(1, k), **phases, log_following=(k, k))
        if (np.exp(params.log_following)[_others(k) == 0] > 0).any():
            remedy = "let no intention follow itself"
            raise InvalidParameter(parameter="log_following", value=np.exp(params.log_following), remedy=remedy)


SemiMarkov.counts_as = SemiMarkov


def _is_alone(params: PhaseParameters) -> bool:
    """Whether there is one intention only, of whose clock no data can tell."""
    return len(params.log_stay) == 1


def _others(n_intentions: int) -> FloatArray:
    """(K, K) 1 for every other intention; one that is alone follows itself."""
    return np.ones((1, 1)) if n_intentions == 1 else 1.0 - np.eye(n_intentions)
