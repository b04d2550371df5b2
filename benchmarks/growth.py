"""How time and memory grow: with steps, sessions, intentions, states, restarts and workers.

A *pass* is one E-step and one M-step of plain EM (127 states, 4 actions, sessions of 500 steps and K = 3 unless said
otherwise). Its data lie in a folder (:func:`hiql.open_trajectories`) and are written piece by piece. Points at which
memory is measured have a process of their own; its peak includes some 230 MB of Python and its libraries. Seconds are
those of the processor, which other programs on the machine do not disturb; for states and workers, those of the clock.

A curve's exponent is the slope of log time against log size over the upper half of the sizes, where fixed costs no
longer matter, fitted once for each repeat. Rows show the allowed exponent over the fitted one. The curves are written
to ``benchmarks/results/growth.json``; ``benchmarks/growth_figure.py`` draws them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import hiql
from apart import apart
from hiql.data.blocks import BLOCK
from hiql.data.mapped import array_file, new_data_folder, write_about
from hiql.files import write_whole
from linear_solvers import run_iavi
from measuring import Contenders, race, status
from parameters import problem_of
from rows import Row, arguments, report, row_of, tell

CURVES = Path(__file__).parent / "results" / "growth.json"
N_STATES, N_ACTIONS, SESSION = 127, 4, 500
STEPS = [round(10**power) for power in np.arange(4, 8.1, 0.5)]
INTENTIONS = [2, 3, 4, 6, 8, 12, 16]
SIDES = [10, 18, 32, 56, 100, 178, 316, 562, 1000]
RESTARTS = [1, 3, 10, 30, 100, 300, 1000]
ROUNDS = 5
PATIENCE = 900.0
"""Seconds after which a point is given up."""


class Curve(NamedTuple):
    """Seconds (points, repeats) at each size, and the peak memory in MB where it was measured."""

    title: str
    sizes: list[int]
    seconds: list[list[float]]
    megabytes: list[float] | None = None
    note: str = ""

    def exponents(self) -> np.ndarray:
        """(repeats,) slopes over the upper half of the sizes, on a logarithmic scale."""
        sizes = np.log(self.sizes)
        upper = sizes >= (sizes[0] + sizes[-1]) / 2
        slope, _ = np.polyfit(sizes[upper], np.log(self.seconds)[upper], 1)
        return np.atleast_1d(slope)


# --- passes over the data -------------------------------------------------------------------------------------


def write_data(folder: Path, n_steps: int, session: int = SESSION) -> None:
    """Random steps, block by block: data of any length in little memory."""
    rng = np.random.default_rng(0)
    offsets = np.append(np.arange(0, n_steps, session), n_steps)
    names = list(map(str, range(len(offsets) - 1)))
    about = {"n_states": N_STATES, "n_actions": N_ACTIONS, "state_labels": None, "action_labels": None}
    with new_data_folder(folder) as place:
        for name, size in (("states", N_STATES), ("actions", N_ACTIONS), ("next_states", N_STATES)):
            with array_file(place, name, n_steps) as file:
                for start in range(0, n_steps, BLOCK):
                    codes = rng.integers(size, size=min(BLOCK, n_steps - start), dtype=np.int32)
                    file.write(codes.data)
        with array_file(place, "offsets", len(offsets)) as file:
            file.write(offsets.astype(np.int64).data)
        write_about(place, about | {"session_names": names, "subjects": ["all"] * len(names)})


def one_pass(data: hiql.Trajectories, n_intentions: int = 3, n_threads: int = 1) -> Any:
    """A call that makes one pass from a random point."""
    problem = problem_of(data, n_intentions, n_threads=n_threads)
    return partial(problem.step, problem.start(np.random.default_rng(0)))


def passes_apart(folder: Path, pipe: Connection) -> None:
    """Seconds of the best of some passes over a folder, and the peak memory of it all."""
    times = race({"pass": one_pass(hiql.open_trajectories(folder))}, 3, clock=time.thread_time)
    pipe.send((float(times["pass"].min()), status("VmHWM") / 1024))


def steps_curve() -> Curve:
    """All sizes in turn, some rounds of it: a noisy minute must not fall on one size alone."""
    with TemporaryDirectory() as place:
        for n_steps in STEPS:
            write_data(Path(place, str(n_steps)), n_steps)
        rounds = []
        for number in range(ROUNDS):
            tell(f"round {number + 1} of {ROUNDS} over {STEPS[0]:,} to {STEPS[-1]:,} steps")
            rounds.append([apart(passes_apart, Path(place, str(n)), seconds=PATIENCE) for n in STEPS])
    seconds = [[taken for taken, _ in runs] for runs in zip(*rounds, strict=True)]
    megabytes = [max(peak for _, peak in runs) for runs in zip(*rounds, strict=True)]
    for n_steps, taken, peak in zip(STEPS, seconds, megabytes, strict=True):
        each = ", ".join(f"{1e9 * t / n_steps:.1f}" for t in taken)
        tell(f"{n_steps:,} steps: {each} ns per step, {peak:.0f} MB")
    per_step = 1e9 * np.median(seconds[-1]) / STEPS[-1]
    return Curve("steps", STEPS, seconds, megabytes, f"one pass, K = 3; {per_step:.0f} ns a step at the end")


def sessions_curve(n_steps: int = 1_000_000) -> Curve:
    sizes = [10**power for power in range(6)]
    with TemporaryDirectory() as place:
        contenders: Contenders = {}
        for n_sessions in sizes:
            write_data(Path(place, str(n_sessions)), n_steps, n_steps // n_sessions)
            contenders[str(n_sessions)] = one_pass(hiql.open_trajectories(Path(place, str(n_sessions))))
        times = race(contenders, 7, clock=time.thread_time)
    return Curve("sessions", sizes, listed(times), None, f"one pass over {n_steps:,} steps")


def intentions_curve(n_steps: int = 200_000) -> Curve:
    with TemporaryDirectory() as place:
        write_data(Path(place, "data"), n_steps)
        data = hiql.open_trajectories(Path(place, "data"))
        times = race({str(k): one_pass(data, k) for k in INTENTIONS}, 7, clock=time.thread_time)
    return Curve("intentions", INTENTIONS, listed(times), None, f"one pass over {n_steps:,} steps")


def workers_curve(n_steps: int = 30_000_000) -> Curve:
    with TemporaryDirectory() as place:
        write_data(Path(place, "data"), n_steps)
        data = hiql.open_trajectories(Path(place, "data"))
        times = race({str(n): one_pass(data, n_threads=n) for n in (1, 2)}, 9)
    return Curve("workers", [1, 2], listed(times), None, f"one pass over {n_steps:,} mapped steps")


# --- worlds and searches --------------------------------------------------------------------------------------


def states_curve() -> Curve:
    seconds, megabytes, worst = [], [], 0.0
    for side in SIDES:
        runs = [apart(run_iavi, side, seconds=PATIENCE) for _ in range(2)]
        seconds.append([run.solve for run in runs])
        megabytes.append(max(run.megabytes for run in runs))
        worst = max(worst, *(run.residual for run in runs))
        tell(f"{side**2:,} states: {min(seconds[-1]):.3f} s, {megabytes[-1]:.0f} MB")
    sizes = [side**2 for side in SIDES]
    return Curve("states", sizes, seconds, megabytes, f"IAVI in a sparse grid; residual at most {worst:.0e}")


def restarts_curve() -> Curve:
    data, mdp, name = labyrinth_problem()
    options = {"mdp": mdp, "patience": 0, "progress": False}
    fits: Contenders = {str(n): partial(hiql.HIAVI(2, n_init=n, **options).fit, data) for n in RESTARTS}
    times = race(fits, 3, clock=time.thread_time)
    return Curve("restarts", RESTARTS, listed(times), None, f"a whole fit without kicks, {name}, K = 2")


def labyrinth_problem() -> tuple[hiql.Trajectories, hiql.MDP, str]:
    """The water-restricted mice, or as many random steps where the data are absent."""
    try:
        maze = hiql.datasets.labyrinth("restricted")
        return maze.train, maze.mdp, "labyrinth"
    except hiql.errors.DatasetUnavailable:
        mdp = hiql.worlds.labyrinth()
        rng = np.random.default_rng(0)
        steps = [rng.integers(size, size=(200, 22)) for size in (mdp.n_states, mdp.n_actions)]
        data = hiql.Trajectories.from_arrays(*steps, n_states=mdp.n_states, n_actions=mdp.n_actions)
        return data, mdp, "random steps in the labyrinth"


def listed(times: dict[str, np.ndarray]) -> list[list[float]]:
    return [taken.tolist() for taken in times.values()]


# --- rows -----------------------------------------------------------------------------------------------------


def exponent_row(curve: Curve, allowed: float, *, goal: bool = True) -> Row:
    exponents = curve.exponents()
    detail = f"exponent {np.median(exponents):.2f}; {curve.note}"
    what = f"exponent {allowed:g} / exponent in {curve.title}"
    return row_of(what, [allowed / max(e, 0.01) for e in exponents], 1 if goal else None, detail)


def memory_row(curve: Curve, allowed: float) -> Row:
    peak = curve.megabytes[-1]
    detail = f"{peak:.0f} MB; {curve.megabytes[0]:.0f} MB at {curve.sizes[0]:,}"
    return row_of(f"{allowed:g} MB / peak memory at {curve.sizes[-1]:,} {curve.title}", [allowed / peak], 1, detail)


def rows() -> Iterator[Row]:
    measures = (steps_curve, states_curve, sessions_curve, intentions_curve, restarts_curve, workers_curve)
    curves = {}
    for measure in measures:
        tell(measure.__name__.replace("_", " "))
        curve = measure()
        curves[curve.title] = curve
    write_whole(CURVES, json.dumps({name: curve._asdict() for name, curve in curves.items()}, indent=1) + "\n")
    yield exponent_row(curves["steps"], 1.1)
    yield memory_row(curves["steps"], 600)
    yield exponent_row(curves["sessions"], 1.0)
    yield exponent_row(curves["intentions"], 2.1)
    yield exponent_row(curves["states"], 1.5, goal=False)
    yield exponent_row(curves["restarts"], 1.1)
    one, two = np.array(curves["workers"].seconds)
    yield row_of("one worker / two workers", one / two, 1.7, curves["workers"].note)


if __name__ == "__main__":
    report("Growth", rows(), arguments(__doc__).parse_args())
