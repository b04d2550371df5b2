"""Expectation–maximisation: accelerated where the M-step is exact, plain where it draws at random.

A pass over the data is a map of expected counts n → G(n): parameters that best explain them (M), then the posteriors
under these, counted (E). The objective is the log-likelihood plus the log-prior of policies and dynamics. Two things
save passes, and ``benchmarks/passes.py`` measures how many:

*Blocks.* Where the M-step is cheap it follows the E-step of each block of sessions, not of all data at once
(:mod:`hiql.engine.passes`).

*Jumps.* SQUAREM (Varadhan & Roland 2008) uses two passes, r = G(x) − x and v = G(G(x)) − G(x) − r, to jump ahead to
x − 2ar + a²v with a = −‖r‖/‖v‖. What x is, the passes say: counts where the M-step is counting, else parameters. A jump
whose pass ends below the objective before it is taken back: the climb is monotone.

Anderson acceleration, other step lengths of SQUAREM, and passes to and fro through the blocks, tried on the problems of
that benchmark from ten other starts each, saved fewer passes; sixteen blocks, or one for each session, saved few more.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter

from hiql.engine.passes import Sweeper, Swept, sweeper_of
from hiql.engine.problem import Point, Problem
from hiql.parts.part import FloatArray

Hopeless = Callable[[list[float]], bool]
_objective = attrgetter("objective")


@dataclass(frozen=True, eq=False)
class Climb:
    """A finished (or abandoned) run: the objective after each accepted pass, and what it cost.

    ``ended_at()`` makes the parameters where it ended. Most runs of a search are compared, and never asked for them.
    """

    ended_at: Callable[[], Point]
    objective: float
    trace: tuple[float, ...]
    n_passes: int
    converged: bool

    @cached_property
    def point(self) -> Point:
        return self.ended_at()


def never(trace: list[float]) -> bool:  # noqa: ARG001
    return False


def climb(problem: Problem, start: Point, max_passes: int, tol: float, hopeless: Hopeless = never) -> Climb:
    """Climb from ``start`` until a pass gains less than ``tol`` relative to the objective.

    ``hopeless(trace)`` may end the climb early. The best that was met is returned: the last, unless the M-step of
    someone else's dynamics does not do what it should.
    """
    if not problem.is_monotone:
        return plain_climb(problem, start, max_passes, tol, hopeless)
    sweeper = sweeper_of(problem, start)
    before, now = None, sweeper.begin(start)
    best = now
    trace, passes, longest, converged = [now.objective], 1, 4.0, False

    def ended() -> bool:
        return converged or passes >= max_passes or hopeless(trace)

    while not ended():
        after = sweeper.sweep(now)
        passes += 1
        trace.append(after.objective)
        converged = bool(abs(after.objective - now.objective) <= tol * abs(after.objective))
        ahead, factor = _extrapolate(sweeper, before, now, after, longest) if before else (after, 1.0)
        before, now = now, after
        if factor > 1.0 and not ended():
            landed = sweeper.sweep(ahead)
            passes += 1
            if landed.objective >= after.objective:
                before, now = ahead, landed
                trace.append(landed.objective)
                longest = 4 * longest if factor == longest else longest
            else:
                longest = max(2.0, longest / 2)
        best = max(best, now, key=_objective)
    return Climb(partial(sweeper.point, best), best.objective, tuple(trace), passes, converged)


def plain_climb(problem: Problem, start: Point, max_passes: int, tol: float, hopeless: Hopeless = never) -> Climb:
    """The same without blocks and jumps: EM as in the textbooks.

    Where the M-step is random the objective can fall; the best point met is then returned, and the run uses its passes
    unless the objective stands still.
    """
    step = best = problem.step(start)
    trace, converged = [step.objective], False
    while len(trace) < max_passes and not converged and not hopeless(trace):
        step = problem.step(step.update)
        trace.append(step.objective)
        best = max(best, step, key=_objective)
        converged = bool(abs(trace[-1] - trace[-2]) <= tol * abs(trace[-1]))
    return Climb(lambda: best.point, best.objective, tuple(trace), len(trace), converged)


def _extrapolate(sweeper: Sweeper, zero: Swept, one: Swept, two: Swept, longest: float) -> tuple[Swept, float]:
    """Where a jump from three successive passes lands, and its length."""
    totals = two.totals
    x, y, z = (sweeper.coordinates(each) for each in (zero.totals, one.totals, totals))
    landing, factor = jump(x, y, z, longest)
    return sweeper.landed(two, totals, landing), factor


def jump(x: FloatArray, y: FloatArray, z: FloatArray, longest: float) -> tuple[FloatArray, float]:
    """SQUAREM's landing from three successive points, and its length −a, between 1 and ``longest``."""
    r, v = y - x, z - 2 * y + x
    ratio = float(r @ r) / max(float(v @ v), sys.float_info.min)
    factor = min(max(math.sqrt(ratio), 1.0), longest)
    return x + factor * (2 * r + factor * v), factor
