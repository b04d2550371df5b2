"""The paper's model as the benchmarks use it: a plain Markov chain, policies by table, and what both are asked for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hiql.choices import Policies, TableChoice
from hiql.data.trajectories import Trajectories
from hiql.dynamics import MarkovChain
from hiql.dynamics.markov import ChainParameters
from hiql.engine.problem import Point, Problem


class Parameters(NamedTuple):
    """What a fit starts from or ends with: initial (K,), transition (K, K), policy p(a|s, z) (K, S, A)."""

    initial: np.ndarray
    transition: np.ndarray
    policy: np.ndarray

    @classmethod
    def of(cls, point: Point) -> Parameters:
        chain = point.dynamics
        return cls(*(np.exp(log) for log in (chain.log_initial[0], chain.log_transition[0], point.choice.log_policy)))

    @property
    def point(self) -> Point:
        """The same, as our parts hold it."""
        with np.errstate(divide="ignore"):
            initial, transition, policy = map(np.log, self)
        return Point(ChainParameters(initial[None], transition[None]), Policies(policy))


def problem_of(data: Trajectories, n_intentions: int, **options: Any) -> Problem:
    return Problem(data, MarkovChain(), TableChoice(), n_intentions, **options)


def random_point(problem: Problem, rng: np.random.Generator) -> Point:
    """A random start; the dynamics is drawn first, as in all starts on record."""
    return Point(*(part.start(problem.data, problem.n_intentions, rng) for part in problem.parts))
