"""Shared fixtures. Tests on real mice are skipped, visibly, where HIQL_DATA_DIR does not point to their files."""

from __future__ import annotations

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

import hiql
from tests.clusters import cluster_of_two

# A busy machine is no reason to fail.
settings.register_profile("hiql", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hiql")


@pytest.fixture(scope="session")
def data_at_hand():
    if not os.environ.get("HIQL_DATA_DIR"):
        pytest.skip("needs the labyrinth data: set HIQL_DATA_DIR")


@pytest.fixture(scope="session", params=["restricted", "unrestricted"])
def cohort(request, data_at_hand):
    """The name of a labyrinth cohort whose data are at hand."""
    return request.param


@pytest.fixture(scope="session")
def thirsty(data_at_hand):
    return hiql.datasets.labyrinth("restricted")


@pytest.fixture(scope="session")
def maze(cohort):
    return hiql.datasets.labyrinth(cohort)


@pytest.fixture(scope="session")
def two_goals():
    """The paper's simulated expert, 1024 sessions."""
    return hiql.worlds.simulate_two_goals(1024, random_state=0)


@pytest.fixture
def nothing_left():
    """What a test forgot to close is collected, and complained of, in this test and not in some later one."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def client():
    """A client of the one Dask cluster that the tests share; a test that kills workers leaves it two new ones."""
    pytest.importorskip("distributed")
    with cluster_of_two() as client:
        yield client
