"""Waiting for a Dask cluster, though never for ever: scheduler and workers may go away at any moment."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from math import isfinite
from queue import Empty, SimpleQueue
from typing import Any

from hiql.errors import ClusterUnavailable, InvalidParameter

SECONDS_TO_ANSWER = 10.0
"""The default for how long a cluster may take to answer and to show its first worker."""
SECONDS_TO_RETURN = 60.0
"""A cluster that has answered is given at least so long: nannies and queues start workers again, schedulers import."""
SECONDS_BETWEEN_LOOKS = 1.0


class Watch:
    """Waits for tasks of ``client``, and looks after its cluster meanwhile.

    Once scheduler or workers have been missing for too long, whoever waits gets a :class:`ClusterUnavailable`. Too long
    is ``timeout`` seconds for the first worker, and for all that comes later :data:`SECONDS_TO_RETURN` if that is more.
    """

    def __init__(self, client: Any, timeout: float = SECONDS_TO_ANSWER) -> None:
        self._client = client
        self._address = getattr(getattr(client, "scheduler", None), "address", type(client).__name__)
        self._allowed = check_timeout(timeout)
        self._well_at = time.monotonic()

    def completed(self, tasks: Collection[Any]) -> Iterator[Any]:
        """The tasks as they end, well or badly."""
        ended: SimpleQueue[Any] = SimpleQueue()
        for task in tasks:
            task.add_done_callback(ended.put)
        self._well_at = time.monotonic()
        for _ in tasks:
            yield self._next(ended)

    def result(self, task: Any) -> Any:
        """The result of a task that has ended; its worker may have died since, and another must then do it again."""
        seconds = SECONDS_BETWEEN_LOOKS
        while True:
            try:
                return task.result(timeout=seconds)
            except TimeoutError:
                if task.status == "error":  # the task's own
                    raise
                self._look()
                seconds *= 2  # a result may be large and the network slow

    @contextmanager
    def told(self) -> Iterator[None]:
        """Whatever goes wrong with a client that has lost its scheduler is told as that."""
        try:
            yield
        except ClusterUnavailable:
            raise
        except Exception as error:
            if isinstance(error, CancelledError) or self._is_over:
                raise self._unavailable("its scheduler went away") from error
            raise

    def _next(self, ended: SimpleQueue[Any]) -> Any:
        while True:
            try:
                task = ended.get(timeout=SECONDS_BETWEEN_LOOKS)
            except Empty:
                self._look()
            else:
                self._note_well()
                return task

    def _look(self) -> None:
        """Give up if all has not been well for too long."""
        problem, allowed = self._problem()
        if problem is None:
            self._note_well()
        elif self._is_over or time.monotonic() - self._well_at >= allowed:
            raise self._unavailable(problem)

    def _note_well(self) -> None:
        self._well_at, self._allowed = time.monotonic(), max(self._allowed, SECONDS_TO_RETURN)

    def _problem(self) -> tuple[str | None, float]:
        """What is wrong, if anything, and for how many seconds it may be.

        A scheduler imports hiql when it gets its first task, and cannot answer meanwhile: its silence is no bad sign
        for a while, even if no worker has been seen yet.
        """
        patience = max(self._allowed, SECONDS_TO_RETURN)
        if self._client.status != "running":
            return "its scheduler went away", patience
        seconds_left = self._well_at + patience - time.monotonic()
        try:
            workers = self._client.nthreads(callback_timeout=max(seconds_left, SECONDS_BETWEEN_LOOKS))
        except Exception as error:  # TimeoutError, OSError, or what a client raises that is just being closed
            return f"its scheduler does not answer ({type(error).__name__})", patience
        without = f"it has had no workers for {time.monotonic() - self._well_at:.0f} s"
        return None if workers else without, self._allowed

    @property
    def _is_over(self) -> bool:
        """Whether the client has given up its scheduler."""
        return self._client.status in {"closing", "closed"}

    def _unavailable(self, problem: str) -> ClusterUnavailable:
        return ClusterUnavailable(
            cluster=self._address,
            problem=problem,
            remedy="see that its scheduler and its workers are up (dask scheduler; dask worker ADDRESS), or give them "
            "more time (timeout; --cluster-timeout on the command line); a sweep keeps its finished units, and the "
            "same command resumes it",
        )


def check_timeout(seconds: float) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not (isfinite(seconds) and seconds > 0):
        raise InvalidParameter(parameter="timeout", value=seconds, remedy="choose a number of seconds above 0")
    return float(seconds)
