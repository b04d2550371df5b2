"""Whole fits by this code against those by another copy of it: ``python benchmarks/against.py OTHER/.venv/bin/python``.

Each copy runs in a process of its own, and they fit in turn: in one run, so that a noisy machine is noisy to both.
Times are those of the thread. Instructions, counted by valgrind, do not depend on the machine's load at all. Ratios are
other / this: 1 is as fast, less is slower.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from common_fits import PASSES, fits
from instructions import instructions_of
from rows import Row, arguments, report, row_of

ROUNDS = 15
CHILD = str(Path(__file__).with_name("common_fits.py"))


def time_rows(pythons: dict[str, str]) -> Iterator[Row]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    them = {who: subprocess.Popen([path, CHILD], **pipes) for who, path in pythons.items()}

    def taken(who: str, name: str) -> float:
        print(name, file=them[who].stdin, flush=True)
        return float(them[who].stdout.readline())

    for name in fits():
        for who in them:
            taken(who, name)  # compiles
        rounds = np.array([[taken(who, name) for who in them] for _ in range(ROUNDS)])
        times = dict(zip(them, rounds.T, strict=True))
        detail = ", ".join(f"{who} {1e3 * np.median(found):.1f} ms" for who, found in times.items())
        yield row_of(f"other / this, seconds, {name}", times["other"] / times["this"], 1 / 1.05, detail)
    for child in them.values():
        child.communicate()


def instruction_rows(pythons: dict[str, str]) -> Iterator[Row]:
    found = {who: instructions_of([path, CHILD], PYTHONHASHSEED="0") for who, path in pythons.items()}
    for number, name in enumerate(fits()):
        other, this = (found[who]["fit", PASSES, number] / PASSES for who in ("other", "this"))
        detail = f"millions: other {other / 1e6:.2f}, this {this / 1e6:.2f}"
        yield row_of(f"other / this, instructions, {name}", [other / this], 1 / 1.03, detail)


def rows(other: str) -> Iterator[Row]:
    pythons = {"other": other, "this": sys.executable}
    yield from time_rows(pythons)
    yield from instruction_rows(pythons)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("other", help="the Python of the other copy's environment")
    options = parser.parse_args()
    report("Against another copy", rows(options.other), options)
