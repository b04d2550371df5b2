r"""What sessions foretell of one another: how strongly to hold subjects together, and which of two optima to take.

To the evidence every step is a witness of its own. But a subject's sessions differ among themselves, by more than a
model of too few intentions explains, and the evidence takes that for a difference between subjects. Sessions that were
left out do not: so all strengths of subjects are multiplied by the factor under which parts of the sessions, left out
in turn, are most likely (docs/theory/pooling.md).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import compress

import numpy as np

from hiql.engine.inference import Expectation
from hiql.engine.problem import Point, Problem, expect_here

FACTORS = (3.0, 10.0, 30.0, 100.0, 1000.0)
MOST_PARTS = 5
"""Into how many parts the sessions are dealt."""


def held_as_foretold(problem: Problem, point: Point) -> Point:
    """The same with the factor by which what parts of the sessions say foretells the others best.

    ``point`` itself where no part tells subjects apart, none of them has a second session (then it makes no
    difference), or an M-step is more than counting: others want more than statistics of other sessions.
    """
    if problem.common() is None or not problem.is_monotone or problem.priors(point) is None:
        return point
    whole = problem.expect(point)
    if problem.held(point, FACTORS[0], whole) is point:
        return point
    parts = in_parts(problem)
    told = [part.expect(point) for part in parts]
    best, most = point, foretold(problem, point, parts, told)
    for factor in FACTORS:
        held = problem.held(point, factor, whole)
        if (found := foretold(problem, held, parts, told)) <= most:
            break
        best, most = held, found
    return best


def foretold_anew(problem: Problem, points: list[Point]) -> list[float] | None:
    """How well the sessions foretell one another at each point, priors learned without those left out.

    None where no subject has a second session.
    """
    parts = in_parts(problem)
    if len(parts) == 1:
        return None
    return [foretold(problem, point, parts, [part.expect(point) for part in parts], anew=True) for point in points]


def foretold(
    problem: Problem, point: Point, parts: list[Problem], told: list[Expectation], *, anew: bool = False
) -> float:
    """The log-likelihood of all parts, each under the parameters that follow from what the others told.

    Priors are those of ``point``, or learned ``anew`` from the others.
    """
    found = 0.0
    for n, part in enumerate(parts):
        others = list(compress(told, np.arange(len(told)) != n))
        if others:
            counts = together(problem, others)
            start = problem.taught(point, counts) if anew else point
            found += part.expect(problem.update(start, counts)).log_likelihood
    return found


def in_parts(problem: Problem) -> list[Problem]:
    """The same on parts of the sessions, those of every subject dealt out among them."""
    subjects = np.unique(problem.data.subjects, return_inverse=True)[1]
    number = np.empty(len(subjects), dtype=np.intp)
    for each in range(subjects.max() + 1):
        number[subjects == each] = np.arange((subjects == each).sum()) % MOST_PARTS
    chosen = [problem.data.select(number == n) for n in range(number.max() + 1)]
    return [replace(problem, data=data, e_step=expect_here) for data in chosen]


def together(problem: Problem, told: list[Expectation]) -> Expectation:
    """What several parts of the sessions tell."""
    moves = problem.dynamics.add_up([(each.chain, (None, None)) for each in told])
    choices = problem.choice.add_up([(each.choice, None) for each in told])
    return Expectation(sum(each.log_likelihood for each in told), moves, choices)
