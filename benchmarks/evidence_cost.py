"""What evidence costs: a Bayes fit beside a plain one, and choosing by evidence beside choosing by held-out scores.

    python benchmarks/evidence_cost.py [--every N]

Ratios are of processor time, in one process, in one run. The sweep has K = 1 … 6 and three clocks on bandit mice
(histories of one trial; a Markov chain, switching by the last outcome, one intention a session), as ``hiql.select``
does it by each rule: five folds and three searches a candidate for held-out scores, one search and no folds for
evidence. Of the mice's sessions every N-th is taken.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import hiql
from hiql.dynamics import ByState
from recovery import simulated
from rows import Row, arguments, report, row_of, tell

CLOCKS = {"markov": "markov", "by outcome": ByState(context="last outcome"), "session-wise": "session-wise"}
REPEATS = 5


def mice(every: int) -> hiql.Trajectories:
    data = hiql.bandit_trials(hiql.datasets.mice_bandit(), history=1)
    return data.select(np.arange(0, data.n_sessions, every))


def seconds(call: Any) -> float:
    """Processor time of one call."""
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
    return time.process_time() - began


def fits(what: str, data: hiql.Trajectories, clock: Any) -> Row:
    """Plain over Bayes, for other seeds of the search; the first pair compiles, and is left out."""
    took = np.empty((REPEATS + 1, 2))
    for seed, both in enumerate(took):
        for n, estimate in enumerate(("mode", "bayes")):
            model = hiql.HIQL(3, dynamics=clock, estimate=estimate, progress=False, random_state=seed)
            both[n] = seconds(lambda model=model: model.fit(data))
    plain, bayes = took[1:].T
    detail = f"{np.median(plain):.2g} s and {np.median(bayes):.2g} s"
    return row_of(f"plain fit / Bayes fit, {what}, K = 3", plain / bayes, 1 / 2.5, detail)


def sweeps(data: hiql.Trajectories) -> Row:
    took = {}
    for by in ("evidence", "held-out"):
        tell(f"choosing by {by}")
        chosen = partial(hiql.select, n_intentions=range(1, 7), dynamics=tuple(CLOCKS.values()), by=by, progress=False)
        chosen(data[:3])  # compile
        took[by] = seconds(partial(chosen, data))
    detail = f"{took['held-out']:.0f} s and {took['evidence']:.0f} s, {data.n_sessions} sessions, {data.n_steps} trials"
    return row_of("sweep by held-out scores / by evidence", [took["held-out"] / took["evidence"]], 5, detail)


def rows(every: int) -> Iterator[Row]:
    for clock in ("markov", "by-state"):
        yield fits(f"random world, {clock}", simulated(3, clock, "large", 0)[0], clock)
    data = mice(every)
    for name, clock in CLOCKS.items():
        yield fits(f"bandit mice, {name}", data, clock)
    yield sweeps(data)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--every", type=int, default=6)
    options = parser.parse_args()
    report("What evidence costs", rows(options.every), options)


if __name__ == "__main__":
    main()
