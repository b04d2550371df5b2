"""What a bank of several transition matrices costs the compiled loop, against one matrix and against C by hand.

The matrix is chosen by the state. All of a bank are the same, so that the likelihoods are.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from estep import agree, estep_problem, hiql_loop, label
from hiql.dynamics import Chain
from hiql.engine.inference import Reading
from hiql.parts.rows import Sessions
from measuring import Contenders, race
from parameters import problem_of
from peers import plain_c_estep
from rows import Row, arguments, report, row_of

BANKS = (25, 127)
SIZE = (2000, 500)


def by_state(reading: Reading, size: int, sessions: Sessions) -> Chain:
    """The chain of a reading with its matrix ``size`` times over; the state says which of them leads into a step."""
    first, last = reading.data.offsets[list(sessions)]
    chain = reading.chain(sessions)
    numbers = (reading.data.states[first:last] % size).astype(np.uint32)
    return chain._replace(bank=chain.bank.repeat(size, axis=0), rows=numbers)


def rows() -> Iterator[Row]:
    for n_intentions in (2, 3, 5):
        data, parameters = estep_problem(*SIZE, n_intentions)
        reading = problem_of(data, n_intentions).read(parameters.point)
        contenders: Contenders = {"1": hiql_loop(reading)}
        for size in BANKS:
            bank = partial(by_state, reading, size)
            contenders[str(size)] = hiql_loop(replace(reading, chain=bank))
            chain = bank((0, data.n_sessions))
            contenders[f"C {size}"] = plain_c_estep(data, parameters, bank=(chain.bank, chain.rows))
        agree(contenders)
        times = race(contenders, repeats=15, clock=time.thread_time)
        per_step = {name: f"{1e9 * taken.min() / data.n_steps:.1f} ns" for name, taken in times.items()}
        for size in map(str, BANKS):
            what = f"one matrix / bank of {size}, {label(*SIZE)}, K = {n_intentions}"
            detail = f"one {per_step['1']}, bank {per_step[size]}, C {per_step[f'C {size}']}"
            yield row_of(what, times["1"] / times[size], 1 / 1.7, detail)
            what = f"C / compiled loop, bank of {size}, {label(*SIZE)}, K = {n_intentions}"
            yield row_of(what, times[f"C {size}"] / times[size], 1 / 1.3, detail)


if __name__ == "__main__":
    report("Banks of matrices", rows(), arguments(__doc__).parse_args())
