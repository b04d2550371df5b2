"""Three ways to pass over the data once, each a map from where the last pass ended to where the next begins.

Block by block, where both M-steps are counting and the data are few; all at once on expected counts, where there are
more; and all at once on the parameters themselves, where an M-step is anything else.
"""

from __future__ import annotations

import math
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol

import numpy as np

from hiql.choices.choice import ChoicePrior
from hiql.dynamics.chain import ChainCounts, ChainPrior
from hiql.engine.inference import Expectation, chunks
from hiql.engine.problem import Point, Problem
from hiql.kernels.block_sweep import sweep_blocks
from hiql.parts.part import FloatArray
from hiql.parts.rows import read_only

MOST_BLOCKS = 8
"""More blocks save hardly more passes, and each costs an M-step."""
STEPS_PER_ROW = 2
"""A block has at least so many steps for each row of the tables: then its M-step takes no longer than its E-step."""
TOO_FEW = 1e-200
"""Counts below this are left alone by a jump: they could not be scaled to any size."""
ALMOST_NOTHING = 0.1
"""Counts far below this are alike to a jump, which works on logarithms."""


class Swept(NamedTuple):
    """A pass over the data: where it ended, ``memory`` (B, n), and the ``objective`` reached.

    The parameters that follow from the memory reach the objective at least. ``point`` is for M-steps that go on from
    earlier parameters.
    """

    memory: FloatArray
    objective: float
    point: Point

    @property
    def totals(self) -> FloatArray:
        """(n,) the memory of all blocks together."""
        return self.memory.sum(axis=0)


class Sweeper(Protocol):
    """A pass is a map of memories. Any memory may go in: an M-step turns it into parameters first."""

    def begin(self, start: Point) -> Swept:
        """A first pass, at ``start``."""
        ...

    def sweep(self, before: Swept) -> Swept:
        """One pass, from where ``before`` ended."""
        ...

    def point(self, swept: Swept) -> Point:
        """The parameters that follow."""
        ...

    def coordinates(self, totals: FloatArray) -> FloatArray:
        """(n,) where a jump takes off: numbers without constraints."""
        ...

    def landed(self, swept: Swept, totals: FloatArray, coordinates: FloatArray) -> Swept:
        """``swept``, whose totals these are, moved to these coordinates."""
        ...


def sweeper_of(problem: Problem, start: Point) -> Sweeper:
    """The fastest way to pass that both parts allow.

    It depends on neither threads nor cluster, so that the answer does not. Priors are those of ``start``.
    """
    priors = problem.priors(start)
    if priors is None:
        return OnParameters(problem)
    return (InBlocks if len(chunks(problem.data)) == 1 else OnCounts)(problem, *priors)


class OnParameters:
    """Plain EM, jumps on the parts' own vectors."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def begin(self, start: Point) -> Swept:
        step = self._problem.step(start)
        return Swept(self._problem.vector(step.update)[None], step.objective, step.update)

    def sweep(self, before: Swept) -> Swept:
        return self.begin(self.point(before))

    def point(self, swept: Swept) -> Point:
        return self._problem.from_vector(swept.totals, swept.point)

    def coordinates(self, totals: FloatArray) -> FloatArray:
        return totals

    def landed(self, swept: Swept, totals: FloatArray, coordinates: FloatArray) -> Swept:  # noqa: ARG002
        return swept._replace(memory=coordinates[None])


class OnCounts:
    """Plain EM, jumps on expected counts: an M-step, then the E-step of all data."""

    def __init__(self, problem: Problem, chain: ChainPrior, choice: ChoicePrior) -> None:
        self._problem = problem
        self._priors = chain, choice
        self._shapes = [*(prior.shape for prior in chain), choice.pseudo_counts.shape]
        ends = accumulate((math.prod(shape) for shape in self._shapes), initial=0)
        self._places = [slice(*place) for place in pairwise(ends)]

    def begin(self, start: Point) -> Swept:
        expectation = self._problem.expect(start)
        *_, (n_rows, _) = self._shapes
        flat = [part.ravel() for part in (*expectation.chain, expectation.choice[:n_rows])]
        return Swept(np.concatenate(flat)[None], self._problem.objective(start, expectation), start)

    def sweep(self, before: Swept) -> Swept:
        return self.begin(self.point(before))

    def point(self, swept: Swept) -> Point:
        parts = (swept.totals[place] for place in self._places)
        initial, transitions, rows = (part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True))
        choice = np.concatenate([rows, np.zeros((1, rows.shape[1]))])  # steps without evidence have no say
        return self._problem.update(swept.point, Expectation(np.nan, ChainCounts(initial, transitions), choice))

    def coordinates(self, totals: FloatArray) -> FloatArray:
        return np.log(totals + ALMOST_NOTHING)

    def landed(self, swept: Swept, totals: FloatArray, coordinates: FloatArray) -> Swept:
        """The counts of each block scaled alike, so that they stay counts."""
        highest = math.log(totals.sum() + ALMOST_NOTHING)  # no count is more than all counts
        landing = np.exp(np.minimum(coordinates, highest)) - ALMOST_NOTHING
        scale = np.divide(np.maximum(landing, 0.0), totals, out=np.ones_like(totals), where=totals > TOO_FEW)
        return swept._replace(memory=swept.memory * scale)


class InBlocks(OnCounts):
    """Incremental EM in one compiled loop (:mod:`hiql.kernels.block_sweep`): an M-step after each block's E-step."""

    def __init__(self, problem: Problem, chain: ChainPrior, choice: ChoicePrior) -> None:
        super().__init__(problem, chain, choice)
        data, n_rows = problem.data, max(math.prod(shape[:-1]) for shape in self._shapes)
        self._n_blocks = max(1, min(MOST_BLOCKS, data.n_sessions, data.n_steps // (STEPS_PER_ROW * n_rows)))
        taken, begins, moves = problem.row_numbers
        self._steps = read_only(data.offsets), taken, begins, moves if len(chain.transitions) > 1 else None
        self._settings = *chain, *choice, problem.is_posterior
        initial, bank, (n_rows, n_intentions) = self._shapes
        self._intentions = (0,) * n_intentions
        # Room for what is written in every pass: beginnings, moves, and the choice, whose last row is that of steps
        # without evidence; and what the smoother works in.
        self._tables = np.empty(initial), np.empty(bank), np.ones((n_rows + 1, n_intentions))
        self._work = np.empty((int(data.lengths.max()), n_intentions))

    def begin(self, start: Point) -> Swept:
        chunk = self._problem.read(start).all_sessions
        chain, some = chunk.chain.dense(), (*chunk.chain.some, chunk.taken.some)
        for room, part, read in zip(self._tables, some, chain.tables(chunk.taken.table), strict=True):
            room[slice(None) if part is None else part.rows] = read
        nothing = np.zeros((self._n_blocks, sum(math.prod(shape) for shape in self._shapes)))
        return self._swept(nothing, start, renewing=False)

    def sweep(self, before: Swept) -> Swept:
        return self._swept(before.memory.copy(), before.point, renewing=True)

    def _swept(self, memory: FloatArray, point: Point, *, renewing: bool) -> Swept:
        at = self._intentions, renewing, self._steps, self._settings, memory, self._tables, self._work
        return Swept(memory, sweep_blocks(*at), point)
