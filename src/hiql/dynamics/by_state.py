"""Switching that depends on where the animal is: one matrix for each context, around a common one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from hiql.data.coding import Coding
from hiql.data.matching import context_column
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import ChainCounts, ChainPrior, Timeline
from hiql.dynamics.markov import ChainParameters, MarkovChain
from hiql.errors import InvalidParameter
from hiql.parts.log_probabilities import check_positive
from hiql.parts.part import FloatArray, Order
from hiql.parts.registry import register
from hiql.parts.rows import Rows
from hiql.priors import Tree, learn, settled

STATE_LEFT, STATE_ENTERED, LAST_ACTION = "state left", "state entered", "last action"
BEFORE_LEARNING = 2.0
"""Pseudo-counts of each row until the prior is learned."""


@register
@dataclass(frozen=True, eq=False)
class PlacedChain(ChainParameters):
    """log Λ (M + 1, K, K), the last one for anywhere; the pseudo-counts of its rows, the ``strength`` (1, K) that holds
    each intention's rows together, and how often it was ``left`` or kept in each context (M + 1, K)."""

    pseudo_counts: FloatArray
    strength: FloatArray
    left: FloatArray


@register
@dataclass(frozen=True)
class ByState(MarkovChain):
    """z_t ~ Λ_c[z_{t−1}], where c is the context of the step, and Λ_c[i] ~ Dirichlet(s_i · Λ[i]).

    Each context has a matrix of its own, pulled towards the common one with a strength that is learned for every
    intention (``docs/theory/pooling.md``). A context that was never met has the common matrix.

    Parameters
    ----------
    context : "state left" (that of the step before), "state entered", "last action", or the name of one of the data's
        contexts
    pseudo_count : as in :class:`MarkovChain`, of the beginnings and of the common matrix
    """

    context: str = STATE_LEFT
    coding: Coding | None = field(default=None, repr=False, kw_only=True)

    def knowing(self, coding: Coding) -> ByState:
        return replace(self, coding=coding)

    def check(self, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        if not isinstance(self.context, str):
            remedy = f"choose {STATE_LEFT!r}, {STATE_ENTERED!r}, {LAST_ACTION!r} or the name of a context of the data"
            raise InvalidParameter(parameter="context", value=self.context, remedy=remedy)
        self._codes(data)

    def bind(self, data: Trajectories) -> Timeline:
        size, codes = self._codes(data)
        known = np.where((codes >= 0) & (codes < size), codes, size)
        return super().bind(data)._replace(moves=Rows.of_steps(size + 1, known, data.offsets))

    def _codes(self, data: Trajectories) -> tuple[int, npt.NDArray[np.integer]]:
        """How many contexts there are, and that of each step (N,)."""
        if self.context == STATE_ENTERED:
            return data.n_states, data.states
        if self.context in (STATE_LEFT, LAST_ACTION):
            at_left = self.context == STATE_LEFT
            size, now = (data.n_states, data.states) if at_left else (data.n_actions, data.actions)
            return size, np.r_[-1, now[:-1]]
        coding = Coding.of(data) if self.coding is None else self.coding
        labels = coding.context_labels[context_column(self.context, coding.context_names)]
        return len(labels), coding.context_codes(data, self.context)

    # --- the prior ----------------------------------------------------------------------------------------------

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> PlacedChain:
        chain = super().start(data, n_intentions, rng)
        n_contexts = len(chain.log_transition)
        sticky = BEFORE_LEARNING * (0.95 * np.eye(n_intentions) + 0.05 / n_intentions)
        return PlacedChain(
            chain.log_initial,
            chain.log_transition,
            np.tile(sticky, (n_contexts, 1, 1)),
            np.full((1, n_intentions), BEFORE_LEARNING),
            np.ones((n_contexts, n_intentions)),
        )

    def prior(self, params: ChainParameters) -> ChainPrior:
        assert isinstance(params, PlacedChain)
        return super().prior(params)._replace(transitions=params.pseudo_counts)

    def learned(self, params: PlacedChain, counts: ChainCounts) -> PlacedChain:
        moves = counts.transitions
        tree, visits = Tree.star(len(moves) - 1), moves.sum(axis=(1, 2), keepdims=True)
        root = np.full(moves.shape[-1], max(self.pseudo_count, 1e-6))
        rows, strength, pseudo_counts = learn(tree, moves, visits, root, params.strength)
        if settled(params.pseudo_counts, pseudo_counts):
            return params
        left = moves.sum(axis=-1)
        return replace(params, log_transition=np.log(rows), pseudo_counts=pseudo_counts, strength=strength, left=left)

    # --- what a fitted model shows, and keeps --------------------------------------------------------------------

    def summary(self, params: PlacedChain) -> dict[str, FloatArray]:
        """``transition``: the average over the data; ``switching`` (M + 1, K): how likely each context ends each
        intention; ``transition_strength`` (K,)."""
        bank, weights = np.exp(params.log_transition), params.left[..., None]
        average = (bank * weights).sum(axis=0) / weights.sum(axis=0)
        return {
            "initial": np.exp(params.log_initial[0]),
            "transition": np.where(weights.sum(axis=0) > 0, average, bank[-1]),
            "transition_by_context": bank,
            "transition_strength": params.strength[0],
        }

    def permute(self, params: PlacedChain, order: Order) -> PlacedChain:
        moved = super().permute(params, order)
        return replace(
            moved,
            pseudo_counts=params.pseudo_counts[:, order][:, :, order],
            strength=params.strength[:, order],
            left=params.left[:, order],
        )

    def check_params(self, params: PlacedChain, data: Trajectories, n_intentions: int) -> None:
        super().check_params(params, data, n_intentions)
        bank = params.log_transition.shape
        check_positive(params, PlacedChain, pseudo_counts=bank, strength=(1, n_intentions), left=bank[:2])
