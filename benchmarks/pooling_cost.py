"""What pooling costs: processor time of a pooled fit in units of a plain fit of the same data.

Both are fitted in turn from the same seeds, so that whatever else the machine does meets both; one ratio for each seed,
and their median. Fits that take a few milliseconds are mostly reading the data and finding rewards.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import hiql
from pooling import folds, quiet, rat, simulated
from rows import arguments


class Case(NamedTuple):
    """Options of the pooled fit; the plain one has none."""

    name: str
    data: hiql.Trajectories
    options: dict[str, Any]


def cases() -> Iterator[Case]:
    for history in (1, 2, 3, 4, 5):
        yield Case(f"bandit, history of {history}", folds(history)[0][0], {"prior": "pooled"})
    yield Case("bandit, history of 2, animals", folds(2)[0][0], {"pool": "subjects"})
    yield Case("simulated reversal, animals", simulated()[0], {"pool": "subjects"})
    yield Case("rat, days", rat()[0], {"pool": "days"})
    yield Case("labyrinth, by state left", hiql.datasets.labyrinth_long().data, {"dynamics": "by-state"})


def seconds(k: int, seed: int, data: hiql.Trajectories, **options: Any) -> float:
    model = quiet(k, random_state=seed, **options)
    started = time.process_time()
    model.fit(data)
    return time.process_time() - started


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    options = parser.parse_args()
    print("case", "K", "plain, s", "pooled, s", "ratio, median", "least", "most", sep="\t")
    for case in cases():
        if options.only not in case.name:
            continue
        for k in (1, 2, 3, 4):
            for way in ({}, case.options):
                quiet(k, max_iter=2, n_init=1, patience=0, **way).fit(case.data)  # compile
            pairs = [
                (seconds(k, seed, case.data), seconds(k, seed, case.data, **case.options))
                for seed in range(options.seeds)
            ]
            ratios = [pooled / plain for plain, pooled in pairs]
            plain, pooled = (statistics.median(column) for column in zip(*pairs, strict=True))
            shown = plain, pooled, statistics.median(ratios), min(ratios), max(ratios)
            print(case.name, k, *(f"{x:.3g}" for x in shown), sep="\t", flush=True)


if __name__ == "__main__":
    main()
