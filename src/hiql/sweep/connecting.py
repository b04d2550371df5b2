"""Reaching a Dask cluster: one started here, one at an address, or one the caller is already connected to.

A client that is left to the garbage collector closes itself wherever the collector happens to run, which may be inside
the start of another client: both then wait for one lock, for ever. So a client lives in an event loop of its own, where
it is at hand before it has connected, and is closed here whatever happens.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

from hiql.engine.parcels import check_client
from hiql.engine.watching import SECONDS_TO_ANSWER, SECONDS_TO_RETURN, check_timeout
from hiql.errors import ClusterUnavailable
from hiql.sweep.looking_up import look_up

LOOPBACK = "127.0.0.1"
SECONDS_TO_CLOSE = 5.0


@contextmanager
def connected(cluster: Any, n_workers: int = 1, timeout: float = SECONDS_TO_ANSWER) -> Iterator[Any]:
    """A ``distributed.Client`` of ``cluster``; what is opened here is closed here.

    ``cluster`` is "local" (``n_workers`` processes of this machine, unreachable from others; a script needs the usual
    ``if __name__ == "__main__":``), the address of a scheduler ("tcp://host:8786"), or a client. A scheduler that has
    not answered after ``timeout`` seconds (name look-up, connection and handshake) is a :class:`ClusterUnavailable`.
    """
    if not isinstance(cluster, str):
        check_client(cluster)
        yield cluster
    elif cluster == "local":
        with _local_cluster(n_workers) as local, _client_at(local.scheduler_address, SECONDS_TO_RETURN) as client:
            yield client
    else:
        with _client_at(cluster, check_timeout(timeout)) as client:
            yield client


def import_distributed(cluster: Any) -> Any:
    """Dask's ``distributed``, which is an extra."""
    try:
        import distributed
    except ImportError as error:
        raise ClusterUnavailable(
            cluster=cluster,
            problem="Dask distributed is not installed",
            remedy='install it with: pip install "hiql[dask]"',
        ) from error
    return distributed


def _local_cluster(n_workers: int) -> Any:
    """Processes of one thread, without limit of memory, as joblib's are.

    A task whose worker dies is not repeated blindly (``allowed_failures``): the executor tries it again alone.
    The scheduler insists on a port for HTTP; without a dashboard, any free one will do.
    """
    quiet = {"dashboard": False, "dashboard_address": f"{LOOPBACK}:0", "allowed_failures": 0}
    make = import_distributed("local").LocalCluster
    try:
        return make(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            scheduler_kwargs=quiet,
        )
    except Exception as error:  # Dask has ended what it had started
        raise ClusterUnavailable(
            cluster="local",
            problem=f"its workers do not start ({error})",
            remedy='in a script, put what is to be run under if __name__ == "__main__":',
        ) from error


@contextmanager
def _client_at(address: str, timeout: float) -> Iterator[Any]:
    distributed = import_distributed(address)
    with _event_loop() as wait_for:
        try:
            client = wait_for(_opened(distributed.Client, address, timeout))
        except Exception as error:  # no answer, no such host, or the answer of something else than a scheduler
            raise ClusterUnavailable(
                cluster=address,
                problem=str(error) or f"nothing that answers like a scheduler within {timeout:g} s",
                remedy="start a scheduler (dask scheduler) and give the address it prints, such as tcp://host:8786, "
                'or choose "local"; a slow one may need more time (timeout; --cluster-timeout on the command line)',
            ) from error
        try:
            yield client
        finally:
            wait_for(_closed(client))


async def _opened(make: Callable[..., Any], address: str, timeout: float) -> Any:
    """A connected client. All of connecting counts: Dask itself would wait for ever for a peer that says nothing."""
    async with asyncio.timeout(timeout):
        await look_up(address)
        client = make(address, asynchronous=True, set_as_default=False, timeout=timeout)
        try:
            return await client
        except BaseException:
            await _closed(client)
            raise


async def _closed(client: Any) -> None:
    with suppress(TimeoutError):  # a scheduler that does not hear that we leave will notice
        await client.close(timeout=SECONDS_TO_CLOSE)


@contextmanager
def _event_loop() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """A loop in a thread of its own; yields a function that runs a coroutine in it and waits for its answer.

    In other threads than the loop's, a client made in the loop behaves like any synchronous one.
    """
    began: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def live() -> None:
        over = asyncio.Event()
        began.set_result((asyncio.get_running_loop(), over))
        await over.wait()

    thread = Thread(target=lambda: asyncio.run(live()), name="hiql: Dask client", daemon=True)
    thread.start()
    loop, over = began.result()
    try:
        yield lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result()
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(SECONDS_TO_CLOSE)
