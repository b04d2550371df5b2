"""A run killed at any moment resumes, repeats no finished unit and ends with the results of an undisturbed run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from hiql.sweep import run_units
from hiql.sweep.units import _path
from tests.sweep.killing import Command, Fork, run_with_kills

UNITS = [{"number": i, "seconds": 0.1 + 0.2 * (i * 7 % 12) / 11} for i in range(12)]


def cube(unit, folder, log):
    """Logs every call, and whether the unit was finished already."""
    with log.open("a") as file:
        file.write(f"{unit['number']} {_path(folder, unit).exists()}\n")
    time.sleep(unit["seconds"])
    return {"cube": unit["number"] ** 3, "bulk": "x" * 100_000}


def run_all(folder, log):
    run_units(UNITS, partial(cube, folder=folder, log=log), folder)


def results(folder):
    return [run_units([unit], fail, folder)[0][0].result for unit in UNITS]


def fail(unit):
    raise AssertionError("a finished unit was computed again")


def test_killed_at_twenty_moments_a_run_ends_like_an_undisturbed_one(tmp_path):
    folder, log = tmp_path / "killed", tmp_path / "log"
    killed, code = run_with_kills(partial(Fork, run_all, folder, log), n_kills=20, longest=0.5, seed=1)
    assert code == 0
    assert killed >= 10
    run_all(tmp_path / "whole", tmp_path / "other log")
    assert results(folder) == results(tmp_path / "whole")
    calls = log.read_text().splitlines()
    assert all(call.endswith("False") for call in calls)
    assert len(UNITS) < len(calls) <= len(UNITS) + killed  # a kill costs at most the unit at hand


SCRIPT = """
import os, sys, time
from pathlib import Path
from hiql.sweep import run_units

def slow(unit):
    (Path(sys.argv[1]) / "pids" / str(os.getpid())).touch()
    time.sleep(unit["seconds"])
    return {"n": unit["n"]}

units = [{"n": i, "seconds": 0.05 if i < 4 else float(sys.argv[2])} for i in range(8)]
outcomes, _ = run_units(units, slow, Path(sys.argv[1]) / "units", n_jobs=int(sys.argv[3]))
assert len(outcomes) == len(units)
"""


def script(tmp_path, seconds, n_jobs):
    (tmp_path / "pids").mkdir(exist_ok=True)
    return [sys.executable, "-c", SCRIPT, str(tmp_path), str(seconds), str(n_jobs)]


def test_a_killed_command_resumes(tmp_path):
    killed, code = run_with_kills(partial(Command, script(tmp_path, 0.3, 1)), n_kills=2, longest=4.0, seed=3)
    assert code == 0
    assert killed >= 1


def test_an_interrupt_ends_the_run_and_its_workers_and_keeps_what_is_done(tmp_path):
    # A test run in the background ignores interrupts, and so would its children.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(script(tmp_path, 600, 2), stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    folder = tmp_path / "units"
    while len(list(folder.glob("[!.]*.json"))) < 4:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert len(list(folder.glob("[!.]*.json"))) == 4
    workers = [int(path.name) for path in (tmp_path / "pids").iterdir()]
    assert workers
    assert process.pid not in workers
    assert not any(is_running(pid) for pid in workers)


def is_running(pid):
    """Whether a process is there and is more than an entry that nobody has collected."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
