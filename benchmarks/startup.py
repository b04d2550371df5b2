"""How long until hiql answers, in a new process: the import, and the first compiled call with a warm cache."""

from __future__ import annotations

import subprocess
import sys

from measuring import once
from rows import Row, report, row_of

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
    taken = [once(run) for _ in range(REPEATS)]
    return row_of(f"{allowed:g} s / {what}", [allowed / seconds for seconds in taken], 1, f"{min(taken):.2f} s at best")


if __name__ == "__main__":
    report(
        "Start-up",
        [
            row("import hiql", "import hiql", 1.0),
            row("import hiql and its models", "import hiql; hiql.HIAVI", 1.0)._replace(goal=None),
            row("first compiled fit, cache warm", FIRST_CALL, 3.0),
        ],
    )
