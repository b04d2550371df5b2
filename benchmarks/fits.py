"""Whole fits: hiql against hmmlearn and dynamax, in time and in held-out log-likelihood, in one run.

Two comparisons, each on the gridworld's expert, both labyrinth cohorts (published split) and simulated bandit mice:

- *the same EM iterations*: 50 plain iterations of EM from the same random start, without acceleration or search on our
  side. This compares speed alone; where the peer's model is ours it ends at our likelihood, which is checked.
- *whole fits*: our default ``fit()``, which tries several starts, kicks the best, and finds the rewards, against one
  fit of the peer from one random start: hmmlearn to its own rule (a gain below 0.01 nats), dynamax 50 iterations, its
  default, for it has no rule. Over ten seeds; held-out numbers are the median and the worst over them. The goal is 1:
  a search should take no longer than one climb elsewhere.

What the peers are and how their results become policies says :mod:`peer_fits`. Times are without compilation: all
contenders run once before. Sessions are cut to one length, which dynamax needs, for all contenders: the gridworld's to
8 steps, the bandit's to 70 trials; shorter sessions are left out. Half of the simulated sessions are held out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

import hiql
from measuring import race, timed
from parameters import Parameters, problem_of, random_point
from peer_fits import Fit, dynamax_glm_fit, dynamax_pairs_fit, hmmlearn_fit, score
from rows import Row, arguments, report, row_of, tell

N_INTENTIONS = 3
ITERATIONS = 50
SEEDS = range(10)
SAME_ITERATIONS: dict[str, Callable[[hiql.Trajectories], Fit]] = {
    "hmmlearn, per state": lambda data: hmmlearn_fit(data, ITERATIONS, per_state=True),
    "dynamax, pairs": lambda data: dynamax_pairs_fit(data, N_INTENTIONS, ITERATIONS),
    "dynamax, GLM-HMM": lambda data: dynamax_glm_fit(data, N_INTENTIONS, ITERATIONS),
}
WHOLE_FITS: dict[str, Callable[[hiql.Trajectories], Fit]] = {
    "hmmlearn, per state": lambda data: hmmlearn_fit(data, 1000, 1e-2, per_state=True),
    "hmmlearn, pairs": lambda data: hmmlearn_fit(data, 1000, 1e-2, per_state=False),
    "dynamax, pairs": SAME_ITERATIONS["dynamax, pairs"],
    "dynamax, GLM-HMM": SAME_ITERATIONS["dynamax, GLM-HMM"],
}


class Split(NamedTuple):
    """Data to fit and to score, and our model of them for a seed."""

    name: str
    train: hiql.Trajectories
    test: hiql.Trajectories
    model: Callable[..., hiql.IntentionModel]


def splits() -> Iterator[Split]:
    grid = hiql.worlds.simulate_two_goals(512, inverse_temperature=10, random_state=1)
    yield Split("gridworld", *halves(cut(grid.data, 8)), partial(hiql.HIAVI, N_INTENTIONS, mdp=grid.world))
    for cohort in ("restricted", "unrestricted"):
        maze = hiql.datasets.labyrinth(cohort)
        yield Split(f"labyrinth, {cohort}", maze.train, maze.test, partial(hiql.HIAVI, N_INTENTIONS, mdp=maze.mdp))
    mice = hiql.worlds.simulate_reversal(n_mice=4, n_sessions=64, random_state=1).trajectories(history=3)
    yield Split("bandit", *halves(cut(mice, 70)), partial(hiql.HIQL, N_INTENTIONS))


def cut(data: hiql.Trajectories, n_steps: int) -> hiql.Trajectories:
    """The first steps of all sessions that have so many."""
    first = data.offsets[:-1][data.lengths >= n_steps, None] + np.arange(n_steps)
    codes = data.states[first], data.actions[first], data.next_states[first]
    return hiql.Trajectories.from_arrays(*codes, n_states=data.n_states, n_actions=data.n_actions)


def halves(data: hiql.Trajectories) -> tuple[hiql.Trajectories, hiql.Trajectories]:
    """Every other session, and the rest."""
    sessions = np.arange(data.n_sessions)
    return data.select(sessions[::2]), data.select(sessions[1::2])


def random_start(data: hiql.Trajectories, seed: int) -> Parameters:
    return Parameters.of(random_point(problem_of(data, N_INTENTIONS), np.random.default_rng(seed)))


def plain_em(data: hiql.Trajectories, start: Parameters) -> Parameters:
    """As many iterations of our EM as the peers make."""
    problem, point = problem_of(data, N_INTENTIONS), start.point
    for _ in range(ITERATIONS):
        point = problem.step(point).update
    return Parameters.of(point)


def default_fit(split: Split, seed: int) -> Parameters:
    model = split.model(random_state=seed, progress=False).fit(split.train)
    return Parameters(model.initial_, model.transition_, model.policy_)


def made(peers: dict[str, Callable[[hiql.Trajectories], Fit]], data: hiql.Trajectories) -> dict[str, Fit]:
    """The peers that are installed."""
    found = {}
    for name, make in peers.items():
        try:
            found[name] = make(data)
        except ImportError as reason:
            print(f"{name} left out: {reason}", file=sys.stderr)
    return found


def same_iterations_rows(split: Split) -> Iterator[Row]:
    start = random_start(split.train, 0)
    fits = {"hiql": partial(plain_em, split.train), **made(SAME_ITERATIONS, split.train)}
    ends = {name: fit(start) for name, fit in fits.items()}
    check_same_model(split.train, ends)
    times = race({name: partial(fit, start) for name, fit in fits.items()})
    held_out = {name: f"{score(split.test, end):.4f}" for name, end in ends.items()}
    for name in [name for name in fits if name != "hiql"]:
        detail = f"held out {held_out[name]}, hiql {held_out['hiql']}; {seconds(times, name)}"
        what = f"{name} / hiql, {ITERATIONS} EM iterations, {split.name}, K = {N_INTENTIONS}"
        yield row_of(what, times[name] / times["hiql"], 5, detail)


def check_same_model(train: hiql.Trajectories, ends: dict[str, Parameters]) -> None:
    """hmmlearn, normalised per state, must end where we do, or the race is void."""
    if "hmmlearn, per state" in ends:
        ours, theirs = (score(train, ends[name]) for name in ("hiql", "hmmlearn, per state"))
        if not np.isclose(ours, theirs, rtol=1e-9):
            raise AssertionError(f"from the same start hmmlearn ends at {theirs} nats per decision, hiql at {ours}")


def whole_fit_rows(split: Split) -> Iterator[Row]:
    peers = made(WHOLE_FITS, split.train)
    starts = [random_start(split.train, seed) for seed in SEEDS]
    contenders = {"hiql": partial(default_fit, split)}
    contenders |= {name: lambda seed, fit=fit: fit(starts[seed]) for name, fit in peers.items()}
    for run in contenders.values():
        run(0)  # compiles
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    scores: dict[str, list[float]] = {name: [] for name in contenders}
    for seed in SEEDS:
        for name, run in contenders.items():
            took, end = timed(partial(run, seed))
            taken[name].append(took)
            scores[name].append(score(split.test, end))
    times = {name: np.array(each) for name, each in taken.items()}
    held_out = {name: f"{np.median(found):.4f} (worst {min(found):.4f})" for name, found in scores.items()}
    for name in peers:
        detail = f"held out {held_out[name]}, hiql {held_out['hiql']}; {seconds(times, name)}"
        what = f"{name}, one start / hiql's default fit, {split.name}, K = {N_INTENTIONS}"
        yield row_of(what, times[name] / times["hiql"], 1, detail)


def seconds(times: dict[str, np.ndarray], name: str) -> str:
    return f"{np.median(times[name]):.3g} s, hiql {np.median(times['hiql']):.3g} s"


def rows() -> Iterator[Row]:
    for split in splits():
        tell(f"{split.name}: {split.train.n_sessions} × {split.train.lengths[0]} steps, {split.train.n_states} states")
        yield from same_iterations_rows(split)
        yield from whole_fit_rows(split)


if __name__ == "__main__":
    report("Whole fits", rows(), arguments(__doc__).parse_args())
