"""Looking for the best optimum, not the nearest one.

EM finds a local optimum. The usual remedy, many random starts, wastes most of its work: on real data the worst
local optima differ from the best one in what a few states or one intention do. So we take the best of a few short
starts to its optimum and then kick it: disturb a part of it, climb again, and keep what is better, until a number of
kicks in a row has brought nothing (iterated local search). ``benchmarks/local_optima.py`` measures it.

Kicks come in batches of fixed size from the same incumbent, so the result does not depend on how many run at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from hiql.engine.climb import Climb, climb, jump
from hiql.engine.foretold import foretold_anew, held_as_foretold
from hiql.engine.problem import Point, Problem
from hiql.engine.threads import map_in_threads
from hiql.priors.estimates import MODE

SHORT = 10
"""Passes of a start before the starts are compared."""
KICK_PASSES = 32
"""Passes a kicked point gets to overtake the incumbent."""
KICK_TOL = 1e-5
BATCH = 4
LESS = 3
"""Among coarser rows there are fewer optima: their search ends after a third of the kicks that failed."""
_objective = attrgetter("objective")
MANY_ROWS = 400
"""From here on the evidence of a table takes as long as the search for it."""
FEW = 4
"""Passes between two rounds of learning priors: more go where the next round leads away from."""
MOST_ROUNDS = 50
"""Rounds of learning priors; far fewer are needed until strengths stand still."""
LONGEST = 4.0
"""How far a jump from round to round may go."""
REAL_GAIN = 1e-4
"""Relative gain of a kick below which it counts as failed (though its result is kept)."""
AGREE = 1e-3
"""Two runs agree when their objectives differ by less than this, relatively."""


@dataclass(frozen=True)
class Search:
    """How much to look: ``n_init`` random starts, then kicks until ``patience`` in a row have failed."""

    n_init: int
    patience: int
    max_iter: int
    tol: float
    n_jobs: int = 1


class Attempt(NamedTuple):
    """One start or kick: how far it got, and what it cost in passes over the data."""

    kind: str
    objective: float
    n_passes: int


@dataclass(frozen=True)
class Restarts:
    """Every attempt made by a fit. ``objectives`` are penalised log-likelihoods; the best one won."""

    attempts: tuple[Attempt, ...]

    @property
    def objectives(self) -> np.ndarray:
        return np.array([attempt.objective for attempt in self.attempts])

    @property
    def n_passes(self) -> int:
        """Passes over the data, all attempts together."""
        return sum(attempt.n_passes for attempt in self.attempts)

    @property
    def best(self) -> float:
        return float(self.objectives.max())

    @property
    def spread(self) -> float:
        """Best minus worst objective, in nats."""
        return float(np.ptp(self.objectives))

    @property
    def n_agreed(self) -> int:
        """How many independent attempts (starts and kicks) came within 0.1 % of the best objective."""
        near = self.best - AGREE * abs(self.best)
        return sum(attempt.objective >= near for attempt in self.independent)

    @property
    def independent(self) -> tuple[Attempt, ...]:
        """The starts and kicks; the other attempts continue one of them."""
        return tuple(attempt for attempt in self.attempts if attempt.kind not in ("polish", "finish"))

    def __len__(self) -> int:
        return len(self.attempts)

    def __str__(self) -> str:
        return (
            f"{self.n_agreed} of {len(self.independent)} starts and kicks came within 0.1 % of the best objective "
            f"({self.best:.2f}); the others were given up, at most {self.spread:.2f} nats below; "
            f"{self.n_passes} passes in all"
        )


def find_optimum(
    problem: Problem, search: Search, seed: int, on_attempt: Callable[[int, int], None]
) -> tuple[Climb, Restarts]:
    """The best optimum found, and the record of the search. ``on_attempt(done, expected)`` reports progress.

    Where the M-step is random nothing can be compared after a few passes, nor kicked: starts run to the end.

    Where posteriors are wanted, modes are looked for, and the climb to the posterior starts at the best of them: an
    averaged intention of few steps holds on to what it has, and kicks that a mode overcomes leave it where it was.

    Where subjects differ, what they have in common is looked for, and each climbs from there. Rows that will be pooled
    are many, and free while the search goes on: its best optimum may be one that pooling would never choose. So where
    parts offer coarser rows (histories of one trial; one chain for all places), these are searched, too, and of both
    optima, when their priors are learned, the one of more evidence is taken; where rows are many, the mode whose
    sessions foretell one another better.
    """
    problem, wanted = problem.estimating(MODE), problem
    if (common := problem.common()) is not None:
        alike, restarts = find_optimum(common, search, seed, on_attempt)
        return with_learned_priors(wanted, _moved(alike, problem.around_common), search), restarts
    diary = _Diary(search, seed, on_attempt)
    best = _searched(problem, search, diary)
    if not problem.is_monotone:
        return best, diary.restarts
    if wanted.is_posterior:
        found = with_learned_priors(wanted, _posterior(wanted, best, search, diary), search)
    else:
        finished = diary.attempt("finish", lambda _: climb(problem, best.point, search.max_iter, search.tol))
        found = with_learned_priors(problem, _continued(best, finished), search)
    if (coarser := wanted.coarser()) is not None:
        less = search if wanted.is_posterior else replace(search, patience=search.patience // LESS)
        rough = _searched(coarser.estimating(MODE), less, _Diary(less, seed, _nobody))
        other = with_learned_priors(wanted, _moved(rough, wanted.refined), search)
        found = _better_learned(wanted, found, other)
    return found, diary.restarts


def _searched(problem: Problem, search: Search, diary: _Diary) -> Climb:
    """The best of starts and kicks, under priors that are not learned yet."""
    passes = min(SHORT, search.max_iter) if problem.is_monotone else search.max_iter
    n_starts = search.n_init if problem.n_intentions > 1 else 1
    best = diary.attempt("start", partial(_start, problem, passes, search.tol), n_starts)
    if not problem.is_monotone or problem.n_intentions == 1 or search.patience == 0:
        return best
    return _kick_until_patience_ends(problem, best, search, diary)


def _moved(climbed: Climb, to: Callable[[Point], Point]) -> Climb:
    """A climb of another problem, as one that has ended where this one begins."""
    return replace(climbed, ended_at=lambda: to(climbed.point))


def _better_learned(problem: Problem, one: Climb, other: Climb) -> Climb:
    """The climb that ended better, each with the priors it has learned; ``one`` where both ended at the same height.

    Evidence is asked where rows are few. Of long histories it takes as long as the search, and chose no better between
    modes; sessions left out are lenient to rows that are many for few data, as paths were inferred with them.
    """
    told = [problem.expect(climbed.point) for climbed in (one, other)]
    if math.isclose(*(each.log_likelihood for each in told), rel_tol=REAL_GAIN):
        return one
    few = problem.is_posterior or problem.rows.size < MANY_ROWS
    worth = None if few else foretold_anew(problem, [one.point, other.point])
    if worth is None:
        worth = [problem.log_evidence(each.point, e) for each, e in zip((one, other), told, strict=True)]
    return other if worth[1] > worth[0] else one


def _nobody(done: int, expected: int) -> None:
    """The attempts of a second search are not counted: its objective is that of another problem."""


def with_learned_priors(problem: Problem, best: Climb, search: Search) -> Climb:
    """Learn the priors where the climb has ended and climb on, in turn, until they stand still.

    Each climb has an objective of its own, with its priors: so it is no attempt to be compared with others, and the
    trace is that of the last. Climbs are short until nothing more is learned. Where rows are held strongly a round
    moves them little: every third round begins where a jump from the last three lands, and learns its priors there.
    """
    whole, passed = True, list[Point]()
    for _ in range(MOST_ROUNDS):
        jumps = len(passed) == 3
        start = problem.learned(_ahead(problem, passed) if jumps else best.point)
        settled = start is best.point
        if settled and whole:
            break
        after = climb(problem, start, search.max_iter if settled else min(FEW, search.max_iter), search.tol)
        best, whole = _after(best, after), settled
        passed = [best.point] if jumps else [*passed, best.point]
    held = held_as_foretold(problem, best.point)
    return best if held is best.point else _after(best, climb(problem, held, search.max_iter, search.tol))


def _ahead(problem: Problem, passed: list[Point]) -> Point:
    """Where a jump from three successive points lands."""
    zero, one, two = (problem.vector(point) for point in passed)
    return problem.from_vector(jump(zero, one, two, LONGEST)[0], passed[-1])


def _kick_until_patience_ends(problem: Problem, start: Climb, search: Search, diary: _Diary) -> Climb:
    """Iterated local search: what overtakes the incumbent replaces it; a real gain restores the patience."""
    best = _continued(start, diary.attempt("polish", lambda _: climb(problem, start.point, search.max_iter, KICK_TOL)))
    failures = 0
    while failures < search.patience:
        batch = min(BATCH, search.patience)
        challenger = diary.attempt("kick", partial(_kick, problem, best, search.max_iter), batch)
        gain = challenger.objective - best.objective
        failures = 0 if gain > REAL_GAIN * abs(best.objective) else failures + batch
        best = challenger if gain > 0 else best
    return best


def _posterior(problem: Problem, mode: Climb, search: Search, diary: _Diary) -> Climb:
    """The climb from the best mode, and a batch of kicks: with an objective of their own, so none of the attempts."""
    best = climb(problem, mode.point, search.max_iter, search.tol)
    if problem.n_intentions > 1 and search.patience > 0:
        others = diary.tried(partial(_kick, problem, best, search.max_iter), BATCH)
        overtaking = max(others, key=_objective)
        if overtaking.objective > best.objective:
            best = climb(problem, overtaking.point, search.max_iter, search.tol)
    return _after(mode, best)


class _Diary:
    """Runs attempts, side by side where threads allow, and remembers every one."""

    def __init__(self, search: Search, seed: int, on_attempt: Callable[[int, int], None]) -> None:
        self._search = search
        self._seeds = np.random.SeedSequence(seed)
        self._on_attempt = on_attempt
        self._attempts: list[Attempt] = []

    def attempt(self, kind: str, run: Callable[[np.random.SeedSequence], Climb], count: int = 1) -> Climb:
        """The best of ``count`` runs, each with a seed of its own."""
        climbs = self.tried(run, count)
        self._attempts += [Attempt(kind, done.objective, done.n_passes) for done in climbs]
        expected = self._search.n_init + self._search.patience + 2
        self._on_attempt(len(self._attempts), max(expected, len(self._attempts) + 1))
        return max(climbs, key=_objective)

    def tried(self, run: Callable[[np.random.SeedSequence], Climb], count: int) -> list[Climb]:
        """``count`` runs, each with a seed of its own, that are not written down."""
        return map_in_threads(run, self._seeds.spawn(count), self._search.n_jobs)

    @property
    def restarts(self) -> Restarts:
        return Restarts(tuple(self._attempts))


def _continued(before: Climb, after: Climb) -> Climb:
    """Two climbs, the second from where the first ended, as one."""
    return replace(after, trace=before.trace + after.trace, n_passes=before.n_passes + after.n_passes)


def _after(before: Climb, after: Climb) -> Climb:
    """The second of two climbs, each with an objective of its own, at the price of both."""
    return replace(after, n_passes=before.n_passes + after.n_passes)


def _start(problem: Problem, passes: int, tol: float, seed: np.random.SeedSequence) -> Climb:
    """A random start: the dynamics as in the paper's Appendix C."""
    rng = np.random.default_rng(seed)
    start = problem.start(rng)
    return climb(problem.reseeded(seed.spawn(1)[0]), start, passes, tol)


