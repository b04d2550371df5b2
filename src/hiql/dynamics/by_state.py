"""Switching that depends on where the animal is: one matrix for each context, around a common one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from hiql.data.codes import label_text
from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import ChainCounts, ChainPrior, Timeline
from hiql.dynamics.contexts import check_context, context_named
from hiql.dynamics.markov import ChainParameters, MarkovChain
from hiql.dynamics.sticky import StickyChain
from hiql.errors import InvalidParameter
from hiql.parts.log_probabilities import check_positive
from hiql.parts.part import FloatArray, Order
from hiql.parts.path import Path
from hiql.parts.reads import STATE_LEFT, SUBJECT, Reads
from hiql.parts.registry import register
from hiql.parts.rows import Rows
from hiql.priors import (
    Learned,
    Redrawn,
    Tree,
    averaged,
    learn,
    pooled_evidence,
    redrawn,
    settled,
    told_bounds,
)
from hiql.priors.estimates import BAYES, concentration, times_log
from hiql.priors.pooled import STRONGEST, held

BEFORE_LEARNING = 2.0
"""Pseudo-counts of each row until the prior is learned."""
BEFORE_AVERAGING = 1000.0
"""The same where posteriors are looked for: nearly one matrix for all places, so that intentions are found by what they
do. Where rows are free from the start, intentions are found that explain places, and none of them lets go again."""

LASTING, RARELY = 100_000.0, 250.0
"""Pseudo-counts of staying, and of every move, in the chain of the second search: about one move in 400 steps."""


@register
@dataclass(frozen=True, eq=False)
class PlacedChain(ChainParameters):
    """log Λ (M + 1, K, K), the last one for anywhere; the pseudo-counts of its rows and of those of log Π; the
    ``strength`` (1, K) that holds each intention's rows together, that of beginnings (1, 1), and how often each
    intention was ``left`` or kept in each context (M + 1, K)."""

    pseudo_counts: FloatArray
    initial_pseudo_counts: FloatArray
    strength: FloatArray
    initial_strength: FloatArray
    left: FloatArray


@register
@dataclass(frozen=True)
class ByState(MarkovChain):
    """z_t ~ Λ_c[z_{t−1}], where c is the context of the step, and Λ_c[i] ~ Dirichlet(s_i · Λ[i]).

    Each context has a matrix of its own, pulled towards the common one with a strength that is learned for every
    intention (``docs/theory/pooling.md``). A context that was never met has the common matrix.

    Parameters
    ----------
    context : "state left" (that of the step before), "state entered", "last action", "last outcome" (its label, or its
        amount), "subject" (then beginnings have a row for each subject, too), or the name of one of the data's contexts
    pseudo_count : as in :class:`MarkovChain`, of the beginnings and of the common matrix
    before_learning : pseudo-counts of each row, around staying, while the search looks for intentions
    """

    context: str = STATE_LEFT
    before_learning: float = field(default=BEFORE_LEARNING, repr=False, kw_only=True)
    coding: Coding | None = field(default=None, repr=False, kw_only=True)

    @property
    def pooled(self) -> bool:
        return True

    def knowing(self, coding: Coding) -> ByState:
        return replace(self, coding=coding) if self.coding is None else self

    def check(self, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        check_context(self.context, self._coding(data))
        if not self.pseudo_count > 0:
            raise InvalidParameter(parameter="pseudo_count", value=self.pseudo_count, remedy="choose a number > 0")
        self.bind(data)

    def _coding(self, data: Trajectories) -> Coding:
        return Coding.of(data) if self.coding is None else self.coding

    def bind(self, data: Trajectories) -> Timeline:
        coding, context = self._coding(data), context_named(self.context)
        size, codes = len(context.labels(coding)), context.codes(coding, data)
        known = np.where((codes >= 0) & (codes < size), codes, size)
        moves = Rows.of_steps(size + 1, known, data.offsets)
        if self.context != SUBJECT:
            return super().bind(data)._replace(moves=moves)
        firsts = known[data.offsets[:-1]]
        return Timeline(Rows.of_steps(size + 1, firsts, np.arange(data.n_sessions + 1)), moves)

    @property
    def reads(self) -> Reads:
        return (self.context,) if type(self).bind is ByState.bind else None

    def code_of(self, context: Hashable) -> int:
        """The row of a context, by its label."""
        assert self.coding is not None  # a fitted model's parts know what they were fitted to
        labels = [label_text(label) for label in context_named(self.context).labels(self.coding)]
        if label_text(context) not in labels:
            known = ", ".join(labels[:8]) + (" …" if len(labels) > 8 else "")
            raise InvalidParameter(parameter="context", value=context, remedy=f"choose from {known}")
        return labels.index(label_text(context))

    def for_others(self, params: Any, data: Trajectories) -> PlacedChain:
        """Where subjects are the contexts: parameters for those of these data, around the same population."""
        n = self.bind(data).moves.size - 1
        common, firsts = np.exp(params.log_transition[-1]), np.exp(params.log_initial[-1])
        return PlacedChain(
            np.repeat(params.log_initial[-1:], n + 1, axis=0),
            np.repeat(params.log_transition[-1:], n + 1, axis=0),
            np.concatenate([np.tile(params.strength.T * common, (n, 1, 1)), params.pseudo_counts[-1:]]),
            np.concatenate([np.tile(params.initial_strength[0] * firsts, (n, 1)), params.initial_pseudo_counts[-1:]]),
            params.strength,
            params.initial_strength,
            np.repeat(params.left[-1:], n + 1, axis=0),
        )

    def estimating(self, estimate: str) -> Self:
        other = super().estimating(estimate)
        return replace(other, before_learning=BEFORE_AVERAGING) if estimate == BAYES else other

    # --- the prior ----------------------------------------------------------------------------------------------

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> PlacedChain:
        chain = super().start(data, n_intentions, rng)
        n_contexts = len(chain.log_transition)
        sticky = self.before_learning * (0.95 * np.eye(n_intentions) + 0.05 / n_intentions)
        return PlacedChain(
            chain.log_initial,
            chain.log_transition,
            np.tile(sticky, (n_contexts, 1, 1)),
            np.full(chain.log_initial.shape, float(self.pseudo_count)),
            np.full((1, n_intentions), BEFORE_LEARNING),
            np.full((1, 1), BEFORE_LEARNING),
            np.ones((n_contexts, n_intentions)),
        )

    def prior(self, params: Any) -> ChainPrior:
        tables = params.initial_pseudo_counts, params.pseudo_counts
        return ChainPrior(*(np.ascontiguousarray(table) for table in tables))  # a permutation leaves another order

    def learned(self, params: Any, counts: ChainCounts, data: Trajectories) -> PlacedChain:  # noqa: ARG002
        tables = self._around_common(params, counts)
        moves, firsts = (self._read_around(n, found) for n, found in tables)
        same = settled(params.pseudo_counts, moves.pseudo_counts, counts.transitions)
        if same and settled(params.initial_pseudo_counts, firsts.pseudo_counts[:, 0], counts.initial):
            return params
        return PlacedChain(
            np.log(firsts.rows[:, 0]),
            np.log(moves.rows),
            moves.pseudo_counts,
            firsts.pseudo_counts[:, 0],
            moves.strength,
            firsts.strength,
            counts.transitions.sum(axis=-1),
        )

    def held(self, params: Any, factor: float, counts: ChainCounts, data: Trajectories) -> PlacedChain:  # noqa: ARG002
        """Subjects, not places, and modes only: posteriors keep the strengths of most evidence."""
        if self.context != SUBJECT or self.is_posterior:
            return params
        strengths = (np.minimum(factor * s, STRONGEST) for s in (params.strength, params.initial_strength))
        known = replace(params, **dict(zip(("strength", "initial_strength"), strengths, strict=True)))
        (_, moves), (_, firsts) = self._around_common(known, counts, held)
        return replace(known, pseudo_counts=moves.pseudo_counts, initial_pseudo_counts=firsts.pseudo_counts[:, 0])

    def evidence(self, params: Any, counts: ChainCounts, data: Trajectories) -> float:  # noqa: ARG002
        """What was read is taken back, and all rows are integrated over, those of anywhere as well."""
        read = times_log(counts.initial, params.log_initial) + times_log(counts.transitions, params.log_transition)
        tables = self._around_common(params, counts)
        root = self._root(counts)
        return sum(pooled_evidence(Tree.star(len(n) - 1), n, root, found) for n, found in tables) - read

    def common(self, data: Trajectories) -> MarkovChain | None:  # noqa: ARG002
        """Where contexts are places, intentions are looked for with them: without they would be others."""
        return MarkovChain(self.pseudo_count) if self.context == SUBJECT else None

    def around_common(self, params: ChainParameters, data: Trajectories) -> PlacedChain:
        return self.refined(params, data)

    def coarser(self, data: Trajectories) -> StickyChain | None:  # noqa: ARG002
        """One chain for all places, in which intentions last; for posteriors, which compare both optima by evidence.

        Rows of their own let two intentions change roles in a region whose border they switch at. Where they hardly
        ever switch, that does not pay.
        """
        return StickyChain(RARELY, stickiness=LASTING) if self.is_posterior else None

    def refined(self, params: ChainParameters, data: Trajectories) -> PlacedChain:
        start = self.start(data, params.log_initial.shape[-1], np.random.default_rng(0))
        log_initial = np.repeat(params.log_initial, len(start.log_initial), axis=0)
        log_transition = np.repeat(params.log_transition, len(start.log_transition), axis=0)
        return replace(start, log_initial=log_initial, log_transition=log_transition)

    def _read_around(self, counts: FloatArray, found: Learned) -> Learned:
        return averaged(Tree.star(len(counts) - 1), counts, found) if self.is_posterior else found

    def _root(self, counts: ChainCounts) -> FloatArray:
        return np.full(counts.initial.shape[-1], float(self.pseudo_count))

    def _around_common(
        self, params: Any, counts: ChainCounts, how: Callable[..., Learned] = learn
    ) -> list[tuple[FloatArray, Learned]]:
        """Counts (M + 1, F, K) of all contexts of moves, then of beginnings, and their rows around the last."""
        tables = (counts.transitions, params.strength), (counts.initial[:, None], params.initial_strength)
        root = self._root(counts)
        return [(n, how(Tree.star(len(n) - 1), n, n.sum(axis=(1, 2), keepdims=True), root, s)) for n, s in tables]

    def drawn(self, params: Any, path: Path, rng: np.random.Generator) -> PlacedChain | None:
        """Matrices, the common one and strengths together (``docs/theory/intervals.md``)."""
        if self.conjugate(params) is None:
            return None
        counts: ChainCounts = path.told(self, params)
        moves, around = self._redrawn(counts.transitions, params.log_transition, params.strength, rng)
        first, of_firsts = counts.initial[:, None], params.log_initial[:, None]
        firsts, before = self._redrawn(first, of_firsts, params.initial_strength, rng)
        return PlacedChain(
            firsts.log_rows[:, 0],
            moves.log_rows,
            around,
            before[:, 0],
            moves.strength,
            firsts.strength,
            counts.transitions.sum(axis=-1),
        )

    def _redrawn(
        self, counts: FloatArray, log_rows: FloatArray, strength: FloatArray, rng: np.random.Generator
    ) -> tuple[Redrawn, FloatArray]:
        """The rows (M + 1, F, K) of all contexts drawn around the last, and what they lie around."""
        root, tree = np.full(counts.shape[-1], float(self.pseudo_count)), Tree.star(len(counts) - 1)
        found = redrawn(tree, counts, concentration(self.estimate, root), Redrawn(log_rows, strength), rng)
        return found, found.around(tree, root)

    # --- what a fitted model shows, and keeps --------------------------------------------------------------------

    def summary(self, params: Any) -> dict[str, FloatArray]:
        """``transition`` (K, K) is the average over the data, or the population's where subjects are the contexts.

        ``transition_by_context`` (M + 1, K, K) has the common matrix last, and ``transition_strength`` (K,) says how
        strongly those of all contexts are held to it. ``steps_by_context`` (M + 1, K): how often each intention was
        met there, to be left or kept.
        """
        bank, weights = np.exp(params.log_transition), params.left[..., None]
        total, common = weights.sum(axis=0), bank[-1].copy()
        average = np.divide((bank * weights).sum(axis=0), total, out=common, where=total > 0)
        return {
            "initial": np.exp(params.log_initial[-1]),
            "transition": bank[-1] if self.context == SUBJECT else average,
            "transition_by_context": bank,
            "transition_strength": params.strength[0],
            "steps_by_context": params.left,
        }

    def notes(self, params: Any, data: Trajectories) -> tuple[str, ...]:  # noqa: ARG002
        return told_bounds(f"the chains by {self.context}", params.strength)

    def permute(self, params: Any, order: Order) -> PlacedChain:
        return PlacedChain(
            params.log_initial[:, order],
            params.log_transition[:, order][:, :, order],
            params.pseudo_counts[:, order][:, :, order],
            params.initial_pseudo_counts[:, order],
            params.strength[:, order],
            params.initial_strength,
            params.left[:, order],
        )

    def check_params(self, params: Any, data: Trajectories, n_intentions: int) -> None:
        super().check_params(params, data, n_intentions)
        bank = params.log_transition.shape
        strengths = {"strength": (1, n_intentions), "initial_strength": (1, 1)}
        tables = {"pseudo_counts": bank, "initial_pseudo_counts": params.log_initial.shape, "left": bank[:2]}
        check_positive(params, PlacedChain, **strengths, **tables)
