"""The only EM loop: expectation–maximisation, accelerated where the M-step is exact.

Plain EM is the map θ → F(θ): posteriors of the intentions given θ (E), then the parameters that best explain them
(M). The objective it climbs is the log-likelihood plus the log-prior of policies and dynamics.

SQUAREM (Varadhan & Roland 2008) uses two EM steps r = F(θ) − θ and v = F(F(θ)) − F(θ) − r to jump ahead to
θ − 2ar + a²v with a = −‖r‖/‖v‖; a jump that lowers the objective is taken back, so the climb stays monotone. We
jump in log-probabilities and normalise, so that parameters stay probabilities. ``benchmarks/passes.py`` measures what
it saves. Anderson acceleration, L-BFGS preconditioned by EM, over-relaxation and Barzilai–Borwein steps, tried on the
same problems from a few starts each, saved no more; SQUAREM followed by L-BFGS saved about a tenth of the passes more.
Incremental EM (Neal & Hinton 1998), which updates the parameters after each session, and overshoots, came to a third of
plain EM's passes in a prototype; but its passes cost two to four of ours, cannot be shared among threads, and led more
starts to other optima. So it is not here.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import FloatArray, IntentionDynamics, Parameters
from hiql.inference import Expectation, expect, smooth
from hiql.kernels.log_tables import differences, jumped
from hiql.solvers.preference import Evidence, RewardSolver


class Point(NamedTuple):
    """A model's parameters θ: those of the dynamics, and the log-policies (K, S, A)."""

    dynamics: Parameters
    log_policy: FloatArray


class Step(NamedTuple):
    """One pass over the data at ``point``: its objective, and ``update`` = F(point)."""

    point: Point
    objective: float
    log_likelihood: float
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

    def step(self, point: Point) -> Step:
        """One E-step and one M-step."""
        expectation = self.expect(point)
        update = Point(
            self.dynamics.update(point.dynamics, expectation.chain),
            self.solver.policy(self.evidence(point, expectation)),
        )
        return Step(point, self.objective(point, expectation), expectation.log_likelihood, update)


class Climb(NamedTuple):
    """A finished (or abandoned) run: where it ended, the objective after each accepted step, and what it cost."""

    point: Point
    objective: float
    log_likelihood: float
    trace: tuple[float, ...]
    n_passes: int
    converged: bool


def climb(
    problem: Problem,
    start: Point,
    max_passes: int,
    tol: float,
    hopeless: Callable[[list[float]], bool] = lambda trace: False,  # noqa: ARG005
    *,
    accelerate: bool = True,
) -> Climb:
    """Climb from ``start`` until a step gains less than ``tol`` relative to the objective.

    ``hopeless(trace)`` may end the climb early. Where the M-step is random the objective can fall; the best
    point met is then returned, and the run uses its passes unless the objective stands still.
    """
    step = best = problem.step(start)
    trace, passes = [step.objective], 1
    converged = False
    longest = 4.0
    while passes < max_passes and not converged and not hopeless(trace):
        first, step = step, problem.step(step.update)
        passes += 1
        trace.append(step.objective)
        best = max(best, step, key=lambda s: s.objective)
        converged = bool(abs(step.objective - first.objective) <= tol * abs(step.objective))
        if accelerate and problem.is_monotone and not converged and passes < max_passes:
            jump, factor = _extrapolate(first.point, step.point, step.update, longest)
            if factor > 1.0:
                landed = problem.step(jump)
                passes += 1
                if landed.objective >= step.objective:
                    step = best = landed
                    trace.append(landed.objective)
                    longest = 4 * longest if factor == longest else longest
                else:
                    longest = max(2.0, longest / 2)
    return Climb(best.point, best.objective, best.log_likelihood, tuple(trace), passes, converged)


def _extrapolate(zero: Point, one: Point, two: Point, longest: float) -> tuple[Point, float]:
    """SQUAREM's jump from three successive points, and its length −a, between 1 and ``longest``."""
    triples = list(zip(_tables(zero), _tables(one), _tables(two), strict=True))
    r_square, v_square = (sum(squares) for squares in zip(*(differences(*triple) for triple in triples), strict=True))
    factor = min(max(math.sqrt(r_square / max(v_square, sys.float_info.min)), 1.0), longest)
    *dynamics, log_policy = (jumped(*triple, factor) for triple in triples)
    shaped = tuple(table.reshape(like.shape) for table, like in zip(dynamics, zero.dynamics, strict=True))
    return Point(shaped, log_policy.reshape(zero.log_policy.shape)), factor


def _tables(point: Point) -> list[FloatArray]:
    """All parameters as tables (R, A) of log-probabilities, normalised by rows."""
    return [array.reshape(-1, array.shape[-1]) for array in (*point.dynamics, point.log_policy)]
