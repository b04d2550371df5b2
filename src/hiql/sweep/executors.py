"""Where units run: in processes of this machine, or on a Dask cluster.

An executor maps a function over items and yields results as they complete, in any order. An item whose worker died
yields ``lost(item, reason)`` instead. A worker that dies takes more than one item with it and does not say which one
was to blame; so each of them is tried once more, alone, and only those that fail again are lost. A cluster that goes
away altogether ends the map with :class:`~hiql.errors.ClusterUnavailable`; if its scheduler comes back in time, what it
was doing is handed to it again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import closing
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from joblib import Parallel, delayed, effective_n_jobs, parallel_config

from hiql.engine.parcels import Parcel, send_once
from hiql.engine.watching import SECONDS_TO_ANSWER, Watch
from hiql.errors import ClusterUnavailable
from hiql.sweep.connecting import connected, import_distributed

Function = Callable[[Any], Any]
Lost = Callable[[Any, str], Any]
"""What stands for the result of an item (first argument) that was lost for a reason (second)."""
Results = Generator[Any, None, None]
Executor = Callable[[Function, Sequence[Any], Lost], Results]

MOST_ROUNDS = 20
"""How often workers may die before the items not yet tried are given up."""
REMEDY = "if memory ran out, run fewer units at once (n_jobs) or use larger workers"


def executor(cluster: Any, n_jobs: int | None, timeout: float = SECONDS_TO_ANSWER) -> Executor:
    """Processes of this machine, or a ``cluster`` as :func:`~hiql.sweep.connecting.connected` takes it."""
    if cluster is None:
        return partial(over_processes, n_jobs=n_jobs)
    return partial(over_dask, cluster=cluster, n_jobs=n_jobs, timeout=timeout)


def over_processes(function: Function, items: Sequence[Any], lost: Lost, *, n_jobs: int | None) -> Results:
    """In ``n_jobs`` processes with one BLAS thread each; a single job runs in this process.

    Large arrays that ``function`` holds reach the workers through one file in shared memory, not once an item.
    """
    workers = min(effective_n_jobs(n_jobs), max(len(items), 1))
    return _surviving(partial(_round_of_processes, function, workers), items, lost)


def over_dask(
    function: Function, items: Sequence[Any], lost: Lost, *, cluster: Any, n_jobs: int | None, timeout: float
) -> Results:
    """On the workers of a Dask cluster; ``function``, with the data it holds, goes to each worker once."""
    if items:
        with connected(cluster, min(effective_n_jobs(n_jobs), len(items)), timeout) as client:
            watch = Watch(client, timeout)
            with watch.told():
                yield from _surviving(partial(_round_on_dask, function, lost, client, watch), items, lost)


class Remains(NamedTuple):
    """What a round has not finished: items at hand when a worker died, items not tried, and what is known of why."""

    suspects: list[Any]
    untried: list[Any]
    reason: str


Round = Callable[[Sequence[Any]], Generator[Any, None, Remains]]


def _surviving(run: Round, items: Sequence[Any], lost: Lost) -> Results:
    """Rounds until every item has a result or is lost; every round with a death takes its suspects out."""
    waiting = list(items)
    for _ in range(MOST_ROUNDS):
        suspects, waiting, reason = yield from run(waiting)
        for suspect in suspects:
            again = yield from run([suspect])
            if again.suspects or again.untried:
                yield lost(suspect, f"{again.reason}; {REMEDY}")
        if not waiting:
            return
    yield from (lost(item, f"given up after {MOST_ROUNDS} rounds: {reason}; {REMEDY}") for item in waiting)


def _round_of_processes(function: Function, workers: int, items: Sequence[Any]) -> Generator[Any, None, Remains]:
    """Until all items are done or a process of the pool has died, which ends the pool."""
    waiting = deque(items)
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
        return Remains(list(at_hand.values()), list(waiting), _first_line(error))
    return Remains([], [], "")


def _round_on_dask(
    function: Function, lost: Lost, client: Any, watch: Watch, items: Sequence[Any]
) -> Generator[Any, None, Remains]:
    """Until every item has a result or Dask has blamed it, or the sending of ``function``, for a worker's death."""
    distributed = import_distributed(client)
    sent = send_once(client, function)
    tasks = dict(zip(client.map(_apply, items, function=sent, pure=False), items, strict=True))
    remains = Remains([], [], "")
    for task in watch.completed(list(tasks)):
        item = tasks.pop(task)
        try:
            yield watch.result(task)
        except ClusterUnavailable:
            raise
        except CancelledError as error:  # by a client that has lost its scheduler
            remains.untried.append(item)
            remains = remains._replace(reason=_first_line(error))
        except distributed.KilledWorker as error:
            (remains.suspects if error.task == task.key else remains.untried).append(item)
            remains = remains._replace(reason=_first_line(error))
        except Exception as error:  # its workers cannot read the task
            yield lost(item, f"{_first_line(error)}; check that the workers have this version of hiql")
    return remains


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else 'no message'}"


def _numbered(function: Function, number: int, item: Any) -> tuple[int, Any]:
    return number, function(item)


def _apply(item: Any, function: Parcel) -> Any:
    return function.value(item)
