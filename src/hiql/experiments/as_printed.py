"""Algorithm 3 as its authors ran it, with every ingredient of it apart.

They start ten times, with Λ as in Appendix C, and Π and the policies at random; draw the demonstrations of each
intention by their posterior; add 1e-6 to the *probability* of an action inside the logarithm of IAVI, so that

    π_i(a|s) ∝ n_i(s, a) / n_i(s) + 1e-6      (uniform in a state without a drawn demonstration);

stop when the most likely intention of every training step is the same in two iterations; and keep, of the ten, the
start with the best *test* score (:func:`hiql.evaluate.leaking_score`). IAVI's own start, at random, and its own
stopping rule, 1e-3 in the reward, change nothing here: softmax(Q) is the policy that went in after every sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from hiql.choices.choice import Evidence
from hiql.choices.table import Policies, TableChoice, log_policy_from_counts
from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.dynamics.markov import ChainParameters, MarkovChain
from hiql.engine.climb import Climb
from hiql.engine.inference import smooth
from hiql.engine.problem import Point, Problem
from hiql.engine.search import Attempt, Restarts
from hiql.evaluate.measures.leaking import leaking_score
from hiql.models.intention_model import IntentionModel
from hiql.rewards.preference import Reward

MAX_PASSES = 200
"""Where we end a start whose decoding has not come to rest; their code has no such limit that we know of."""
FLOOR = 1e-6
AS_PRINTED, LEAKING = "as printed", "their score (leaks)"
"""What summaries call the row of this procedure, and the column of its score."""


@dataclass(frozen=True, eq=False)
class FlooredPolicies(TableChoice):
    """π(a|s) ∝ share of a among the demonstrations in s + ``floor``."""

    floor: float = FLOOR

    @property
    def exact(self) -> bool:
        return False

    def update(self, params: Policies, evidence: Evidence) -> Policies:
        counts = evidence.counts[:-1].T.reshape(params.log_policy.shape)
        return Policies(log_policy_from_counts(np.exp(log_policy_from_counts(counts, 0.0)), self.floor))

    def log_prior(self, params: Policies) -> float:  # noqa: ARG002
        return 0.0


@dataclass(frozen=True)
class RandomStartChain(MarkovChain):
    """A chain whose Π starts at random, not uniform."""

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> ChainParameters:
        uniform = super().start(data, n_intentions, rng)
        initial = rng.random(n_intentions)
        return replace(uniform, log_initial=np.log(initial / initial.sum())[None])


class Procedure(NamedTuple):
    """The ingredients; the defaults are the authors'. Plain values, so that units of work can hold them.

    sampled : draw demonstrations by their posterior, or weight them
    floor : added to the probability inside the logarithm; None: ``pseudo_count`` is added to the counts
    random_initial : Π at random, or uniform as the paper's text has it
    chain_pseudo_count : added to the counts of Π and Λ
    until_decoded : stop when the decoded intentions stand still, or when an iteration gains less than 1e-7, relatively
    n_starts, chosen_by : how many starts, and the best by what: "leaking" or "test" score, or "training" likelihood
    """

    sampled: bool = True
    floor: float | None = FLOOR
    pseudo_count: float = 0.0
    random_initial: bool = True
    chain_pseudo_count: float = 0.0
    until_decoded: bool = True
    n_starts: int = 10
    chosen_by: str = "leaking"


class AsPrinted(IntentionModel):
    """One start of Algorithm 3, its last point. ``reward`` says how rewards explain policies."""

    def __init__(
        self,
        n_intentions: int = 2,
        *,
        reward: Reward,
        procedure: Procedure = Procedure(),  # noqa: B008
        random_state: int = 0,
    ) -> None:
        super().__init__(n_intentions, reward=reward, sampled=procedure.sampled, random_state=random_state)
        self.procedure = procedure

    def _choice(self) -> TableChoice:
        floor = self.procedure.floor
        return TableChoice(self.procedure.pseudo_count) if floor is None else FlooredPolicies(floor=floor)

    def _dynamics(self) -> MarkovChain:
        kind = RandomStartChain if self.procedure.random_initial else MarkovChain
        return kind(self.procedure.chain_pseudo_count)

    def fit(self, data: Trajectories, y: object = None, **options: Any) -> Self:  # noqa: ARG002
        """Find the intentions behind the data."""
        rng = np.random.default_rng(self.random_state)
        problem = self._problem(data, sampling=rng if self.sampled else None)
        dynamics = problem.dynamics.start(data, problem.n_intentions, rng)
        best = self._climb(problem, Point(dynamics, problem.choice.start(data, problem.n_intentions, rng)))
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
            if self.procedure.until_decoded:
                before, decoded = decoded, self._most_likely(problem, point)
                converged = before is not None and bool((before == decoded).all())
            else:
                converged = len(trace) > 1 and abs(trace[-1] - trace[-2]) <= self.tol * abs(trace[-1])
            if not converged:
                point = problem.update(point, expectation)
        return Climb(lambda: point, trace[-1], tuple(trace), len(trace), converged)

    @staticmethod
    def _most_likely(problem: Problem, point: Point) -> Any:
        return smooth(problem.read(point)).argmax(axis=1)


CHOICES: dict[str, Callable[[IntentionModel, Trajectories], float]] = {
    "leaking": leaking_score,
    "test": lambda model, test: model.score(test),
    "training": lambda model, test: model.log_likelihood_,  # noqa: ARG005
}


def fit_as_printed(
    n_intentions: int,
    reward: Reward,
    train: Trajectories,
    test: Trajectories,
    *,
    procedure: Procedure = Procedure(),  # noqa: B008
    seed: int = 0,
) -> IntentionModel:
    """The best of ``procedure.n_starts`` starts on ``train``."""
    starts = [
        AsPrinted(n_intentions, reward=reward, procedure=procedure, random_state=1000 * seed + i).fit(train)
        for i in range(procedure.n_starts if n_intentions > 1 else 1)
    ]
    return max(starts, key=lambda model: CHOICES[procedure.chosen_by](model, test))


def about_as_printed(n_starts: int) -> str:
    """For summaries: what the row and the column are."""
    return (
        f"Rows *{AS_PRINTED}* are Algorithm 3 as its authors ran it: sampled, 1e-6 in the logarithm, {n_starts} "
        f"starts, best by test. *{LEAKING}* is the score they report, Σ log Σ_z p(z_t | whole session) π_z(a_t|s_t): "
        "its posterior has seen the action it predicts, and the future, so it is no likelihood of held-out data."
    )
