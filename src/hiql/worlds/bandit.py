"""A bandit whose chances change in blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hiql.worlds.blocks import Block, Blocks
from hiql.worlds.environment import Answer, Environment, FloatArray, Format, IntArray, Moment
from hiql.worlds.paying import Armed, checked_chances, pay

CHANCES = ((0.8, 0.2), (0.2, 0.8))


@dataclass(frozen=True, eq=False)
class Bandit(Environment):
    """Options that pay 1 or 0, each with a chance that depends on the block.

    It has a single state: what an animal remembers of its trials is the model's affair.

    Parameters
    ----------
    chances : (B, A) the chance of a reward of each option, in each kind of block
    block_trials : least and most trials of a block, all numbers between them alike
    baited : whether a reward on an option that was not chosen waits there until it is
    """

    chances: npt.ArrayLike = CHANCES
    block_trials: tuple[int, int] = (20, 60)
    baited: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "chances", checked_chances("chances", self.chances))
        _ = self._blocks  # checks its trials

    @property
    def _table(self) -> FloatArray:
        return np.asarray(self.chances)

    @property
    def _blocks(self) -> Blocks:
        return Blocks(len(self._table), self.block_trials)

    @property
    def format(self) -> Format:
        return Format(1, self._table.shape[1])

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        nothing = np.zeros((n_sessions, self.format.n_actions), dtype=bool)
        return _moment(self._blocks.begin(n_sessions, rng), nothing)

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        block, armed = moment.hidden
        outcomes, armed = pay(armed, self._table[block.kind], actions, self.baited, rng)
        return Answer(outcomes, _moment(self._blocks.after(block, rng), armed))


def _moment(block: Block, armed: Armed) -> Moment:
    return Moment.at(np.zeros(len(armed), dtype=np.int64), (block, armed))
