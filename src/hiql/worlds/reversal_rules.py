"""The rules of the reversal task (paper, §5.3): two spouts, one of them good until it is mastered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.errors import InvalidParameter
from hiql.worlds.environment import Answer, Environment, Format, IntArray, Moment


class Block(NamedTuple):
    """Of n sessions: the good ``side``, the ``number`` of the block, its ``trials`` so far, and whether each of the
    last trials was correct, ``recent`` (n, window)."""

    side: IntArray
    number: IntArray
    trials: IntArray
    recent: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ReversalTask(Environment):
    """Choosing the good spout is correct; it changes sides once it is mastered.

    It is random in a session's first trial, and changes once at least ``criterion`` of the last ``window`` trials were
    correct in a block of at least ``min_block``; the window does not reach back into the block before. A correct choice
    is rewarded with ``reward_probability``, a wrong one with ``reward_probability_wrong``.
    """

    reward_probability_wrong: float = 0.0
    reward_probability: float = 1.0
    criterion: float = 0.75
    window: int = 15
    min_block: int = 20

    def __post_init__(self) -> None:
        for name in ("reward_probability_wrong", "reward_probability", "criterion"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InvalidParameter(parameter=name, value=getattr(self, name), remedy="choose a number in [0, 1]")
        for name in ("window", "min_block"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or value < 1:
                raise InvalidParameter(parameter=name, value=value, remedy="choose a whole number of trials ≥ 1")

    @property
    def format(self) -> Format:
        return Format(1, 2)

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        return self.opening(rng.integers(2, size=n_sessions))

    def opening(self, side: IntArray) -> Moment:
        """The first trial of sessions (n,) in which this side is good."""
        nothing = np.zeros((len(side), self.window), dtype=bool)
        return _moment(Block(side, np.zeros_like(side), np.zeros_like(side), nothing))

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        block: Block = moment.hidden
        correct = actions == block.side
        chance = np.where(correct, self.reward_probability, self.reward_probability_wrong)
        outcomes = (rng.random(len(actions)) < chance).astype(np.float64)
        recent = np.concatenate([block.recent[:, 1:], correct[:, None]], axis=1)
        trials = block.trials + 1
        done = (trials >= max(self.min_block, self.window)) & (recent.mean(axis=1) >= self.criterion)
        following = Block(np.where(done, 1 - block.side, block.side), block.number + done, trials * ~done, recent)
        return Answer(outcomes, _moment(following))


def _moment(block: Block) -> Moment:
    return Moment.at(np.zeros(len(block.side), dtype=np.int64), block)
