"""Problems of many shapes to look for optima in: half of them to choose a search by, the others only to report on.

The labyrinth's cohorts stand in the choosing half, as the first search was chosen on them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import numpy as np

import hiql
from recovery import simulated

CHOOSING, REPORTING = "choosing", "reporting"


class Shape(NamedTuple):
    """Data, and the model that is fitted to them: made when asked for."""

    name: str
    half: str
    data: Callable[[], hiql.Trajectories]
    model: Callable[..., hiql.IntentionModel]


def grid(side: int, n_sessions: int, n_steps: int, seed: int) -> hiql.Trajectories:
    return hiql.worlds.simulate_places(n_sessions, n_steps, seed, side=side).data


def two_goals(n_sessions: int, seed: int) -> hiql.Trajectories:
    return hiql.worlds.simulate_two_goals(n_sessions, inverse_temperature=10, random_state=seed).data


def goals_of_sessions(seed: int) -> hiql.Trajectories:
    return hiql.worlds.simulate_one_intention(60, 30, seed).data


def mice_in_the_maze(cohort: str) -> hiql.Trajectories:
    return hiql.datasets.labyrinth(cohort).train


def nights() -> hiql.Trajectories:
    """Every sixth session of the long nights."""
    data = hiql.datasets.labyrinth_long().data
    return data.select(np.arange(0, data.n_sessions, 6))


def reversal(history: int, seed: int) -> hiql.Trajectories:
    return hiql.worlds.simulate_reversal(4, 16, random_state=seed).trajectories(history)


@cache
def mice(history: int) -> hiql.Trajectories:
    """Every sixth session of the bandit mice."""
    data = hiql.bandit_trials(hiql.datasets.mice_bandit(), history)
    return data.select(np.arange(0, data.n_sessions, 6))


def judging(n_sessions: int, n_trials: int, seed: int) -> hiql.Trajectories:
    return hiql.worlds.simulate_psychophysics(2, n_sessions, n_trials, seed).data


def rat() -> hiql.Trajectories:
    """Every fourth day of a rat that compares two tones."""
    table = hiql.datasets.rat_evidence()
    inputs = ["s1", "s2", "last_choice", "last_win"]
    options = {"subject": "subject", "session": "session", "action": "choice"}
    data = hiql.read_table(table, state="none", inputs=inputs, **options)
    return data.select(np.arange(0, data.n_sessions, 4))


def random_world(k: int, clock: str, seed: int) -> hiql.Trajectories:
    return simulated(k, clock, "small", seed)[0]


def tables(k: int, dynamics: str = "markov") -> Callable[..., hiql.IntentionModel]:
    """Tables of choices; no rewards, as the search does not need them. Where priors are learned, only evidence can be
    compared between fits."""
    estimate = "bayes" if dynamics == "by-state" else "mode"
    return partial(hiql.IntentionModel, k, dynamics=dynamics, estimate=estimate, progress=False)


def weights(k: int, **options: object) -> Callable[..., hiql.IntentionModel]:
    return partial(hiql.GLMHMM, k, progress=False, **options)


PROBLEMS = (
    Shape("grid 5 × 5, K=2", CHOOSING, partial(two_goals, 200, 1), tables(2)),
    Shape("grid 20 × 20, K=2", CHOOSING, partial(grid, 20, 60, 200, 1), tables(2)),
    Shape("grid 10 × 10 by state, K=3", CHOOSING, partial(grid, 10, 40, 100, 1), tables(3, "by-state")),
    Shape("grid 5 × 5 session-wise, K=3", CHOOSING, partial(goals_of_sessions, 1), tables(3, "session-wise")),
    Shape("reversal, history 1, K=3", CHOOSING, partial(reversal, 1, 1), tables(3)),
    Shape("reversal, history 4, K=4", CHOOSING, partial(reversal, 4, 2), tables(4)),
    Shape("labyrinth, restricted, K=3", CHOOSING, partial(mice_in_the_maze, "restricted"), tables(3)),
    Shape("labyrinth, unrestricted, K=2", CHOOSING, partial(mice_in_the_maze, "unrestricted"), tables(2)),
    Shape("random world, K=5", CHOOSING, partial(random_world, 4, "markov", 101), tables(5)),
    Shape(
        "random world, semi-Markov, K=2", CHOOSING, partial(random_world, 2, "markov", 102), tables(2, "semi-markov")
    ),
    Shape("psychophysics, long, K=3", CHOOSING, partial(judging, 6, 250, 1), weights(3)),
    Shape("grid 30 × 30, short, K=2", REPORTING, partial(grid, 30, 300, 40, 3), tables(2)),
    Shape("grid 20 × 20, K=3", REPORTING, partial(grid, 20, 60, 200, 4), tables(3)),
    Shape("grid 15 × 15 by state, K=2", REPORTING, partial(grid, 15, 50, 150, 3), tables(2, "by-state")),
    Shape("grid 5 × 5 session-wise, K=4", REPORTING, partial(goals_of_sessions, 2), tables(4, "session-wise")),
    Shape("grid 5 × 5, K=4", REPORTING, partial(two_goals, 300, 3), tables(4)),
    Shape("mice, history 2, K=3", REPORTING, partial(mice, 2), tables(3)),
    Shape("mice, history 5, K=2", REPORTING, partial(mice, 5), tables(2)),
    Shape("nights in the labyrinth, K=4", REPORTING, nights, tables(4)),
    Shape("random world, K=6", REPORTING, partial(random_world, 4, "by-state", 103), tables(6)),
    Shape(
        "random world, input-driven, K=3",
        REPORTING,
        partial(random_world, 3, "input-driven", 104),
        tables(3, "input-driven"),
    ),
    Shape(
        "random world, semi-Markov, K=3", REPORTING, partial(random_world, 3, "markov", 105), tables(3, "semi-markov")
    ),
    Shape("rat, linear, K=2", REPORTING, rat, weights(2)),
    Shape("psychophysics, short, K=3", REPORTING, partial(judging, 30, 40, 2), weights(3)),
)
