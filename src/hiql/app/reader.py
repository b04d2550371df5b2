"""A process that reads tables for the server: one that is too large or too odd ends that process and nothing else."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import suppress
from threading import Lock, Thread
from typing import Any

PATIENCE = 120.0
"""Seconds that a table may take."""
DIED = "Reading this table ended the program that reads tables; most likely it needs more memory than there is."
SLOW = f"The table was not read within {PATIENCE:g} s. Give fewer rows or columns, or use the command line."
Read = Callable[[str, Mapping[str, Any]], dict[str, Any]]


class Reader:
    """:func:`hiql.app.reading.read`, or another function, in a process that is kept, and replaced when it dies."""

    def __init__(self, function: Read, patience: float = PATIENCE) -> None:
        self._patience, self._function = patience, function
        self._lock, self._pool = Lock(), None

    def __call__(self, path: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            pool = self._pool = self._pool or _new_pool(self._function)
            try:
                return pool.submit(self._function, path, wanted).result(self._patience)
            except BrokenExecutor:
                problem = DIED
            except TimeoutError:
                problem = SLOW
            self._end()
        return {"columns": [], "rows": 0, "facts": {}, "error": problem, "proposed": [], "of_trials": False}

    def warm_up(self) -> None:
        """Start the process, so that the first table need not wait for it."""
        with self._lock:
            self._pool = self._pool or _new_pool(self._function)
            self._pool.submit(int)

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                with suppress(OSError):
                    process.kill()
            pool.shutdown(wait=False, cancel_futures=True)

    _pool: ProcessPoolExecutor | None


def _new_pool(function: Read) -> ProcessPoolExecutor:
    alone = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=alone, initializer=_prepare, initargs=(function,))


def _prepare(_: Read) -> None:
    """What the function needs was imported on the way here; the keys that stop the server are for the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_server, daemon=True).start()


def _end_with_server() -> None:
    """A server that is killed cannot say that it needs no reader any more."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)
