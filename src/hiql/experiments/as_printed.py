"""Algorithm 3 as its authors ran it, with every ingredient of it apart.

They start ten times, with Λ as in Appendix C and Π and the policies at random; draw the demonstrations of each intention
by their posterior; add 1e-6 to the *probability* of an action inside the logarithm of IAVI, so that

    π_i(a|s) ∝ n_i(s, a) / n_i(s) + 1e-6      (uniform in a state without a drawn demonstration);

stop when the most likely intention of every training step is the same in two iterations; and keep, of the ten, the start
with the best *test* score (:func:`hiql.experiments.fitting.leaking_score`). IAVI's own start, at random, and its own
stopping rule, 1e-3 in the reward, change nothing here: softmax(Q) is the policy that went in after every sweep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import Parameters
from hiql.dynamics.markov import MarkovChain
from hiql.em import Climb
from hiql.inference import smooth
from hiql.intention_model import IntentionModel
from hiql.problem import Point, Problem
from hiql.search import Attempt, Restarts, random_policies
from hiql.solvers.counting import log_policy_from_counts
from hiql.solvers.preference import Evidence, FloatArray, Preference, RewardSolver

MAX_PASSES = 200
"""Where we end a start whose decoding has not come to rest; their code has no such limit that we know of."""
FLOOR = 1e-6


@dataclass(frozen=True, eq=False)
class FlooredPolicy:
    """π(a|s) ∝ share of a among the demonstrations in s + ``floor``; rewards as ``inner`` finds them."""

    inner: RewardSolver
    floor: float = FLOOR
    is_exact: bool = False

    def check(self, data: Trajectories, n_intentions: int) -> None:
        self.inner.check(data, n_intentions)

    def policy(self, evidence: Evidence) -> FloatArray:
        shares = np.exp(log_policy_from_counts(evidence.counts, 0.0))
        return log_policy_from_counts(shares, self.floor)

    def log_prior(self, log_policy: FloatArray) -> float:  # noqa: ARG002
        return 0.0

    def explain(self, evidence: Evidence, log_policy: FloatArray) -> Preference:
        return self.inner.explain(evidence, log_policy)


@dataclass(frozen=True)
class RandomStartChain(MarkovChain):
    """A chain whose Π starts at random, not uniform."""

    def init(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Parameters:
        _, transition = super().init(data, n_intentions, rng)
        initial = rng.random(n_intentions)
        return np.log(initial / initial.sum()), transition


class AsPrinted(IntentionModel):
    """One start of Algorithm 3, its last point.

    Parameters
    ----------
    solver : how rewards explain policies; its M-step is replaced by the one above unless ``floor`` is None
    sampled : draw demonstrations by their posterior, or weight them
    dynamics : the chain, without pseudo-counts and with Π at random by default
    until_decoded : stop when the decoded intentions stand still; else when an iteration gains less than 1e-7, relatively
    """

    def __init__(
        self,
        n_intentions: int = 2,
        *,
        solver: RewardSolver,
        sampled: bool = True,
        floor: float | None = FLOOR,
        dynamics: MarkovChain = RandomStartChain(pseudo_count=0.0),  # noqa: B008
        until_decoded: bool = True,
        random_state: int = 0,
    ) -> None:
        super().__init__(n_intentions, solver=solver, dynamics=dynamics, sampled=sampled, random_state=random_state)
        self.floor = floor
        self.until_decoded = until_decoded

    def _solver(self) -> RewardSolver:
        return self.solver if self.floor is None else FlooredPolicy(self.solver, self.floor)

    def fit(self, data: Trajectories, y: object = None, **options: Any) -> Self:  # noqa: ARG002
        """Find the intentions behind the data."""
        solver, dynamics = self._solver(), self._dynamics()
        solver.check(data, self.n_intentions)
        rng = np.random.default_rng(self.random_state)
        problem = Problem(data, dynamics, solver, 1, rng if self.sampled else None)
        shape = (self.n_intentions, data.n_states, data.n_actions)
        start = Point(dynamics.init(data, self.n_intentions, rng), random_policies(shape, rng))
        best = self._climb(problem, start)
        self._keep(problem, best, Restarts((Attempt("start", best.objective, best.n_passes),)), sort=True)
        self.coding_ = Coding.of(data)
        self.about_: dict[str, Any] = {}
        return self

    def _climb(self, problem: Problem, point: Point) -> Climb:
        """EM until their criterion, or ours, is met; the last point, whether it is the best or not."""
        trace: list[float] = []
        decoded, converged = None, False
        while not converged and len(trace) < MAX_PASSES:
            expectation = problem.expect(point)
            trace.append(problem.objective(point, expectation))
            if self.until_decoded:
                before, decoded = decoded, self._most_likely(problem, point)
                converged = before is not None and bool((before == decoded).all())
            else:
                converged = len(trace) > 1 and abs(trace[-1] - trace[-2]) <= self.tol * abs(trace[-1])
            if not converged:
                point = problem.update(point, expectation)
        return Climb(point, trace[-1], tuple(trace), len(trace), converged)

    @staticmethod
    def _most_likely(problem: Problem, point: Point) -> Any:
        chain = problem.dynamics.chain(point.dynamics, problem.data)
        return smooth(problem.data, chain, point.log_policy).argmax(axis=1)
