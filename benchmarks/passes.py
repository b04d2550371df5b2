"""How many passes over the data acceleration saves: plain EM against the accelerated climb, from the same starts.

A pass is one E-step; jumps that are taken back count. Plain EM runs until a step gains less than 1e-13 of the
objective (or 4,000 passes); its cost is the number of passes until it is within 1e-8, relatively, of where it ends.
The accelerated climb (blocks and jumps, :mod:`hiql.engine.climb`) is charged what it needs to reach that same level.
Where it ends in another optimum, below that level, there is nothing to compare: such starts are counted in the last
column, beside how much higher the accelerated climbs end on average. Seconds are those of both climbs to that level.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import hiql
from hiql.data.trajectories import Trajectories
from hiql.engine.climb import climb, plain_climb
from hiql.engine.problem import Problem
from measuring import timed
from parameters import random_point
from rows import Row, arguments, report, row_of

SEEDS = range(1000, 1020)
MOST = 4000


def problems() -> Iterator[tuple[str, Trajectories, type[hiql.IntentionModel], dict]]:
    grid = hiql.worlds.simulate_two_goals(256, inverse_temperature=10, random_state=1)
    yield "gridworld", grid.data, hiql.HIAVI, {"mdp": grid.world}
    for cohort in ("restricted", "unrestricted"):
        maze = hiql.datasets.labyrinth(cohort)
        yield f"labyrinth, {cohort}", maze.train, hiql.HIAVI, {"mdp": maze.mdp}
    cohort = hiql.worlds.simulate_reversal(n_mice=4, n_sessions=12, random_state=1)
    yield "bandit", cohort.trajectories(history=3), hiql.HIQL, {}


class Pair(NamedTuple):
    """Passes of plain EM and of the accelerated climb (None: ended below) to one level, and their times' ratio.

    ``gain`` is how much higher the accelerated climb ends.
    """

    plain: int
    fast: int | None
    gain: float
    times_faster: float


def compare(problem: Problem, seed: int) -> Pair:
    """Passes of plain EM, and of the accelerated climb, to the same level from the same start."""
    start = random_point(problem, np.random.default_rng([seed, problem.n_intentions]))
    plain = np.array(plain_climb(problem, start, MOST, 1e-13).trace)
    level = plain[-1] - 1e-8 * abs(plain[-1])

    def reached(trace: list[float]) -> bool:
        return trace[-1] >= level

    plain_seconds, _ = timed(lambda: plain_climb(problem, start, MOST, 0.0, reached), time.thread_time)
    fast_seconds, fast = timed(lambda: climb(problem, start, MOST, 1e-13, reached), time.thread_time)
    end = climb(problem, start, MOST, 1e-13).objective
    passes = fast.n_passes if fast.objective >= level else None
    return Pair(int(np.argmax(plain >= level)) + 1, passes, end - plain[-1], plain_seconds / fast_seconds)


def rows() -> Iterator[Row]:
    for name, data, kind, options in problems():
        for n_intentions in (2, 3):
            problem = kind(n_intentions, **options)._problem(data)
            pairs = [compare(problem, seed) for seed in SEEDS]
            compared = [pair for pair in pairs if pair.fast is not None]
            median, gain = np.median([pair.plain for pair in pairs]), np.mean([pair.gain for pair in pairs])
            elsewhere = f"{len(pairs) - len(compared)} of {len(pairs)} ended below, mean gain {gain:+.2f} nats"
            detail = f"plain EM {median:.0f} passes; {elsewhere}"
            ratios, where = [pair.plain / pair.fast for pair in compared], f"{name}, K = {n_intentions}"
            yield row_of(f"plain / accelerated passes, {where}", ratios, 3, detail)
            yield row_of(f"plain / accelerated seconds, {where}", [pair.times_faster for pair in compared])


if __name__ == "__main__":
    report("Passes of EM", rows(), arguments(__doc__).parse_args())
