"""Kill a run at random moments, again and again, and at last let it finish."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
from contextlib import suppress

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["hiql.cli"])


def run_with_kills(start, n_kills, longest, seed=0, patience=60.0):
    """Call ``start()`` n + 1 times; all but the last run are killed after up to ``longest`` seconds, drawn by ``seed``.

    ``start`` is a :class:`Command` or a :class:`Fork` with its arguments (a ``functools.partial``): a run in a process
    group of its own, so that a kill takes its workers too, as the end of a job on a cluster does. Returns how many
    runs were killed before they had ended, and the exit code of the last one.
    """
    rng = random.Random(seed)
    killed = 0
    for _ in range(n_kills):
        life = start()
        life.join(rng.uniform(0.0, longest))
        killed += life.exitcode is None
        kill_group(life.pid)
        life.join(patience)
    last = start()
    last.join(patience)
    if last.exitcode is None:
        kill_group(last.pid)
    return killed, last.exitcode


def kill_group(pid):
    """SIGKILL to the group that ``pid`` leads, or to ``pid`` alone while it has not made a group yet."""
    with suppress(ProcessLookupError):
        try:
            os.killpg(pid, signal.SIGKILL)
        except ProcessLookupError:
            os.kill(pid, signal.SIGKILL)


class Command:
    """A command line, run in a process group of its own."""

    def __init__(self, arguments, **options):
        self._process = subprocess.Popen(arguments, start_new_session=True, **options)
        self.pid = self._process.pid

    def join(self, timeout):
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)

    @property
    def exitcode(self):
        return self._process.poll()


class Fork:
    """A function of a module, run in a fork of a process that has imported hiql: it starts at once."""

    def __init__(self, function, *arguments):
        self._process = FORKS.Process(target=_lead_a_group, args=(function, *arguments))
        self._process.start()
        self.pid = self._process.pid

    def join(self, timeout):
        self._process.join(timeout)

    @property
    def exitcode(self):
        return self._process.exitcode


def _lead_a_group(function, *arguments):
    os.setsid()
    function(*arguments)
