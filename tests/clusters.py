"""A small Dask cluster for tests."""

from __future__ import annotations

import logging
from contextlib import contextmanager


@contextmanager
def cluster_of_two(allowed_failures=3):
    """A client of two processes of one thread each, on the loopback device alone; both are gone afterwards."""
    from distributed import Client, LocalCluster

    quiet = {"dashboard": False, "dashboard_address": "127.0.0.1:0", "allowed_failures": allowed_failures}
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    with (
        LocalCluster(**options, scheduler_kwargs=quiet, silence_logs=logging.CRITICAL) as cluster,
        Client(cluster) as client,
    ):
        yield client
