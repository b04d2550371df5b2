"""A bandit whose chances change in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.errors import InvalidParameter
from hiql.worlds.environment import Answer, Environment, Format, IntArray, Moment
from hiql.worlds.paying import Armed, checked_chances, pay

BLOCKS = ((0.8, 0.2), (0.2, 0.8))


class _Blocks(NamedTuple):
    """Of n sessions: the kind of block, the trials left in it, and where rewards wait."""

    kind: IntArray
    left: IntArray
    armed: Armed


@dataclass(frozen=True, eq=False)
class Bandit(Environment):
    """Options that pay 1 or 0, each with a chance that depends on the block.

    It has a single state: what an animal remembers of its trials is the model's affair.

    Parameters
    ----------
    chances : (B, A) the chance of a reward of each option, in each kind of block
    block_trials : least and most trials of a block, all numbers between them alike
    baited : whether a reward on an option that was not chosen waits there until it is (see :func:`~.paying.pay`)

    The first kind is drawn at random, and each that follows from the others.
    """

    chances: npt.ArrayLike = BLOCKS
    block_trials: tuple[int, int] = (20, 60)
    baited: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "chances", checked_chances("chances", self.chances))
        limits = np.asarray(self.block_trials)
        if limits.shape != (2,) or limits.dtype.kind not in "iu" or not 1 <= limits[0] <= limits[1]:
            remedy = "give the least and the most trials of a block, whole numbers ≥ 1"
            raise InvalidParameter(parameter="block_trials", value=self.block_trials, remedy=remedy)

    @property
    def format(self) -> Format:
        return Format(1, np.shape(self.chances)[1])

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        kind = rng.integers(len(np.asarray(self.chances)), size=n_sessions)
        armed = np.zeros((n_sessions, self.format.n_actions), dtype=bool)
        return _moment(_Blocks(kind, self._lengths(n_sessions, rng), armed))

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        kind, left, armed = moment.hidden
        chances = np.asarray(self.chances)
        outcomes, armed = pay(armed, chances[kind], actions, self.baited, rng)
        others = kind + rng.integers(1, max(len(chances), 2), size=len(kind))
        over = left == 1
        kind = np.where(over, others % len(chances), kind)
        left = np.where(over, self._lengths(len(kind), rng), left - 1)
        return Answer(outcomes, _moment(_Blocks(kind, left, armed)))

    def _lengths(self, n: int, rng: np.random.Generator) -> IntArray:
        return rng.integers(self.block_trials[0], self.block_trials[1] + 1, size=n)


def _moment(blocks: _Blocks) -> Moment:
    return Moment.at(np.zeros(len(blocks.kind), dtype=np.int64), blocks)
