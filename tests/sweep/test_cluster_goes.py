"""A cluster that is silent, empty or goes away is told in time, and what was finished is kept."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from hiql.engine import watching
from hiql.errors import ClusterUnavailable, InvalidParameter
from hiql.sweep import run_units
from hiql.sweep.connecting import connected
from tests.clusters import OtherProcess, cluster, once, silent_peer

pytest.importorskip("distributed")
pytestmark = pytest.mark.usefixtures("nothing_left")

UNITS = [{"number": i} for i in range(6)]


def square(unit, gate=None):
    """From the third unit on, a worker waits until there is a file ``gate``."""
    while gate is not None and unit["number"] >= 2 and not Path(gate).exists():
        time.sleep(0.05)
    return {"square": unit["number"] ** 2}


def finished(folder):
    return {path: path.stat().st_mtime_ns for path in folder.glob("[!.]*.json")}


def after_two_units(folder, deed):
    """Do something once two results are on the disk."""
    return once(lambda: len(finished(folder)) >= 2, deed)


def test_a_peer_that_says_nothing_is_given_up(tmp_path):
    with silent_peer() as address, pytest.raises(ClusterUnavailable, match="within 0.5 s"):
        run_units(UNITS, square, tmp_path, cluster=address, timeout=0.5)


def test_a_name_server_that_says_nothing_is_given_up(monkeypatch):
    look_up, given_up = socket.getaddrinfo, Event()

    def slow(host, *arguments, **options):
        if host == "slow.example":
            given_up.wait()
        return look_up(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    with pytest.raises(ClusterUnavailable, match="slow.example"), connected("tcp://slow.example:8786", timeout=0.5):
        pass
    given_up.set()


def test_a_scheduler_without_workers_is_given_up(tmp_path):
    with cluster(0, processes=False) as client:
        for place in (client, client.scheduler.address):
            with pytest.raises(ClusterUnavailable, match="no workers.*--cluster-timeout"):
                run_units(UNITS, square, tmp_path, cluster=place, timeout=0.5)
    assert not finished(tmp_path)


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), "10", True])
def test_a_timeout_that_makes_no_sense_is_refused(tmp_path, wrong):
    with pytest.raises(InvalidParameter, match="timeout is .*seconds above 0"):
        run_units(UNITS, square, tmp_path, cluster="tcp://127.0.0.1:1", timeout=wrong)


@pytest.mark.parametrize(("number", "problem"), [(signal.SIGKILL, "went away"), (signal.SIGSTOP, "does not answer")])
def test_a_scheduler_that_goes_away_is_told_and_finished_units_are_kept(tmp_path, monkeypatch, number, problem):
    monkeypatch.setattr(watching, "SECONDS_TO_RETURN", 1.0)
    folder, work = tmp_path / "units", partial(square, gate=str(tmp_path / "gate"))
    with (
        OtherProcess() as other,
        after_two_units(folder, partial(other.send, number)),
        pytest.raises(ClusterUnavailable, match=f"{problem}.*resumes"),
    ):
        run_units(UNITS, work, folder, cluster=other.address, timeout=8)
    kept = finished(folder)
    assert len(kept) == 2
    (tmp_path / "gate").touch()
    outcomes, failures = run_units(UNITS, work, folder)
    assert [o.result["square"] for o in outcomes] == [0, 1, 4, 9, 16, 25]
    assert not failures
    assert finished(folder).items() >= kept.items()


def test_a_scheduler_that_comes_back_is_given_the_rest(tmp_path):
    folder, gate = tmp_path / "units", tmp_path / "gate"
    with ExitStack() as stack:
        first = stack.enter_context(OtherProcess())

        def start_again():
            first.send(signal.SIGKILL)
            gate.touch()
            stack.enter_context(OtherProcess(first.port))

        work = partial(square, gate=str(gate))
        with after_two_units(folder, start_again):
            outcomes, failures = run_units(UNITS, work, folder, cluster=first.address, timeout=60)
    assert [o.result["square"] for o in outcomes] == [0, 1, 4, 9, 16, 25]
    assert not failures


UNGUARDED = """
from pathlib import Path
from hiql.sweep import run_units

def nothing(unit):
    return {}

run_units([{"n": 1}], nothing, Path("units"), cluster="local", n_jobs=1)
"""


@pytest.mark.slow
def test_a_script_without_its_guard_is_told_what_to_do(tmp_path):
    (tmp_path / "script.py").write_text(UNGUARDED)
    command = [sys.executable, "script.py"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=90)
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1].endswith('put what is to be run under if __name__ == "__main__":')


COLLECTED_IN_THE_LOCK = """
import gc, sys
from distributed.utils import LoopRunner
from hiql.errors import ClusterUnavailable
from hiql.sweep.connecting import connected

start = LoopRunner._start_unlocked

def collect_and_start(runner):
    gc.collect()
    start(runner)

LoopRunner._start_unlocked = collect_and_start
for _ in range(3):
    try:
        with connected(sys.argv[1], 1, timeout=0.3):
            pass
    except ClusterUnavailable:
        print("told", flush=True)
"""


@pytest.mark.parametrize("address", [None, "tcp://127.0.0.1"])
def test_a_client_that_failed_is_not_left_to_the_collector(address):
    """The collector may run anywhere, also where Dask holds the lock that the end of a client needs."""
    with silent_peer() as silent:
        command = [sys.executable, "-c", COLLECTED_IN_THE_LOCK, address or silent]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=90)
    assert answer.stdout.split() == ["told"] * 3, answer.stderr
    assert not answer.stderr
