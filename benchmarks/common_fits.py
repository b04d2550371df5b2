"""Fits that any copy of hiql can do, for ``against.py``: in a process of its own, by public names only."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from functools import partial

import hiql

PASSES = 3


def fits() -> dict[str, Callable[[], object]]:
    """What both copies can do."""
    table = f"{os.environ['HIQL_DATA_DIR']}/bandit/mice_bandit.csv.gz"
    mice, bandit = hiql.datasets.labyrinth("restricted").data, hiql.bandit_trials(table, history=2).select(range(60))
    problems = {"labyrinth, K = 2": (2, mice), "labyrinth, K = 3": (3, mice), "bandit, K = 2": (2, bandit)}
    return {name: partial(hiql.HIQL(k, progress=False).fit, data) for name, (k, data) in problems.items()}


def fit_when_asked() -> None:
    """In a process of its own: each line names a fit; the answer is the seconds that it took."""
    known = fits()
    for name in map(str.strip, sys.stdin):
        began = time.thread_time()
        known[name]()
        print(time.thread_time() - began, flush=True)


def fit_counted(marker: str) -> None:
    """In a process under valgrind: some fits of each kind; what was counted since the last mark is dumped."""
    mark: Callable[[bytes], None] = ctypes.CDLL(marker).mark
    for number, fit in enumerate(fits().values()):
        fit()
        mark(b"before")
        for _ in range(PASSES):
            fit()
        mark(f"fit/{PASSES}/{number}".encode())


if __name__ == "__main__":
    fit_when_asked() if len(sys.argv) == 1 else fit_counted(sys.argv[1])
