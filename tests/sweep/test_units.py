"""Units: finished ones are never repeated, failures are told and do not sink the rest."""

from __future__ import annotations

import errno
import json
import os
import signal
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from hiql.errors import InvalidParameter
from hiql.sweep import executors, run_units, units


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
def six(traces):
    return [{"number": i, "traces": str(traces)} for i in range(6)]


def test_results_come_in_order_and_are_computed_once(tmp_path, traces, six):
    for _ in range(2):
        outcomes, failures = run_units(six, square, tmp_path / "units")
        assert [o.result["square"] for o in outcomes] == [0, 1, 4, 9, 16, 25]
        assert [o.unit for o in outcomes] == six
        assert not failures
    assert all(path.read_text() == "x" for path in traces.iterdir())


def test_processes_give_the_same(tmp_path, traces, six):
    alone, _ = run_units(six, square, tmp_path / "one")
    together, _ = run_units(six, square, tmp_path / "two", n_jobs=2)
    assert [(o.unit, o.result) for o in alone] == [(o.unit, o.result) for o in together]


def test_a_failure_is_told_and_tried_again(tmp_path, traces, six):
    six = [unit | {"bad": 3} for unit in six]
    outcomes, failures = run_units(six, square, tmp_path / "units")
    assert len(outcomes) == 5
    assert failures[0].error == "ValueError: three is bad"
    run_units(six, square, tmp_path / "units")
    assert (traces / "3").read_text() == "xx"
    assert (traces / "2").read_text() == "x"


def not_json(unit):
    return {"number": {1, 2}} if unit["number"] == 2 else {"number": unit["number"]}


def test_a_result_that_json_cannot_hold_is_a_failure_like_any_other(tmp_path):
    outcomes, failures = run_units([{"number": i} for i in range(4)], not_json, tmp_path)
    assert [o.unit["number"] for o in outcomes] == [0, 1, 3]
    assert "TypeError" in failures[0].error


def test_a_damaged_result_is_computed_again(tmp_path, traces, six):
    run_units(six, square, tmp_path / "units")
    for path in (tmp_path / "units").iterdir():
        path.write_text(path.read_text()[:-9])
    with pytest.warns(UserWarning, match="computed again"):
        outcomes, _ = run_units(six, square, tmp_path / "units")
    assert [o.result["square"] for o in outcomes] == [0, 1, 4, 9, 16, 25]


def without_a_key(document):
    del document["result"]["square"]


def of_another_type(document):
    document["result"] = "nine"


def not_a_number(document):
    document["result"]["square"] = float("nan")


def of_another_shape(document):
    document["result"]["square"] = [document["result"]["square"]] * 2


def without_a_seal(document):
    del document["sha256"]


def in_the_place_of_another(document):
    document["unit"]["number"] = 5


DAMAGES = [without_a_key, of_another_type, not_a_number, of_another_shape, without_a_seal, in_the_place_of_another]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_result_that_is_not_as_it_was_written_is_told_and_computed_again(tmp_path, traces, six, damage):
    folder = tmp_path / "units"
    run_units(six, square, folder)
    path = next(path for path in folder.iterdir() if json.loads(path.read_text())["unit"]["number"] == 3)
    document = json.loads(path.read_text())
    damage(document)
    path.write_text(json.dumps(document))
    with pytest.warns(UserWarning, match=f"{path.name}.*computed again"):
        outcomes, failures = run_units(six, square, folder)
    assert [o.result["square"] for o in outcomes] == [0, 1, 4, 9, 16, 25]
    assert not failures
    assert {trace.name: len(trace.read_text()) for trace in traces.iterdir()} == dict.fromkeys("01245", 1) | {"3": 2}
    run_units(six, square, folder)  # healed: no warning


@pytest.mark.parametrize("text", ["[]", "3", "null", '{"sha256": 1}'])
def test_a_file_of_something_else_is_computed_again(tmp_path, traces, six, text):
    run_units(six, square, tmp_path / "units")
    for path in (tmp_path / "units").iterdir():
        path.write_text(text)
    with pytest.warns(UserWarning, match="6 files in .*computed again"):
        outcomes, _ = run_units(six, square, tmp_path / "units")
    assert len(outcomes) == 6


