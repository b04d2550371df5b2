"""A task of perception: a stimulus in every trial, and a side that is right."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hiql.errors import InvalidParameter
from hiql.worlds.blocks import Block, Blocks
from hiql.worlds.draws import draw
from hiql.worlds.environment import Answer, Environment, FloatArray, Format, IntArray, Moment

SIDES = ("left", "right")
LEVELS = (-1.0, -0.5, -0.25, -0.125, 0.0, 0.125, 0.25, 0.5, 1.0)


@dataclass(frozen=True)
class Stimuli(Environment):
    """Stimuli drawn at random; of two actions, left and right, the second is right where the stimulus is positive.

    The stimulus is an input, and its level is the state. The right action pays 1, the other 0; at 0 a coin decides.

    Parameters
    ----------
    levels : the stimuli, in ascending order
    right_chances : for each kind of block, the chance that the stimulus is positive rather than negative; with more
        than one kind, the block is presented as a context "block", by its chance
    block_trials : least and most trials of a block
    """

    levels: tuple[float, ...] = LEVELS
    right_chances: tuple[float, ...] = (0.5,)
    block_trials: tuple[int, int] = (20, 60)

    def __post_init__(self) -> None:
        levels = np.asarray(self.levels, dtype=np.float64)
        if levels.ndim != 1 or levels.size < 2 or not np.isfinite(levels).all() or (np.diff(levels) <= 0).any():
            remedy = "give at least two numbers in ascending order"
            raise InvalidParameter(parameter="levels", value=self.levels, remedy=remedy)
        chances = np.asarray(self.right_chances, dtype=np.float64)
        if chances.ndim != 1 or chances.size < 1 or not ((chances >= 0) & (chances <= 1)).all():
            remedy = "give one number in [0, 1] for each kind of block"
            raise InvalidParameter(parameter="right_chances", value=self.right_chances, remedy=remedy)
        _ = self._blocks  # checks its trials

    @property
    def _blocks(self) -> Blocks:
        return Blocks(len(self.right_chances), self.block_trials)

    @property
    def _odds(self) -> FloatArray:
        """(B, levels) how often each level comes, in each kind of block: alike among those of one sign."""
        chance = np.asarray(self.right_chances)[:, None]
        sign = np.sign(self.levels)
        odds = np.where(sign > 0, chance, np.where(sign < 0, 1.0 - chance, 0.5))
        return odds / odds.sum(axis=1, keepdims=True)

    @property
    def format(self) -> Format:
        plain = Format(len(self.levels), 2, tuple(map(_side_and_size, self.levels)), SIDES, ("stimulus",))
        several = len(self.right_chances) > 1
        return replace(plain, context_names=("block",), context_labels=(self.right_chances,)) if several else plain

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        return self._moment(self._blocks.begin(n_sessions, rng), rng)

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        stimulus = moment.inputs[:, 0]
        right = np.where(stimulus == 0, rng.random(len(stimulus)) < 0.5, stimulus > 0)
        return Answer((actions == right).astype(np.float64), self._moment(self._blocks.after(moment.hidden, rng), rng))

    def _moment(self, block: Block, rng: np.random.Generator) -> Moment:
        states = draw(self._odds[block.kind], rng)
        moment = Moment.at(states, block, np.asarray(self.levels)[states][:, None])
        return moment._replace(contexts=block.kind[:, None][:, : len(self.format.context_names)])


def _side_and_size(level: float) -> str:
    """ "left 0.5" for -0.5: as a state, a bare -1 would mean that it is not known."""
    return f"{SIDES[int(level > 0)]} {abs(level):g}" if level else "0"
