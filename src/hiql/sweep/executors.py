"""Where units run: in processes of this machine, or on a Dask cluster.

An executor maps a function over items and yields results as they complete, in any order. An item whose worker died
yields ``lost(item, reason)`` instead. A worker that dies takes more than one item with it and does not say which one
was to blame; so each of them is tried once more, alone, and only those that fail again are lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing
from functools import partial
from itertools import count
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs, parallel_config

from hiql.cluster import send_once
from hiql.sweep.connecting import connected, import_distributed

Function = Callable[[Any], Any]
Lost = Callable[[Any, str], Any]
"""What stands for the result of an item (first argument) that was lost for a reason (second)."""
Executor = Callable[[Function, Sequence[Any], Lost], Generator[Any, None, None]]

MOST_BREAKS = 20
"""Pools of processes that may break before the rest is given up: each break takes at least one item out."""
REMEDY = "if memory ran out, run fewer units at once (n_jobs) or use a larger machine"


def executor(cluster: Any, n_jobs: int | None) -> Executor:
    """Processes of this machine, or a ``cluster`` as :func:`~hiql.sweep.connecting.connected` takes it."""
    if cluster is None:
        return partial(over_processes, n_jobs=n_jobs)
    return partial(over_dask, cluster=cluster, n_jobs=n_jobs)


# --- processes ------------------------------------------------------------------------------------------------


def over_processes(
    function: Function, items: Sequence[Any], lost: Lost, *, n_jobs: int | None
) -> Generator[Any, None, None]:
    """In ``n_jobs`` processes with one BLAS thread each; a single job runs in this process.

    Large arrays that ``function`` holds reach the workers through one file in shared memory, not once an item.
    """
    waiting = deque(items)
    workers = min(effective_n_jobs(n_jobs), max(len(waiting), 1))
    for _ in range(MOST_BREAKS):
        suspects, _ = yield from _until_a_worker_dies(function, waiting, workers)
        for item in suspects:
            yield from _alone(function, item, lost)
        if not waiting:
            return
    yield from (lost(item, f"not tried, for {MOST_BREAKS} pools of workers have died; {REMEDY}") for item in waiting)


def _until_a_worker_dies(
    function: Function, waiting: deque[Any], workers: int
) -> Generator[Any, None, tuple[list[Any], str]]:
    """Results until ``waiting`` is empty or a worker has died; returns the items that were at hand then, and why."""
    at_hand: dict[int, Any] = {}

    def take() -> Iterator[Any]:
        for number in count():
            if not waiting:
                return
            at_hand[number] = waiting.popleft()
            yield delayed(_numbered)(function, number, at_hand[number])

    with parallel_config("loky", inner_max_num_threads=1):
        pool = Parallel(workers, return_as="generator_unordered", pre_dispatch=workers, batch_size=1)
    try:
        with closing(pool(take())) as results:
            for number, result in results:
                del at_hand[number]
                yield result
    except BrokenExecutor as error:
        return list(at_hand.values()), f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return [], ""


def _alone(function: Function, item: Any, lost: Lost) -> Generator[Any, None, None]:
    """One item in a process that holds no other; joblib makes processes only for two workers or more."""
    suspects, reason = yield from _until_a_worker_dies(function, deque([item]), workers=2)
    yield from (lost(suspect, f"{reason}; {REMEDY}") for suspect in suspects)


def _numbered(function: Function, number: int, item: Any) -> tuple[int, Any]:
    return number, function(item)


# --- Dask -----------------------------------------------------------------------------------------------------


def over_dask(
    function: Function, items: Sequence[Any], lost: Lost, *, cluster: Any, n_jobs: int | None
) -> Generator[Any, None, None]:
    """On the workers of a Dask cluster; ``function``, and the data it holds, goes to each worker once."""
    if not items:
        return
    killed = import_distributed(cluster).KilledWorker
    with connected(cluster, min(effective_n_jobs(n_jobs), len(items))) as client:
        sent = send_once(client, _itself, function)
        suspects = []
        for item, outcome in _on_workers(client, sent, items):
            if isinstance(outcome, killed):
                suspects.append(item)
            else:
                yield _result(item, outcome, lost)
        for suspect in suspects:
            for item, outcome in _on_workers(client, sent, [suspect]):
                yield _result(item, outcome, lost)


def _on_workers(client: Any, function: Any, items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Every item with its result, or with the exception that stands in its place."""
    from distributed import as_completed

    waiting = dict(zip(client.map(_apply, items, function=function, pure=False), items, strict=True))
    for task in as_completed(list(waiting)):
        try:
            outcome = task.result()
        except Exception as error:  # the worker or the cluster was lost, or could not read the task
            outcome = error
        yield waiting.pop(task), outcome


def _result(item: Any, outcome: Any, lost: Lost) -> Any:
    if isinstance(outcome, Exception):
        return lost(item, f"{type(outcome).__name__}: {outcome}; {REMEDY}")
    return outcome


def _apply(item: Any, function: Function) -> Any:
    return function(item)


def _itself(value: Any) -> Any:
    return value
