"""Units on Dask: the same results, and the same manners when something breaks."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial

import numpy as np
import pytest

from hiql.errors import ClusterUnavailable, InvalidParameter
from hiql.sweep import run_units

pytest.importorskip("distributed")
pytestmark = pytest.mark.usefixtures("nothing_left")


def project(unit, data):
    """Something that would show the number of threads or a change of the data in its last bits."""
    if unit.get("deed") == "raise":
        raise ValueError(f"{unit['number']} is bad")
    if unit.get("deed") == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    direction = np.random.default_rng(unit["number"]).normal(size=data.shape[1])
    return {"numbers": (data.T @ (data @ direction)).tolist()}


WORK = partial(project, data=np.random.default_rng(0).normal(size=(40_000, 40)))  # 12.8 MB: large for Dask
UNITS = [{"number": i} for i in range(6)]


def test_results_are_the_same_wherever_units_run(tmp_path, client):
    places = {
        "alone": {},
        "processes": {"n_jobs": 2},
        "client": {"cluster": client},
        "address": {"cluster": client.scheduler.address},
        "local": {"cluster": "local", "n_jobs": 2},
    }
    found = {name: run_units(UNITS, WORK, tmp_path / name, **options) for name, options in places.items()}
    first, _ = found["alone"]
    assert len(first) == len(UNITS)
    for outcomes, failures in found.values():
        assert not failures
        assert [(o.unit, o.result) for o in outcomes] == [(o.unit, o.result) for o in first]


def test_only_the_caller_writes(tmp_path, client):
    run_units(UNITS, WORK, tmp_path, cluster=client)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(before) == len(UNITS)
    run_units(UNITS, WORK, tmp_path, cluster=client)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
    assert client.status == "running"


def test_a_unit_that_raises_and_one_that_kills_its_worker_are_told_and_the_others_go_on(tmp_path, client):
    deeds = {1: {"deed": "die"}, 4: {"deed": "raise"}}
    outcomes, failures = run_units([u | deeds.get(u["number"], {}) for u in UNITS], WORK, tmp_path, cluster=client)
    assert [o.unit["number"] for o in outcomes] == [0, 2, 3, 5]
    told = {failure.unit["number"]: failure.error for failure in failures}
    assert told.keys() == {1, 4}
    assert "KilledWorker" in told[1]
    assert told[4] == "ValueError: 4 is bad"


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "tcp://127.0.0.1", "nonsense"])
def test_an_address_that_does_not_answer_is_told(tmp_path, address):
    with pytest.raises(ClusterUnavailable, match="dask scheduler"):
        run_units(UNITS, WORK, tmp_path, cluster=address, timeout=1)


def test_without_dask_the_remedy_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterUnavailable, match=r'pip install "hiql\[dask\]"'):
        run_units(UNITS, WORK, tmp_path, cluster="local")


def test_something_else_than_a_client_is_refused(tmp_path):
    with pytest.raises(InvalidParameter, match=r"client is 'int'; give an open distributed.Client"):
        run_units(UNITS, WORK, tmp_path, cluster=8786)
