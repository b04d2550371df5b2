"""Dask clusters for tests: a good one, and several that are not."""

from __future__ import annotations

import logging
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

LOOPBACK = "127.0.0.1"
QUIET = {"dashboard": False, "dashboard_address": f"{LOOPBACK}:0", "allowed_failures": 0}


@contextmanager
def cluster(n_workers, processes):
    """A client of workers of one thread each, on the loopback device alone; they are gone afterwards."""
    from distributed import Client, LocalCluster

    options = {
        "n_workers": n_workers,
        "threads_per_worker": 1,
        "processes": processes,
        "host": LOOPBACK,
        "protocol": "tcp",
    }
    with (
        LocalCluster(**options, scheduler_kwargs=QUIET, silence_logs=logging.CRITICAL) as cluster,
        Client(cluster) as client,
    ):
        yield client


def cluster_of_two():
    return cluster(2, processes=True)


@contextmanager
def silent_peer():
    """The address of something that accepts connections and never says a word."""
    with socket.create_server((LOOPBACK, 0)) as server:
        yield f"tcp://{LOOPBACK}:{server.getsockname()[1]}"


@contextmanager
def once(condition, deed):
    """In another thread, do ``deed`` as soon as ``condition()`` holds; never, if this block ends before."""
    over = Event()

    def watch():
        while not condition():
            if over.wait(0.02):
                return
        deed()

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class OtherProcess:
    """A scheduler and its one worker, together in a process that can be stopped or killed."""

    SCRIPT = """
import sys
# before the scheduler runs: its worker's imports would keep it from answering
import hiql.engine.cluster, hiql.sweep, pytest
from tests.clusters import QUIET, LOOPBACK
from distributed import LocalCluster
options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "scheduler_port": int(sys.argv[1])}
with LocalCluster(host=LOOPBACK, protocol="tcp", scheduler_kwargs=QUIET, **options) as cluster:
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()  # until the test, or all tests, have ended
"""

    def __init__(self, port=0):
        self._process = subprocess.Popen(
            [sys.executable, "-c", self.SCRIPT, str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parents[1],
        )
        self.address = self._process.stdout.readline().strip()

    @property
    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    def send(self, number):
        self._process.send_signal(number)
        if number == signal.SIGKILL:
            self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.kill()
        self._process.communicate()
