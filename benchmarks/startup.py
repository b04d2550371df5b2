"""How long until hiql answers, in a new process: the import, and the first compiled call with a warm cache.

Seconds are those of the processor: other programs on the machine do not count.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

from measuring import once
from rows import Row, arguments, report, row_of

FIRST_CALL = """
import numpy as np, hiql
rng = np.random.default_rng(0)
data = hiql.Trajectories.from_arrays(rng.integers(4, size=(3, 20)), rng.integers(2, size=(3, 20)))
hiql.HIQL(2, max_iter=5, n_init=1, patience=0, progress=False).fit(data)
"""
REPEATS = 7


def row(what: str, code: str, allowed: float) -> Row:
    """``allowed`` seconds over those taken; the first run, which may compile, does not count."""

    def run() -> object:
        return subprocess.run([sys.executable, "-c", code], check=True)

    run()
    taken = [once(run, childrens_time) for _ in range(REPEATS)]
    return row_of(f"{allowed:g} s / {what}", [allowed / seconds for seconds in taken], 1, f"{min(taken):.2f} s at best")


def childrens_time() -> float:
    """Seconds of processor time that finished child processes have taken."""
    times = os.times()
    return times.children_user + times.children_system


def rows() -> Iterator[Row]:
    yield row("import hiql", "import hiql", 1.0)
    yield row("import hiql and its models", "import hiql; hiql.HIAVI", 1.0)._replace(goal=None)
    yield row("first compiled fit, cache warm", FIRST_CALL, 3.0)


if __name__ == "__main__":
    report("Start-up", rows(), arguments(__doc__).parse_args())
