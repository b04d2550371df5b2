"""Time and memory of contenders in one run: interleaved, so that a noisy machine is noisy to all of them."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

Contenders = dict[str, Callable[[], object]]


class Measurement(NamedTuple):
    """Seconds per call (median and quartiles over repeats) and the rise of resident memory during a call (MiB)."""

    seconds: float
    low: float
    high: float
    memory: float


def measure(contenders: Contenders, repeats: int = 7, least: float = 0.05) -> dict[str, Measurement]:
    """Call each contender in turn, ``repeats`` times over; short calls are repeated within a measurement."""
    memory = {name: peak_memory(run) for name, run in contenders.items()}  # also compiles and warms up
    loops = {name: max(1, round(least / max(once(run), 1e-9))) for name, run in contenders.items()}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            began = time.perf_counter()
            for _ in range(loops[name]):
                run()
            times[name].append((time.perf_counter() - began) / loops[name])
    return {
        name: Measurement(*(float(np.percentile(t, q)) for q in (50, 25, 75)), memory[name])
        for name, t in times.items()
    }


def once(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


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
        before = _status("VmRSS")
        run()
        return (_status("VmHWM") - before) / 1024
    except OSError:
        return 0.0


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))
