"""How time and memory grow with what is newer: contexts, animals, inputs, step rows, and units of a sweep.

A *pass* is one E-step and one M-step of plain EM, K = 2; with animals, and with inputs whose ridge is learned, a round
of learning comes after it. Seconds are those of the processor. Each axis has a process of its own, in which sizes grow:
memory is the peak at the first and the last, with some 230 MB of Python and its libraries, and the data.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import hiql
from apart import apart
from growth import Curve, exponent_row
from hiql.data.coding import Coding
from hiql.sweep import run_units
from rows import Row, arguments, report, tell

PATIENCE = 900.0
REPEATS = 3
Timed = Callable[[], object]


class Axis(NamedTuple):
    """Sizes, what is measured at each, and the exponent that is allowed."""

    title: str
    sizes: tuple[int, ...]
    prepared: Callable[[int], Timed]
    allowed: float
    note: str


def random_data(n_steps: int, session: int, *, states: int = 1, inputs: int = 0, animals: int = 1) -> hiql.Trajectories:
    rng = np.random.default_rng(0)
    shape = (n_steps // session, session)
    names = [f"u{i}" for i in range(inputs)]
    return hiql.Trajectories.from_arrays(
        list(rng.integers(states, size=shape)),
        list(rng.integers(2, size=shape)),
        n_states=states,
        n_actions=2,
        subjects=[f"a{i % animals}" for i in range(shape[0])],
        **({"inputs": list(rng.normal(size=(*shape, inputs))), "input_names": names} if inputs else {}),
    )


def one_pass(model: hiql.IntentionModel, data: hiql.Trajectories, *, learns: bool = False) -> Timed:
    """A pass from a random point, and a round of learning from what is found there."""
    problem = model._problem(data, Coding.of(data), 2)
    point = problem.start(np.random.default_rng(0))
    if not learns:
        return lambda: problem.step(point)
    return lambda: problem.learned(problem.step(point).update)


def contexts(size: int) -> Timed:
    return one_pass(hiql.HIQL(2), random_data(500_000, 500, states=size))


def animals(size: int) -> Timed:
    data = random_data(100 * size, 50, states=3, animals=size)
    return one_pass(hiql.HIQL(2, pool="subjects"), data, learns=True)


def inputs(size: int) -> Timed:
    return one_pass(hiql.GLMHMM(2), random_data(10_000, 500, inputs=size), learns=True)


def step_rows(size: int) -> Timed:
    return one_pass(hiql.GLMHMM(2), random_data(size, 500, inputs=5))


def nothing(unit: dict[str, Any]) -> dict[str, Any]:
    return {"of": unit["number"]}


def units(size: int) -> Timed:
    """A new folder, and all units once more from it, as after an interruption."""

    def run() -> None:
        with TemporaryDirectory() as folder:
            for _ in range(2):
                run_units([{"number": i} for i in range(size)], nothing, Path(folder), progress=False)

    return run


AXES = (
    Axis("contexts", (1_000, 10_000, 100_000, 1_000_000), contexts, 1.1, "a pass over 500,000 steps"),
    Axis("animals", (10, 100, 1_000, 10_000), animals, 1.1, "a pass and a round of learning, 100 steps an animal"),
    Axis("inputs", (5, 20, 50, 100, 200), inputs, 2.1, "a pass and a round of learning, 10,000 steps"),
    Axis("step rows", (10_000, 100_000, 1_000_000), step_rows, 1.1, "a pass of a regression on 5 inputs"),
    Axis("units of a sweep", (10, 100, 1_000), units, 1.1, "units that do nothing, in a new folder and read again"),
)


def measured(title: str, pipe: Connection) -> None:
    """Seconds (sizes, repeats) and the peak memory in MB, in this process."""
    axis = next(axis for axis in AXES if axis.title == title)
    axis.prepared(axis.sizes[0])()  # compiles
    seconds, megabytes = [], []
    for size in axis.sizes:
        run = axis.prepared(size)
        run()
        seconds.append([timed(run) for _ in range(REPEATS)])
        megabytes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    pipe.send((seconds, megabytes))


def timed(run: Timed) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def rows(only: str) -> Iterator[Row]:
    for axis in AXES:
        if only not in axis.title:
            continue
        tell(axis.title)
        found = apart(measured, axis.title, seconds=PATIENCE)
        if found is None:
            tell(f"{axis.title}: given up")
            continue
        curve = Curve(axis.title, list(axis.sizes), *found, axis.note)
        times = ", ".join(f"{np.median(each):.2g}" for each in curve.seconds)
        sizes = ", ".join(f"{size:,}" for size in curve.sizes)
        memory = f"{curve.megabytes[0]:.0f} to {curve.megabytes[-1]:.0f} MB"
        row = exponent_row(curve, axis.allowed)
        yield row._replace(detail=f"{row.detail}; {times} s at {sizes}; {memory}")


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--only", default="", help="axes whose name has this text")
    options = parser.parse_args()
    report("Growth of what is newer", rows(options.only), options)
