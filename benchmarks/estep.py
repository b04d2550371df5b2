"""One E-step against hmmlearn, dynamax and C written by hand; and what a second thread brings.

hmmlearn and dynamax are compared with the whole E-step (tables made from log-policies, counts summed up), C with our
compiled loop on tables that are ready for both.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256

import numpy as np

import hiql
from hiql.dynamics.dense import moves_of
from hiql.engine.inference import Reading
from hiql.engine.threads import map_in_threads
from hiql.kernels.exact_smoother import smooth_sessions
from hiql.parts.rows import read_only
from measuring import Contenders, race
from parameters import Parameters, problem_of
from peers import dynamax_estep, hmmlearn_estep, plain_c_estep
from rows import Row, arguments, report, row_of

SIZES = ((200, 22), (64, 87), (2000, 500), (1, 1_000_000))
PEERS = {"hmmlearn": hmmlearn_estep, "dynamax": dynamax_estep}


def rows() -> Iterator[Row]:
    yield from c_rows()
    yield from peer_rows()
    yield from thread_rows()


BLOBS = [bytes(16_000_000)] * 2


def peer_rows(n_intentions: int = 3) -> Iterator[Row]:
    for size in SIZES:
        data, parameters = estep_problem(*size, n_intentions)
        whole = partial(problem_of(data, n_intentions).expect, parameters.point)
        contenders: Contenders = {"hiql": lambda whole=whole: whole().log_likelihood}
        for name, make in PEERS.items():
            try:
                contenders[name] = make(data, parameters)
            except ImportError as reason:
                print(f"{name} left out: {reason}", file=sys.stderr)
        agree(contenders)
        times = race(contenders)
        detail = f"{1e9 * times['hiql'].min() / data.n_steps:.0f} ns per step"
        for name in [name for name in PEERS if name in times]:
            what = f"{name} / hiql, {label(*size)}, K = {n_intentions}"
            yield row_of(what, times[name] / times["hiql"], 5, detail)


def c_rows() -> Iterator[Row]:
    for n_intentions in (2, 3, 5):
        for size in SIZES:
            data, parameters = estep_problem(*size, n_intentions)
            contenders: Contenders = {"loop": hiql_loop(problem_of(data, n_intentions).read(parameters.point))}
            try:
                contenders["C"] = plain_c_estep(data, parameters)
            except ImportError as reason:
                print(f"C left out: {reason}", file=sys.stderr)
                return
            agree(contenders)
            times = race(contenders, repeats=15, clock=time.thread_time)
            detail = ", ".join(f"{name} {1e9 * taken.min() / data.n_steps:.1f} ns" for name, taken in times.items())
            what = f"C / compiled loop, {label(*size)}, K = {n_intentions}"
            yield row_of(what, times["C"] / times["loop"], 1 / 1.2, detail)


def thread_rows() -> Iterator[Row]:
    for size in ((2000, 500), (20_000, 200)):
        data, parameters = estep_problem(*size, 3)
        contenders: Contenders = {n: partial(problem_of(data, 3, n_threads=n).expect, parameters.point) for n in (1, 2)}
        contenders |= {f"control {n}": lambda n=n: map_in_threads(sha256, BLOBS, n) for n in (1, 2)}
        times = race(contenders, repeats=15)
        control = np.median(times["control 1"] / times["control 2"])
        what = f"one thread / two threads, {label(*size)}, K = 3"
        yield row_of(what, times[1] / times[2], 1.7, f"two threads that share nothing (hashes): {control:.2f}")


def estep_problem(n_sessions: int, n_steps: int, n_intentions: int) -> tuple[hiql.Trajectories, Parameters]:
    rng = np.random.default_rng(0)
    states, actions = rng.integers(127, size=(n_sessions, n_steps)), rng.integers(4, size=(n_sessions, n_steps))
    data = hiql.Trajectories.from_arrays(states, actions, n_states=127, n_actions=4)
    transition = 0.9 * np.eye(n_intentions) + 0.1 / n_intentions
    policy = rng.dirichlet(np.ones(4), (n_intentions, 127))
    return data, Parameters(np.full(n_intentions, 1 / n_intentions), transition, policy)


def hiql_loop(reading: Reading) -> Callable[[], float]:
    """The compiled loop alone, over all sessions at once."""
    data, (_, chain, taken, k) = reading.data, reading.all_sessions
    moves, longest = moves_of(chain.bank, chain.rows), int(data.lengths.max())
    steps = data.offsets, read_only(taken.rows), read_only(np.ascontiguousarray(chain.begins)), moves
    tables = chain.initial, chain.bank, taken.table

    def run() -> float:
        counted = tuple(np.empty(table.shape) for table in tables)
        at = (0,) * k, (0, data.n_sessions, 1), steps, tables
        return taken.log_scale() + smooth_sessions(*at, np.empty((longest, k)), counted)

    return run


def agree(contenders: Contenders) -> None:
    """All must compute the same log-likelihood (dynamax in single precision), or the race is void."""
    values = {name: run() for name, run in contenders.items()}
    first, *_ = values.values()
    for name, value in values.items():
        if not np.isclose(value, first, rtol=1e-3 if name == "dynamax" else 1e-9):
            raise AssertionError(f"{name} computes {value}, hiql {first}")


def label(n_sessions: int, n_steps: int) -> str:
    return f"{n_sessions:,} × {n_steps:,}"


if __name__ == "__main__":
    report("One E-step", rows(), arguments(__doc__).parse_args())