def _kick(problem: Problem, incumbent: Climb, max_iter: int, seed: np.random.SeedSequence) -> Climb:
    """Disturb the incumbent in one of two ways, and climb until it is overtaken or out of reach."""
    rng = np.random.default_rng(seed)
    move = renew_an_intention if rng.random() < 1 / 3 else deal_habits_anew
    start = move(problem, incumbent.point, rng)
    passes = min(KICK_PASSES, max_iter)
    return climb(problem, start, passes, KICK_TOL, partial(_out_of_reach, incumbent.objective))


def deal_habits_anew(problem: Problem, point: Point, rng: np.random.Generator) -> Point:
    """Deal what the intentions do out anew among them, context by context; start the dynamics afresh."""
    return problem.with_new_dynamics(problem.choice.deal(point.choice, rng), rng)


def renew_an_intention(problem: Problem, point: Point, rng: np.random.Generator) -> Point:
    """Give one intention random habits, and start the dynamics afresh."""
    fresh = problem.choice.start(problem.data, 1, rng)
    which = rng.integers(problem.n_intentions, size=1)
    return problem.with_new_dynamics(problem.choice.graft(point.choice, which, fresh), rng)


def _out_of_reach(target: float, trace: list[float]) -> bool:
    """After some passes: even ten more gains like the last would not reach the target."""
    return len(trace) >= 8 and trace[-1] + 10 * (trace[-1] - trace[-3]) < target
