"""Reaching a Dask cluster: one started here, one at an address, or one the caller is already connected to."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hiql.cluster import check_client
from hiql.errors import ClusterUnavailable

SECONDS_TO_ANSWER = 10
LOOPBACK = "127.0.0.1"


@contextmanager
def connected(cluster: Any, n_workers: int) -> Iterator[Any]:
    """A ``distributed.Client`` of ``cluster``; what is opened here is closed here.

    ``cluster`` is "local" (``n_workers`` processes of this machine, unreachable from others; a script needs the usual
    ``if __name__ == "__main__":``), the address of a scheduler ("tcp://host:8786"), or a client.
    """
    if not isinstance(cluster, str):
        check_client(cluster)
        _warn_if_empty(cluster)
        yield cluster
    elif cluster == "local":
        with _local_cluster(n_workers) as local, local.get_client() as client:
            yield client
    else:
        with _client_at(cluster) as client:
            _warn_if_empty(client)
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
    return import_distributed("local").LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        host=LOOPBACK,
        memory_limit=0,
        silence_logs=logging.CRITICAL,
        scheduler_kwargs=quiet,
    )


def _client_at(address: str) -> Any:
    try:
        return import_distributed(address).Client(address, timeout=SECONDS_TO_ANSWER)
    except ClusterUnavailable:
        raise
    except Exception as error:  # no answer, no such host, or the answer of something else than a scheduler
        raise ClusterUnavailable(
            cluster=address,
            problem=str(error) or type(error).__name__,
            remedy="start a scheduler (dask scheduler) and give the address it prints, such as tcp://host:8786, "
            'or choose "local"',
        ) from error


def _warn_if_empty(client: Any) -> None:
    if not client.nthreads():
        warnings.warn("the cluster has no workers yet; the units wait for the first one", stacklevel=2)
