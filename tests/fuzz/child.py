"""The process in which a target meets files: ``python -m tests.fuzz.child TARGET SEED FIRST N FOLDER``.

Case number n is the same for the same seed, whatever came before it. The process has 2 GB more than it uses after the
sound files, and 30 s of processor time for each case; the file is on disk before each call. For each case it prints
one line: its number, "read" or "refused", and how long the message was; so whatever ends the process, the culprit is
the case after the last line.
"""

from __future__ import annotations

import resource
import signal
import sys
import warnings
from pathlib import Path

import numpy as np

from hiql.errors import HiqlError
from tests.fuzz.targets import TARGETS, Refused, Target

SPARE = 2 * 2**30
LONGEST = 30


class TooLong(BaseException):
    """Not an Exception: nothing may take it for an error of the file."""


def stop(*_: object) -> None:
    raise TooLong


def limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + SPARE,) * 2)


def case(target: Target, seeds: list[bytes], seed: int, number: int) -> bytes:
    return target.damage(seeds, np.random.default_rng([seed, number]))


def outcome(target: Target, path: Path) -> tuple[str, int]:
    """Whether a file was read or refused, and the length of the message; anything else is a bug, and is raised."""
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        target.run(path)
        return "read", 0
    except (HiqlError, Refused) as error:
        return "refused", len(str(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main(name: str, seed: int, first: int, n_cases: int, folder: Path) -> None:
    target = TARGETS[name]
    seeds = target.seeds(folder)
    path = folder / f"culprit{target.suffix}"
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, stop)
    for content in seeds:
        path.write_bytes(content)
        assert outcome(target, path)[0] == "read", f"a sound file was refused: {content[:200]!r}"
    limit_memory()
    for number in range(first, first + n_cases):
        path.write_bytes(case(target, seeds, seed, number))
        print(number, *outcome(target, path), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]))
