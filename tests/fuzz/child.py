"""The process in which a target meets damaged files: ``python -m tests.fuzz.child TARGET SEED SECONDS FOLDER``.

It has 2 GB more than it uses after a first, sound file, and 30 s for each file. Before each call the file is on disk,
so whatever ends the process, the culprit is the last file written. It prints how many files were read, how many
refused, and the length of the longest message.
"""

from __future__ import annotations

import resource
import signal
import sys
import time
from pathlib import Path

import numpy as np

from hiql.errors import HiqlError
from tests.fuzz.mutations import damaged
from tests.fuzz.targets import TARGETS, Refused

SPARE = 2 * 2**30
LONGEST = 30


class TooLong(BaseException):
    """Not an Exception: nothing may take it for an error of the file."""


def stop(*_: object) -> None:
    raise TooLong


def limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + SPARE,) * 2)


def main(name: str, seed: int, seconds: float, folder: Path) -> None:
    target = TARGETS[name]
    seeds = target.seeds(folder)
    path = folder / f"culprit{target.suffix}"
    for content in seeds:
        path.write_bytes(content)
        target.run(path)
    limit_memory()
    signal.signal(signal.SIGALRM, stop)
    end = time.monotonic() + seconds
    read = refused = longest = 0
    for content in damaged(seeds, np.random.default_rng(seed)):
        path.write_bytes(content)
        signal.alarm(LONGEST)
        try:
            target.run(path)
            read += 1
        except (HiqlError, Refused) as error:
            refused += 1
            longest = max(longest, len(str(error)))
        signal.alarm(0)
        if time.monotonic() > end:
            break
    print(read, refused, longest)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
