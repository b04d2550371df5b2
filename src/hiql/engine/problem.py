"""What EM maximises: data and the two parts of a model; one pass of plain EM over it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.choices.choice import Choice, ChoicePrior, Evidence
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import ChainPrior, IntentionDynamics
from hiql.engine.inference import Expectation, Reading, expect, smooth
from hiql.parts.part import FloatArray, Order
from hiql.parts.rows import read_only
from hiql.priors.estimates import MODE


class Point(NamedTuple):
    """A model's parameters θ: those of its dynamics and those of its choice."""

    dynamics: Any
    choice: Any


class Step(NamedTuple):
    """One pass over the data at ``point``: its objective, and ``update`` = F(point)."""

    point: Point
    objective: float
    update: Point


def expect_here(problem: Problem, point: Point) -> Expectation:
    """The E-step in this process."""
    return expect(problem.read(point), problem.n_threads)


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be maximised. ``sampling``, where given, draws the demonstrations as the paper does.

    ``e_step`` says where the E-step runs: here, or on a cluster (:mod:`hiql.engine.cluster`).
    """

    data: Trajectories
    dynamics: IntentionDynamics
    choice: Choice
    n_intentions: int
    n_threads: int = 1
    sampling: np.random.Generator | None = None
    e_step: Callable[[Problem, Point], Expectation] = expect_here

    @cached_property
    def timeline(self) -> Any:
        """The rows of the dynamics, bound to the data once."""
        return self.dynamics.bind(self.data)

    @cached_property
    def rows(self) -> Any:
        """The rows of the choice, bound to the data once."""
        return self.choice.bind(self.data)

    @cached_property
    def row_numbers(self) -> tuple[npt.NDArray[np.uint32], ...]:
        """What all sessions read of the choice, of beginnings and of moves: for passes over data that fit in memory."""
        bound = self.rows, *self.timeline
        return tuple(read_only(np.ascontiguousarray(rows.between(0, self.data.n_sessions))) for rows in bound)

    @property
    def parts(self) -> tuple[IntentionDynamics, Choice]:
        return self.dynamics, self.choice

    @property
    def is_monotone(self) -> bool:
        return all(part.exact for part in self.parts) and self.sampling is None

    @property
    def is_posterior(self) -> bool:
        """Whether posteriors are looked for, not modes."""
        return all(part.is_posterior for part in self.parts)

    def estimating(self, estimate: str) -> Problem:
        """The same problem, looking for modes or for posteriors (:mod:`hiql.priors.estimates`)."""
        dynamics, choice = self.dynamics.estimating(estimate), self.choice.estimating(estimate)
        same = dynamics is self.dynamics and choice is self.choice
        return self if same else replace(self, dynamics=dynamics, choice=choice)

    def reseeded(self, seed: np.random.SeedSequence) -> Problem:
        """The same problem with sampling, if any, from a generator of its own: runs may then go side by side."""
        return self if self.sampling is None else replace(self, sampling=np.random.default_rng(seed))

    def start(self, rng: np.random.Generator) -> Point:
        """Random parameters."""
        return self.with_new_dynamics(self.choice.start(self.data, self.n_intentions, rng), rng)

    def with_new_dynamics(self, choice: Any, rng: np.random.Generator) -> Point:
        """These parameters of the choice, and a random start of the dynamics."""
        return Point(self.dynamics.start(self.data, self.n_intentions, rng), choice)

    def permute(self, point: Point, order: Order) -> Point:
        """The same with intention ``order[i]`` called i."""
        return Point(*(part.permute(params, order) for part, params in zip(self.parts, point, strict=True)))

    def sorted(self, point: Point, use: FloatArray) -> Point:
        """The same with the intentions of most ``use`` (K,) first; those with priors of their own keep their names."""
        order = np.argsort(-use, kind="stable")
        if (order[:-1] < order[1:]).all():
            return point
        other = self.permute(point, order)
        return other if math.isclose(self.log_prior(other), self.log_prior(point), abs_tol=1e-9) else point

    def priors(self, point: Point) -> tuple[ChainPrior, ChoicePrior] | None:
        """The pseudo-counts of both parts, if both M-steps are nothing but counting."""
        chain, choice = (part.conjugate(params) for part, params in zip(self.parts, point, strict=True))
        return None if chain is None or choice is None else (chain, choice)

    def vector(self, point: Point) -> FloatArray:
        """(n,) all parameters as numbers without constraints."""
        return np.concatenate([part.vector(params) for part, params in zip(self.parts, point, strict=True)])

    def from_vector(self, vector: FloatArray, like: Point) -> Point:
        first = len(self.dynamics.vector(like.dynamics))
        pieces = vector[:first], vector[first:]
        return Point(*(part.from_vector(x, p) for part, x, p in zip(self.parts, pieces, like, strict=True)))

    def read(self, point: Point) -> Reading:
        """What the smoother looks up at ``point``, for any chunk of the sessions."""
        return Reading(
            self.data,
            self.n_intentions,
            self.dynamics.chain(point.dynamics, self.timeline),
            self.choice.taken(point.choice, self.rows),
            lambda sessions, counts: self.choice.statistics(point.choice, self.rows, sessions, counts),
            self.choice.add_up,
            lambda sessions, counts: self.dynamics.statistics(point.dynamics, self.timeline, sessions, counts),
            self.dynamics.add_up,
        )

    def expect(self, point: Point) -> Expectation:
        return self.e_step(self, point)

    def evidence(self, point: Point, expectation: Expectation) -> Evidence:
        def weights() -> FloatArray:
            return smooth(self.read(point))

        evidence = Evidence(self.data, expectation.choice, weights)
        return evidence if self.sampling is None else self._sampled(point, evidence, self.sampling)

    def _sampled(self, point: Point, evidence: Evidence, rng: np.random.Generator) -> Evidence:
        """Each demonstration goes to intention i with probability equal to its posterior (paper, Algorithm 3)."""
        chosen = (rng.random(evidence.weights.shape) < evidence.weights).astype(np.float64)
        everything = (0, self.data.n_sessions)
        counts = self.choice.statistics(point.choice, self.rows, everything, self.rows.count(chosen, everything))
        return Evidence(self.data, counts, lambda: chosen)

    def objective(self, point: Point, expectation: Expectation) -> float:
        """What EM climbs: log-likelihood plus log-priors; for posteriors, a lower bound of the evidence."""
        worth = self.choice.worth(point.choice, expectation.choice)
        return expectation.log_likelihood + (worth + self.dynamics.worth(point.dynamics, expectation.chain))

    def log_evidence(self, point: Point, expectation: Expectation) -> float:
        """The lower bound of log p(data) for posteriors, priors that were frozen in the climb included."""
        told = self.choice.evidence(point.choice, expectation.choice, self.data)
        return expectation.log_likelihood + told + self.dynamics.evidence(point.dynamics, expectation.chain, self.data)

    def log_prior(self, point: Point) -> float:
        return self.choice.log_prior(point.choice) + self.dynamics.log_prior(point.dynamics)

    def update(self, point: Point, expectation: Expectation) -> Point:
        """The M-step: the parameters that best explain the posteriors at ``point``."""
        return Point(
            self.dynamics.update(point.dynamics, expectation.chain),
            self.choice.update(point.choice, self.evidence(point, expectation)),
        )

    def learned(self, point: Point) -> Point:
        """The same with the priors that the data teach there; ``point`` itself if no part learns any more."""
        return self.taught(point, self.expect(point))

    def taught(self, point: Point, expectation: Expectation) -> Point:
        """The same, where these counts were expected."""
        dynamics = self.dynamics.learned(point.dynamics, expectation.chain, self.data)
        choice = self.choice.learned(point.choice, expectation.choice, self.data)
        settled = dynamics is point.dynamics and choice is point.choice
        return point if settled else Point(dynamics, choice)

    def held(self, point: Point, factor: float, expectation: Expectation) -> Point:
        """The same with subjects held together so many times as strongly; ``point`` itself if no part does that."""
        dynamics = self.dynamics.held(point.dynamics, factor, expectation.chain, self.data)
        choice = self.choice.held(point.choice, factor, expectation.choice, self.data)
        return point if dynamics is point.dynamics and choice is point.choice else Point(dynamics, choice)

    def averaged(self, point: Point) -> tuple[Point, float]:
        """Where a search for posteriors has ended: their means, and the lower bound of the evidence."""
        expectation, plain = self.expect(point), self.estimating(MODE)
        return plain.update(plain.taught(point, expectation), expectation), self.log_evidence(point, expectation)

    def common(self) -> Problem | None:
        """The same data with all subjects alike, where a part tells them apart."""
        return self._with(*(part.common(self.data) for part in self.parts))

    def around_common(self, point: Point) -> Point:
        """The point at which every subject does what a point of the common problem says."""
        parts = zip(self.parts, point, strict=True)
        return Point(*(p if part.common(self.data) is None else part.around_common(p, self.data) for part, p in parts))

    def coarser(self) -> Problem | None:
        """The same data with fewer rows, where a part offers that and there are intentions to be told apart."""
        return self._with(*(part.coarser(self.data) for part in self.parts)) if self.n_intentions > 1 else None

    def refined(self, point: Point) -> Point:
        """The point at which this problem's rows do what those of the coarser problem do."""
        parts = zip(self.parts, point, strict=True)
        return Point(*(p if part.coarser(self.data) is None else part.refined(p, self.data) for part, p in parts))

    def _with(self, dynamics: IntentionDynamics | None, choice: Choice | None) -> Problem | None:
        """The same with another part or two; None without. What is searched there is searched in this process."""
        if dynamics is None and choice is None:
            return None
        return replace(self, dynamics=dynamics or self.dynamics, choice=choice or self.choice, e_step=expect_here)

    def step(self, point: Point) -> Step:
        """One E-step and one M-step."""
        expectation = self.expect(point)
        return Step(point, self.objective(point, expectation), self.update(point, expectation))
