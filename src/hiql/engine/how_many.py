"""``n_intentions="auto"``: the number of intentions by evidence, one search for each number.

From one intention on, numbers grow until two in a row have brought nothing. Under a symmetric prior of small
pseudo-counts an intention too many empties itself, or is not worth its parameters; then evidence stands still or falls.
Each solution also tries to lose the intention it uses least: where its others are better than what the search of their
number has found, these are taken. Of numbers that evidence cannot tell apart the smallest is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hiql.engine.climb import Climb, climb
from hiql.engine.problem import Point, Problem
from hiql.engine.search import Restarts, Search, find_optimum, with_learned_priors
from hiql.priors.estimates import BAYES, TIE

AUTO = "auto"
TRIED = f'n_intentions="{AUTO}" tried'
"""What the sentence about numbers begins with."""
MOST = 30
"""Intentions that are tried at most."""
FRUITLESS = 2
"""Numbers in a row that bring nothing before growing ends."""


class Tried(NamedTuple):
    """One number of intentions: the problem with so many, its optimum, and the lower bound of log p(data) there."""

    problem: Problem
    best: Climb
    restarts: Restarts
    evidence: float


def find_number(
    problem: Problem, search_for: Callable[[int], Search], seed: int, on_attempt: Callable[[int, int], None]
) -> tuple[Tried, ...]:
    """The numbers that were tried, from 1 on; ``search_for(k)`` says how much to look with k intentions.

    Posteriors are looked for, whatever is estimated afterwards.
    """
    averaged = problem.estimating(BAYES)
    most, tried = min(MOST, problem.data.n_observed), list[Tried]()
    while len(tried) < most and not _is_settled(tried):
        k = len(tried) + 1
        search, larger = search_for(k), replace(averaged, n_intentions=k)
        found = _judged(larger, *find_optimum(larger, search, seed, on_attempt))
        if tried:
            tried[-1] = _pruned(found, tried[-1], search, seed)
        tried.append(found)
    return tuple(tried)


def fewest(tried: Sequence[Tried]) -> Tried:
    """The fewest intentions that evidence cannot tell from the best."""
    most = max(each.evidence for each in tried)
    return next(each for each in tried if each.evidence >= most - TIE)


def told(tried: Sequence[Tried]) -> str:
    """What was tried, in a sentence."""
    chosen, numbers = fewest(tried), ", ".join(f"{k}: {each.evidence:.1f}" for k, each in enumerate(tried, start=1))
    return (
        f"{TRIED} 1 to {len(tried)} and took {chosen.problem.n_intentions}, the fewest within "
        f"{TIE:g} nats of the highest evidence ({numbers})"
    )


def _is_settled(tried: Sequence[Tried]) -> bool:
    evidence = [each.evidence for each in tried]
    return len(tried) > FRUITLESS and max(evidence[-FRUITLESS:]) <= max(evidence[:-FRUITLESS]) + TIE


def _judged(problem: Problem, best: Climb, restarts: Restarts) -> Tried:
    return Tried(problem, best, restarts, problem.log_evidence(best.point, problem.expect(best.point)))


def _pruned(larger: Tried, smaller: Tried, search: Search, seed: int) -> Tried:
    """``smaller``, or the larger solution without the intention it uses least, whichever has more evidence."""
    problem, point = larger.problem, larger.best.point
    use = problem.choice.use(problem.expect(point).choice)
    kept = np.delete(np.arange(len(use)), use.argmin())
    rng = np.random.default_rng([seed, len(use)])
    start = smaller.problem.with_new_dynamics(problem.choice.permute(point.choice, kept), rng)
    climbed = with_learned_priors(smaller.problem, _climbed(smaller.problem, start, search), search)
    return max(smaller, _judged(smaller.problem, climbed, smaller.restarts), key=lambda each: each.evidence)


def _climbed(problem: Problem, start: Point, search: Search) -> Climb:
    return climb(problem, start, search.max_iter, search.tol)
