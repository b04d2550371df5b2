"""What EM maximises: data, dynamics and a solver; one pass of plain EM over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import FloatArray, IntentionDynamics, Parameters
from hiql.inference import Expectation, expect, smooth
from hiql.solvers.preference import Evidence, RewardSolver


class Point(NamedTuple):
    """A model's parameters θ: those of the dynamics, and the log-policies (K, S, A)."""

    dynamics: Parameters
    log_policy: FloatArray


class Step(NamedTuple):
    """One pass over the data at ``point``: its objective, and ``update`` = F(point)."""

    point: Point
    objective: float
    update: Point


def expect_here(problem: Problem, point: Point) -> Expectation:
    """The E-step in this process."""
    chain = problem.dynamics.chain(point.dynamics, problem.data)
    return expect(problem.data, chain, point.log_policy, problem.n_threads)


@dataclass(frozen=True)
class Problem:
    """What is to be maximised. ``sampling``, where given, draws the demonstrations as the paper does.

    ``e_step`` says where the E-step runs: here, or on a cluster (:mod:`hiql.cluster`).
    """

    data: Trajectories
    dynamics: IntentionDynamics
    solver: RewardSolver
    n_threads: int = 1
    sampling: np.random.Generator | None = None
    e_step: Callable[[Problem, Point], Expectation] = expect_here

    @property
    def is_monotone(self) -> bool:
        return self.solver.is_exact and self.sampling is None

    def reseeded(self, seed: np.random.SeedSequence) -> Problem:
        """The same problem with sampling, if any, from a generator of its own: runs may then go side by side."""
        return self if self.sampling is None else replace(self, sampling=np.random.default_rng(seed))

    def expect(self, point: Point) -> Expectation:
        return self.e_step(self, point)

    def evidence(self, point: Point, expectation: Expectation) -> Evidence:
        def weights() -> FloatArray:
            return smooth(self.data, self.dynamics.chain(point.dynamics, self.data), point.log_policy)

        evidence = Evidence(self.data, expectation.actions, weights)
        return evidence if self.sampling is None else evidence.sampled(self.sampling)

    def objective(self, point: Point, expectation: Expectation) -> float:
        """What EM climbs: log-likelihood plus log-priors."""
        prior = self.solver.log_prior(point.log_policy) + self.dynamics.log_prior(point.dynamics)
        return expectation.log_likelihood + prior

    def update(self, point: Point, expectation: Expectation) -> Point:
        """The M-step: the parameters that best explain the posteriors at ``point``."""
        return Point(
            self.dynamics.update(point.dynamics, expectation.chain),
            self.solver.policy(self.evidence(point, expectation)),
        )

    def step(self, point: Point) -> Step:
        """One E-step and one M-step."""
        expectation = self.expect(point)
        return Step(point, self.objective(point, expectation), self.update(point, expectation))
