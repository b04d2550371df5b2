"""Shared fixtures. Tests on real mice are skipped, visibly, where HIQL_DATA_DIR does not point to their files."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

import hiql

settings.register_profile("hiql", deadline=None, derandomize=True)
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