def keyed_by_numbers(unit):
    return {"by": {10: "ten", 9: "nine", 1: None}, "of": (1.5, float("inf")), "é": "ü"}


def test_what_json_gives_back_differently_is_sound_all_the_same(tmp_path):
    first, _ = run_units([{"pair": (1, 2)}], keyed_by_numbers, tmp_path)
    again, _ = run_units([{"pair": (1, 2)}], square, tmp_path)
    assert first == again
    assert first[0].result["by"]["10"] == "ten"


def test_a_unit_given_twice_is_computed_once(tmp_path, traces, six):
    outcomes, _ = run_units([*six, six[2]], square, tmp_path / "units")
    assert [o.result["square"] for o in outcomes] == [0, 1, 4, 9, 16, 25, 4]
    assert (traces / "2").read_text() == "x"


# --- workers --------------------------------------------------------------------------------------------------


def square_or_die(unit):
    if unit["number"] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"square": unit["number"] ** 2}


def test_a_unit_that_kills_its_worker_is_told_and_the_others_go_on(tmp_path):
    outcomes, failures = run_units([{"number": i} for i in range(6)], square_or_die, tmp_path, n_jobs=2)
    assert [o.result["square"] for o in outcomes] == [0, 4, 9, 16, 25]
    assert [failure.unit["number"] for failure in failures] == [1]
    assert "TerminatedWorkerError" in failures[0].error
    assert "memory" in failures[0].error


def test_when_workers_keep_dying_the_rest_is_given_up_and_told():
    def dying(items):
        yield from ()
        return executors.Remains([items[0]], list(items[1:]), "a worker died")

    told = list(executors._surviving(dying, range(100), lambda item, reason: (item, reason)))
    assert [item for item, _ in told] == list(range(100))
    assert all("a worker died" in reason for _, reason in told)
    assert sum("given up" in reason for _, reason in told) == 100 - executors.MOST_ROUNDS


def threads_and_sum(unit, data):
    used = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
    return {"threads": sorted(used), "sum": float(data.sum()), "mapped": isinstance(data, np.memmap)}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_worker_has_one_blas_thread_and_maps_large_data(tmp_path, n_jobs):
    work = partial(threads_and_sum, data=np.ones(300_000))
    outcomes, failures = run_units([{"n": i} for i in range(2)], work, tmp_path, n_jobs=n_jobs)
    assert not failures
    assert all(o.result["threads"] in ([], [1]) and o.result["sum"] == 300_000 for o in outcomes)
    assert all(o.result["mapped"] == (n_jobs == 2) for o in outcomes)


# --- the folder -----------------------------------------------------------------------------------------------


def test_a_full_disk_costs_a_unit_and_not_the_run(tmp_path, monkeypatch, traces, six):
    write = units.write_whole

    def full_for_three(path, text):
        if '"number": 3' in text:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, text)

    monkeypatch.setattr(units, "write_whole", full_for_three)
    outcomes, failures = run_units(six, square, tmp_path / "units")
    assert [o.unit["number"] for o in outcomes] == [0, 1, 2, 4, 5]
    assert "No space left on device" in failures[0].error
    assert "run again" in failures[0].error
    monkeypatch.undo()
    outcomes, failures = run_units(six, square, tmp_path / "units")
    assert len(outcomes) == 6
    assert not failures


def test_a_folder_that_cannot_be_made_is_refused_before_any_work(tmp_path, traces, six):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidParameter, match="folder is .*file"):
        run_units(six, square, tmp_path / "file" / "units")
    assert not list(traces.iterdir())


def test_what_a_kill_left_is_tidied_unless_it_may_belong_to_a_live_run(tmp_path):
    name = f"{20 * 'a'}.json"
    old, young, other = (tmp_path / f".{name}.{digit * 32}" for digit in "123")
    strangers = [tmp_path / ".gitignore", tmp_path / f".{name}.backup"]
    for path in (old, young, *strangers):
        path.touch()
    for path in (old, *strangers):
        os.utime(path, 2 * (time.time() - 7200,))
    run_units([], square, tmp_path)
    assert not old.exists()
    assert not other.exists()
    assert young.exists()
    assert all(path.exists() for path in strangers)
