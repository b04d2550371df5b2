"""Time and memory of contenders in one run: interleaved, so that a noisy machine is noisy to all of them."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Contenders = dict[str, Callable[[], object]]
Times = dict[str, npt.NDArray[np.float64]]


def race(
    contenders: Contenders, repeats: int = 9, least: float = 0.05, clock: Callable[[], float] = time.perf_counter
) -> Times:
    """Seconds per call, (repeats,) for each contender, taken in turn; short calls are repeated within a measurement.

    ``clock`` may be ``time.thread_time`` where nothing runs in other threads: it does not count what other programs
    on the machine take.
    """
    for run in contenders.values():
        run()  # compiles and warms up
    loops = {name: max(1, round(least / max(once(run, clock), 1e-9))) for name, run in contenders.items()}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            began = clock()
            for _ in range(loops[name]):
                run()
            times[name].append((clock() - began) / loops[name])
    return {name: np.array(taken) for name, taken in times.items()}


def once(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of one call."""
    return timed(run, clock)[0]


def timed(run: Callable[[], T], clock: Callable[[], float] = time.perf_counter) -> tuple[float, T]:
    """Seconds of one call, and what it returned."""
    began = clock()
    result = run()
    return clock() - began, result


def peak_memory(run: Callable[[], object]) -> float:
    """MiB one call needs: the larger of what Python's and numpy's allocators report and the rise of resident memory.

    The first sees buffers that the process keeps for reuse, the second those of other allocators (where /proc exists).
    """
    run()
    tracemalloc.start()
    run()
    traced = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return max(traced, _resident_rise(run))


def _resident_rise(run: Callable[[], object]) -> float:
    try:
        Path("/proc/self/clear_refs").write_text("5")  # resets the high-water mark
        before = status("VmRSS")
        run()
        return (status("VmHWM") - before) / 1024
    except OSError:
        return 0.0


def status(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))
