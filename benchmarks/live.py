"""A step of a running experiment against the same forward step in plain numpy, and how long single steps take.

The plain step has its tables at hand, too: mind @ Λ, times a column of π, over its sum. Single steps are timed one by
one, with ``out=`` and a call of the clock within; what other programs on the machine take is in their last percentiles.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

import hiql
from estep import estep_problem
from measuring import race
from parameters import Parameters
from rows import Row, arguments, report, row_of

Step = Callable[[int, int], object]
PERCENTILES = 50, 99, 99.9


def plain_numpy(parameters: Parameters) -> Step:
    """The forward step as one would write it."""
    mind, (_, transition, policy) = parameters.initial, parameters
    by_pair = np.ascontiguousarray(policy.transpose(1, 2, 0))

    def step(state: int, action: int) -> np.ndarray:
        nonlocal mind
        mind = mind @ transition * by_pair[state, action]
        mind /= mind.sum()
        return mind

    return step


def followed(data: hiql.Trajectories, parameters: Parameters) -> tuple[Step, Step]:
    """Our step, as it is and with an array that is used again."""
    model = hiql.HIQL(len(parameters.initial), n_init=1, patience=0, max_iter=1).fit(data.select([0]))
    model._set_parameters(parameters.point)
    live, reused, room = model.live(), model.live(), np.empty(len(parameters.initial))
    return live.step, lambda state, action: reused.step(state, action, out=room)


def through(step: Step, steps: list[tuple[int, int]]) -> Callable[[], object]:
    def run() -> object:
        for state, action in steps:
            answer = step(state, action)
        return answer

    return run


def seconds_of_each(step: Step, steps: list[tuple[int, int]], n_steps: int) -> np.ndarray:
    """(n_steps,) of single steps, from one look at the clock to the next."""
    clock, times = time.perf_counter, []
    while len(times) < n_steps:
        looks = [clock()]
        for state, action in steps[: n_steps - len(times)]:
            step(state, action)
            looks.append(clock())
        times += [after - before for before, after in pairwise(looks)]
    return np.array(times)


def rows(n_steps: int) -> Iterator[Row]:
    for n_intentions in (2, 5):
        data, parameters = estep_problem(10, 1000, n_intentions)
        steps = list(zip(data.states.tolist(), data.actions.tolist(), strict=True))
        ours, reusing = followed(data, parameters)
        plain = plain_numpy(parameters)
        for step in (ours, reusing):  # from here on all remember the same
            np.testing.assert_allclose(through(step, steps)(), through(plain_numpy(parameters), steps)(), atol=1e-9)
        times = race({"numpy": through(plain, steps), "ours": through(ours, steps), "out": through(reusing, steps)})
        each = 1e6 * np.percentile(seconds_of_each(reusing, steps, n_steps), PERCENTILES)
        told = ", ".join(f"{q:g} %: {time:.2f} µs" for q, time in zip(PERCENTILES, each, strict=True))
        numpy = f"numpy {1e6 * np.median(times['numpy']) / len(steps):.2f} µs"
        yield row_of(f"plain numpy / live.step, K = {n_intentions}", times["numpy"] / times["ours"], 3, numpy)
        what = f"plain numpy / live.step(out=…), K = {n_intentions}"
        yield row_of(what, times["numpy"] / times["out"], 3, f"{numpy}; of {n_steps:.0e} steps {told}")


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("n_steps", nargs="?", type=float, default=1e6, help="how many single steps to time; 1e6")
    options = parser.parse_args()
    report("A running experiment", rows(int(options.n_steps)), options)
