"""What durations of their own cost: a semi-Markov pass, beside a Markov chain's, and the chain as a matrix.

A pass is the compiled loop over all sessions, on tables that are ready, with 20 phases an intention.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from estep import agree, estep_problem, label
from hiql.choices import Policies, TableChoice
from hiql.dynamics import MarkovChain, SemiMarkov
from hiql.engine.chunk import Chunk
from hiql.engine.problem import Point, Problem
from measuring import Contenders, race
from rows import Row, arguments, report, row_of

SIZE = (400, 250)
PHASES = 20
AS_A_MATRIX = 2
"""Intentions up to which the matrix is tried, too: each number of phases compiles for long."""


def chunk_of(data, dynamics, policy, n_intentions: int) -> Chunk:
    problem = Problem(data, dynamics, TableChoice(0.1), n_intentions)
    start = problem.start(np.random.default_rng(0))
    return problem.read(Point(start.dynamics, Policies(np.log(policy)))).all_sessions


def rows() -> Iterator[Row]:
    for n_intentions in (2, 3, 5, 10):
        data, parameters = estep_problem(*SIZE, n_intentions)
        markov, phases = (
            chunk_of(data, dynamics, parameters.policy, n_intentions)
            for dynamics in (MarkovChain(), SemiMarkov(PHASES))
        )
        contenders: Contenders = {"Markov": lambda c=markov: c.smoothed().log_likelihood}
        contenders |= {"phases": lambda c=phases: c.smoothed().log_likelihood}
        if n_intentions <= AS_A_MATRIX:
            matrix = phases._replace(chain=phases.chain.dense())
            contenders |= {"matrix": lambda c=matrix: c.smoothed().log_likelihood}
        agree({name: run for name, run in contenders.items() if name != "Markov"})
        times = race(contenders, repeats=15, clock=time.thread_time)
        detail = ", ".join(f"{name} {1e9 * taken.min() / data.n_steps:.1f} ns" for name, taken in times.items())
        what = f"{label(*SIZE)}, K = {n_intentions}, {PHASES} phases each"
        yield row_of(f"Markov chain / semi-Markov, {what}", times["Markov"] / times["phases"], 1 / 3, detail)
        if n_intentions <= AS_A_MATRIX:
            yield row_of(f"as a matrix / semi-Markov, {what}", times["matrix"] / times["phases"], 10, detail)


if __name__ == "__main__":
    report("Durations of their own", rows(), arguments(__doc__).parse_args())
