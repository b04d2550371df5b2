"""Units: finished ones are never repeated, killed runs resume, failures are told."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hiql.sweep import run_units


def square(unit):
    """Leaves a trace of every call, so that repeats show."""
    with (Path(unit["traces"]) / f"{unit['number']}").open("a") as file:
        file.write("x")
    if unit["number"] == unit.get("bad"):
        raise ValueError("three is bad")
    return {"square": unit["number"] ** 2}


@pytest.fixture
def traces(tmp_path):
    folder = tmp_path / "traces"
    folder.mkdir()
    return folder


@pytest.fixture
def units(traces):
    return [{"number": i, "traces": str(traces)} for i in range(6)]


def test_results_come_in_order_and_are_computed_once(tmp_path, traces, units):
    for _ in range(2):
        outcomes, failures = run_units(units, square, tmp_path / "units")
        assert [o.result["square"] for o in outcomes] == [0, 1, 4, 9, 16, 25]
        assert [o.unit for o in outcomes] == units
        assert not failures
    assert all(path.read_text() == "x" for path in traces.iterdir())


def test_processes_give_the_same(tmp_path, traces, units):
    alone, _ = run_units(units, square, tmp_path / "one")
    together, _ = run_units(units, square, tmp_path / "two", n_jobs=2)
    assert [(o.unit, o.result) for o in alone] == [(o.unit, o.result) for o in together]


def test_a_failure_is_told_and_tried_again(tmp_path, traces, units):
    units = [unit | {"bad": 3} for unit in units]
    outcomes, failures = run_units(units, square, tmp_path / "units")
    assert len(outcomes) == 5
    assert failures[0].error == "ValueError: three is bad"
    run_units(units, square, tmp_path / "units")
    assert (traces / "3").read_text() == "xx"
    assert (traces / "2").read_text() == "x"


def not_json(unit):
    return {"number": {1, 2}} if unit["number"] == 2 else {"number": unit["number"]}


def test_a_result_that_json_cannot_hold_is_a_failure_like_any_other(tmp_path):
    outcomes, failures = run_units([{"number": i} for i in range(4)], not_json, tmp_path)
    assert [o.unit["number"] for o in outcomes] == [0, 1, 3]
    assert "TypeError" in failures[0].error


def test_a_damaged_result_is_computed_again(tmp_path, traces, units):
    run_units(units, square, tmp_path / "units")
    for path in (tmp_path / "units").iterdir():
        path.write_text(path.read_text()[:-9])
    outcomes, _ = run_units(units, square, tmp_path / "units")
    assert [o.result["square"] for o in outcomes] == [0, 1, 4, 9, 16, 25]


SCRIPT = """
import sys, time
from pathlib import Path
from hiql.sweep import run_units

def slow(unit):
    time.sleep(0.2)
    return {"n": unit["n"]}

outcomes, _ = run_units([{"n": i} for i in range(12)], slow, Path(sys.argv[1]))
print(len(outcomes))
"""


def test_a_killed_run_resumes_and_loses_nothing(tmp_path):
    folder = tmp_path / "units"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)])
    while len(list(folder.glob("[!.]*.json"))) < 3:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("[!.]*.json")}
    assert 3 <= len(kept) < 12
    assert all(json.loads(path.read_text()) for path in kept)
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(folder)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "12"
    assert all(path.stat().st_mtime_ns == before for path, before in kept.items())
