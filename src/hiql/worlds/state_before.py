"""A world in which the state before is remembered: its states are pairs of the state before and the present one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from hiql.data.trajectories import Trajectories
from hiql.worlds.mdp import MDP

Codes = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class StateBefore:
    """Pairs (s_{t−1}, s_t) of a world of S states: the first S have no state before, the others are moves it allows."""

    world: MDP

    @cached_property
    def _rows(self) -> list[Any]:
        """(S, S) of each action, sparse."""
        world = self.world
        dense = () if world.is_sparse else world.transitions.transpose(1, 0, 2)
        return [sparse.csr_array(matrix) for matrix in (world.transitions if world.is_sparse else dense)]

    @cached_property
    def _moves(self) -> tuple[Codes, Codes]:
        """(from, to) of each move that some action makes, in order."""
        allowed = sparse.csr_array(sum(self._rows[1:], self._rows[0]))
        allowed.eliminate_zeros()
        allowed.sort_indices()
        return np.repeat(np.arange(self.world.n_states), np.diff(allowed.indptr)), allowed.indices.astype(np.int64)

    @property
    def before(self) -> Codes:
        """(M,) the state before, −1 where there is none."""
        return np.r_[np.full(self.world.n_states, -1), self._moves[0]]

    @property
    def now(self) -> Codes:
        """(M,) the present state."""
        return np.r_[np.arange(self.world.n_states), self._moves[1]]

    @cached_property
    def mdp(self) -> MDP:
        """The same world with pairs as states."""
        n_pairs, now = len(self.now), self.now
        matrices = []
        for rows in self._rows:
            entries = rows.tocoo()
            kept = entries.data > 0
            left, reached = entries.row[kept], entries.col[kept]
            shape = self.world.n_states, n_pairs
            ahead = sparse.csr_array((entries.data[kept], (left, self.pair(left, reached))), shape=shape)
            matrices.append(sparse.csr_array(ahead[now]))
        return MDP(tuple(matrices), self.world.discount)

    def pair(self, before: npt.ArrayLike, now: npt.ArrayLike) -> Codes:
        """The number of each pair; without a known state before, or one that leads there, that of the state alone."""
        n, (left, reached) = self.world.n_states, self._moves
        last, here = np.asarray(before, dtype=np.int64), np.asarray(now, dtype=np.int64)
        moves = left * n + reached  # sorted
        wanted = last * n + here
        at = np.minimum(np.searchsorted(moves, wanted), len(moves) - 1)
        known = (last >= 0) & (here >= 0) & (moves[at] == wanted)
        return np.where(known, n + at, here)

    def seen(self, data: Trajectories) -> Trajectories:
        """The same sessions with pairs as states."""
        before = np.r_[-1, data.states[:-1]]
        before[data.offsets[:-1]] = -1
        after = np.where(data.next_states >= 0, self.pair(data.states, data.next_states), -1)
        states = self.pair(before, data.states)
        return replace(data, states=states, next_states=after, n_states=len(self.now), state_labels=None)
