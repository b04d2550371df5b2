"""GLM-HMMs: an iteration of EM, and whole fits, against dynamax and against plain numpy with Newton's method.

    python benchmarks/glm_speed.py [--intentions 2 3 4 5] [--steps 1e4 1e5 1e6] [--inputs 5 20] [--whole 1e5]

- *Iterations*, from random starts: ours are an E-step and one damped step of Newton's; the plain one makes up to five
  steps, halved where they overshoot (``tests/oracles/glm_hmm.py``); dynamax makes its 50 steps of Adam, compiled
  before, in single precision, its default.
- *Whole fits*, up to ``--whole`` steps: our default ``fit()``, with all its starts, kicks and learned ridges, against
  one climb of the plain EM to a gain of 10⁻⁶, and against 50 iterations of dynamax, its default. The field makes 20
  starts, which are so many times as long.

Mice judge stimuli in sessions of some 480 trials (``judging_mice.py``; more inputs are noise). dynamax knows no
sessions of different lengths: all are cut to the shortest for it, and its time counted by the steps. Processor time,
taken in turn.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

import hiql
from glm_hmm import GIVEN, SMALL_RIDGE, as_read, plain, ridge_of
from hiql.data.coding import Coding
from judging_mice import SESSIONS_EACH, simulated
from measuring import Times, race
from rows import Row, arguments, report, row_of

STEPS_IN_A_SESSION = 480
LIKE_AN_ITERATION, LIKE_A_FIT = 10.0, 5.0
ITERATIONS = {10_000: 20, 100_000: 5, 1_000_000: 2}
"""In one measurement, by the largest number of steps."""
REPEATS = 3
DEFAULT_OF_DYNAMAX = 50


def judged(n_steps: int, n_inputs: int) -> hiql.Trajectories:
    """So many steps, and the first so many inputs, then noise."""
    data = simulated(0, n_trials=n_steps, n_mice=max(2, n_steps // (STEPS_IN_A_SESSION * SESSIONS_EACH))).data
    noise = np.random.default_rng(1).normal(size=(data.n_steps, max(0, n_inputs - data.inputs.shape[1])))
    inputs = np.column_stack([data.inputs, noise])[:, :n_inputs]
    cuts = data.offsets[1:-1]
    return hiql.Trajectories.from_arrays(
        None, np.split(data.actions, cuts), inputs=np.split(inputs, cuts), n_actions=2,
        input_names=[f"x{i}" for i in range(n_inputs)], subjects=data.subjects,
    )  # fmt: skip


def iterations(data: hiql.Trajectories, k: int) -> Iterator[Row]:
    n = next(n for most, n in ITERATIONS.items() if data.n_steps <= most)
    model = hiql.GLMHMM(k, ridge=GIVEN, progress=False)
    problem = model._problem(data, Coding.of(data), k)
    begin = problem.start(np.random.default_rng(0))
    steps, held = as_read(data, data), ridge_of(data, GIVEN)
    start = plain.random_start(steps, k, held, np.random.default_rng(0))

    def ours() -> None:
        point = begin
        for _ in range(n):
            point = problem.step(point).update

    contenders: dict[str, Callable[[], object]] = {
        "hiql": ours,
        "plain numpy": lambda: plain.climbed(steps, start, held, n, -np.inf),
    }
    yield from against(data, k, contenders, n, LIKE_AN_ITERATION, "an iteration of EM")


def whole_fits(data: hiql.Trajectories, k: int) -> Iterator[Row]:
    steps, held = as_read(data, data), ridge_of(data, SMALL_RIDGE)
    start = plain.random_start(steps, k, held, np.random.default_rng(0))
    contenders: dict[str, Callable[[], object]] = {
        "hiql": lambda: hiql.GLMHMM(k, progress=False).fit(data),
        "plain numpy": lambda: plain.climbed(steps, start, held),
    }
    yield from against(data, k, contenders, DEFAULT_OF_DYNAMAX, LIKE_A_FIT, "one start / our default fit")


def against(
    data: hiql.Trajectories, k: int, contenders: dict[str, Callable[[], object]], n: int, goal: float, what: str
) -> Iterator[Row]:
    peer, share = of_dynamax(as_read(data, data), k, n)
    times = race(contenders | ({} if peer is None else {"dynamax": peer}), REPEATS, 0.0, time.process_time)
    if peer is not None:
        times["dynamax"] = times["dynamax"] / share
    yield from as_rows(times, f"{what}, {data.n_steps:,} steps, {data.inputs.shape[1]} inputs, K = {k}", goal)


def as_rows(times: Times, what: str, goal: float) -> Iterator[Row]:
    for name in [name for name in times if name != "hiql"]:
        detail = f"{np.median(times[name]):.3g} s, hiql {np.median(times['hiql']):.3g} s"
        yield row_of(f"{name}: {what}", times[name] / times["hiql"], goal, detail)


def of_dynamax(steps: plain.Padded, k: int, n: int) -> tuple[Callable[[], object] | None, float]:
    """So many iterations of its EM, and the share of the steps that they see; None where it is not installed."""
    try:
        import jax
        import jax.numpy as jnp
        from dynamax.hidden_markov_model import LogisticRegressionHMM
    except ImportError:
        return None, 1.0
    shortest = int((steps.actions >= 0).sum(axis=1).min())
    peer = LogisticRegressionHMM(k, steps.inputs.shape[2] - 1)
    params, props = peer.initialize(jax.random.PRNGKey(0))
    data = jnp.asarray(steps.actions[:, :shortest]), jnp.asarray(steps.inputs[:, :shortest, :-1])
    run = jax.jit(lambda params: peer.fit_em(params, props, *data, num_iters=n, verbose=False)[1])
    return lambda: run(params).block_until_ready(), len(steps.actions) * shortest / (steps.actions >= 0).sum()


def rows(options: argparse.Namespace) -> Iterator[Row]:
    for n_steps, n_inputs in product(options.steps, options.inputs):
        data = judged(int(n_steps), n_inputs)
        for k in options.intentions:
            yield from iterations(data, k)
            if n_steps <= options.whole:
                yield from whole_fits(data, k)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--intentions", type=int, nargs="+", default=[2, 3, 5])
    parser.add_argument("--steps", type=float, nargs="+", default=[1e4, 1e5])
    parser.add_argument("--inputs", type=int, nargs="+", default=[5, 20])
    parser.add_argument("--whole", type=float, default=1e4, help="whole fits up to so many steps")
    options = parser.parse_args()
    report("GLM-HMMs", rows(options), options)


if __name__ == "__main__":
    main()
