"""What a bank of several transition matrices costs the compiled loop, against one matrix.

The matrix is chosen by the state. All of a bank are the same, so that the likelihoods are.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from estep import agree, estep_problem, hiql_loop, label
from measuring import Contenders, race
from rows import Row, arguments, report, row_of

BANKS = (25, 127)
SIZE = (2000, 500)


def rows() -> Iterator[Row]:
    for n_intentions in (2, 3):
        data, chain, policy = estep_problem(*SIZE, n_intentions)
        contenders: Contenders = {"1": hiql_loop(data, chain, np.log(policy))}
        for size in BANKS:
            bank, choice = chain.bank.repeat(size, axis=0), (data.states % size).astype(np.uint32)
            contenders[str(size)] = hiql_loop(data, chain._replace(bank=bank), np.log(policy), choice)
        agree(contenders)
        times = race(contenders, repeats=15, clock=time.thread_time)
        per_step = {name: f"{1e9 * taken.min() / data.n_steps:.1f} ns" for name, taken in times.items()}
        for size in map(str, BANKS):
            what = f"one matrix / bank of {size}, {label(*SIZE)}, K = {n_intentions}"
            yield row_of(what, times["1"] / times[size], 1 / 1.7, f"one {per_step['1']}, bank {per_step[size]}")


if __name__ == "__main__":
    report("Banks of matrices", rows(), arguments(__doc__).parse_args())
