"""Two ways to pass over the data once, from expected counts to expected counts: all at once, or block by block."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from hiql.dynamics.chain import ChainCounts, FloatArray
from hiql.dynamics.markov import MarkovChain
from hiql.inference import Expectation, chunks, read_tables
from hiql.kernels.block_sweep import sweep_blocks
from hiql.problem import Point, Problem
from hiql.solvers.counting import CountingPolicy

MOST_BLOCKS = 8
"""More blocks save hardly more passes, and each costs an M-step."""
STEPS_PER_PAIR = 2
"""A block has at least so many steps for each pair (s, a): then its M-step takes no longer than its E-step."""


class Swept(NamedTuple):
    """A pass over the data: expected counts ``memory`` (B, n) of each block, flat, and the ``objective`` reached.

    The parameters that follow from the counts reach the objective at least. ``point`` is for M-steps that go on from
    earlier parameters.
    """

    memory: FloatArray
    objective: float
    point: Point

    @property
    def totals(self) -> FloatArray:
        """(n,) the counts of all blocks together."""
        return self.memory.sum(axis=0)


class Sweeper(Protocol):
    """A pass is a map of counts. Any counts may go in: an M-step turns them into parameters first."""

    def begin(self, start: Point) -> Swept:
        """The counts at ``start``."""
        ...

    def sweep(self, before: Swept) -> Swept:
        """One pass, from the counts of ``before``."""
        ...

    def point(self, swept: Swept) -> Point:
        """The parameters that follow from the counts."""
        ...


def sweeper_of(problem: Problem, n_intentions: int) -> Sweeper:
    """Block by block where the data are too few to be shared out, and the M-step is known to be nothing but counting.

    Dynamics and solvers of others, also those that inherit from ours, may have M-steps of their own. The choice depends
    on neither threads nor cluster, so that the answer does not.
    """
    dynamics, solver = problem.dynamics, problem.solver
    if (
        type(dynamics) is MarkovChain
        and isinstance(solver, CountingPolicy)
        and type(solver).policy is CountingPolicy.policy
        and len(chunks(problem.data)) == 1
    ):
        return InBlocks(problem, n_intentions, dynamics.pseudo_count, solver.pseudo_count)
    return AtOnce(problem)


class AtOnce:
    """Plain EM: an M-step, then the E-step of all data. The objective is that of the parameters in between."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._shapes: list[tuple[int, ...]] = []  # of the counts, known after the first pass

    def begin(self, start: Point) -> Swept:
        expectation = self._problem.expect(start)
        counts = (*expectation.chain, expectation.actions)
        self._shapes = [part.shape for part in counts]
        flat = np.concatenate([part.ravel() for part in counts])
        return Swept(flat[None], self._problem.objective(start, expectation), start)

    def sweep(self, before: Swept) -> Swept:
        return self.begin(self.point(before))

    def point(self, swept: Swept) -> Point:
        ends = np.cumsum([np.prod(shape, dtype=int) for shape in self._shapes])
        parts = np.split(swept.totals, ends[:-1])
        initial, transitions, actions = (part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True))
        return self._problem.update(swept.point, Expectation(np.nan, ChainCounts(initial, transitions), actions))


class InBlocks:
    """Incremental EM in one compiled loop (:mod:`hiql.kernels.block_sweep`): an M-step after each block's E-step."""

    def __init__(
        self, problem: Problem, n_intentions: int, chain_prior: float, policy_prior: float | FloatArray
    ) -> None:
        data = problem.data
        shape = (n_intentions, data.n_states, data.n_actions)
        pair_prior = np.broadcast_to(policy_prior, shape).reshape(n_intentions, -1).T
        self._problem = problem
        self._priors = float(chain_prior), np.ascontiguousarray(pair_prior, dtype=np.float64)
        most = data.n_steps // (STEPS_PER_PAIR * len(pair_prior))
        self._n_blocks = max(1, min(MOST_BLOCKS, data.n_sessions, most))

    def begin(self, start: Point) -> Swept:
        chain = self._problem.dynamics.chain(start.dynamics, self._problem.data)
        tables = read_tables(self._problem.data, chain, start.log_policy)
        n_pairs, n_intentions = self._priors[1].shape
        nothing = np.zeros((self._n_blocks, n_intentions * (1 + n_intentions + n_pairs)))
        before = Swept(nothing, -np.inf, start)
        return self._swept(before, tables.chain.initial, tables.chain.bank, tables.emission.table, renewing=False)

    def sweep(self, before: Swept) -> Swept:
        n_pairs, n_intentions = self._priors[1].shape
        tables = np.empty(n_intentions), np.empty((1, n_intentions, n_intentions)), np.ones((n_pairs + 1, n_intentions))
        return self._swept(before, *tables, renewing=True)

    def _swept(
        self, before: Swept, initial: FloatArray, bank: FloatArray, emission: FloatArray, *, renewing: bool
    ) -> Swept:
        data, memory = self._problem.data, before.memory.copy()
        where = (0,) * len(initial), renewing, data.offsets, data.pairs, data.n_actions
        work = np.empty((int(data.lengths.max()), len(initial)))
        objective = sweep_blocks(*where, self._priors, memory, initial, bank, emission, work)
        return Swept(memory, objective, before.point)

    def point(self, swept: Swept) -> Point:
        n_pairs, n_intentions = self._priors[1].shape
        ends = [n_intentions, n_intentions * (1 + n_intentions)]
        initial, transitions, pairs = np.split(swept.totals, ends)
        counts = ChainCounts(initial, transitions.reshape(1, n_intentions, n_intentions))
        actions = pairs.reshape(n_pairs, n_intentions).T.reshape(swept.point.log_policy.shape)
        return self._problem.update(swept.point, Expectation(np.nan, counts, actions))
