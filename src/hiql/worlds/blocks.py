"""Blocks of trials, each of some kind, that follow one another whatever the animal does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hiql.errors import InvalidParameter
from hiql.worlds.environment import IntArray


class Block(NamedTuple):
    """Of n sessions: the kind of block they are in, and how many of its trials are left."""

    kind: IntArray
    left: IntArray


@dataclass(frozen=True)
class Blocks:
    """The first kind is drawn at random, each that follows from the others; lengths are uniform over ``trials``."""

    n_kinds: int
    trials: tuple[int, int]

    def __post_init__(self) -> None:
        limits = np.asarray(self.trials)
        if limits.shape != (2,) or limits.dtype.kind not in "iu" or not 1 <= limits[0] <= limits[1]:
            remedy = "give the least and the most trials of a block, whole numbers ≥ 1"
            raise InvalidParameter(parameter="block_trials", value=self.trials, remedy=remedy)

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Block:
        return Block(rng.integers(self.n_kinds, size=n_sessions), self._lengths(n_sessions, rng))

    def after(self, block: Block, rng: np.random.Generator) -> Block:
        """One trial later."""
        n = len(block.kind)
        another = block.kind + rng.integers(1, max(self.n_kinds, 2), size=n)
        fresh = self._lengths(n, rng)
        over = block.left == 1
        return Block(np.where(over, another % self.n_kinds, block.kind), np.where(over, fresh, block.left - 1))

    def _lengths(self, n: int, rng: np.random.Generator) -> IntArray:
        return rng.integers(self.trials[0], self.trials[1] + 1, size=n)
