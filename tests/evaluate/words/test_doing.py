"""What each intention does, and where it is left, in words."""

from __future__ import annotations

import pytest

import hiql
from hiql.dynamics import ByState
from hiql.evaluate.words.doing import intentions_table, where_each_is_left

QUICK = {"n_init": 1, "patience": 1, "progress": False}


@pytest.fixture(scope="module")
def data():
    return hiql.bandit_trials(hiql.worlds.simulate_animals(3, 2, 40, random_state=1).table(), history=1)


def test_an_animal_is_no_place_where_intentions_are_left(data):
    model = hiql.HIQL(2, dynamics=ByState(context="subject"), **QUICK).fit(data)
    assert where_each_is_left(model) == ["", ""]
    assert "left most at" not in intentions_table(model, data, ["a", "b"])


def test_places_are(data):
    model = hiql.HIQL(2, dynamics=ByState(context="last action"), **QUICK).fit(data)
    assert any("of times there" in phrase for phrase in where_each_is_left(model))
