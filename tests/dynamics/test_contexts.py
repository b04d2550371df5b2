"""Switching by what followed the last action."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hiql
from hiql.dynamics import ByState
from hiql.dynamics.contexts import CONTEXTS
from hiql.errors import BadColumns, InvalidParameter
from tests.contract.pairs import N_ACTIONS, N_STATES, more_data

QUICK = {"n_init": 1, "patience": 0, "max_iter": 20, "progress": False}


@pytest.fixture(scope="module")
def data():
    plain = more_data()
    paid = np.random.default_rng(0).choice([0.0, 1.0, 2.5, np.nan], size=plain.n_steps)
    return replace(plain, outcomes=paid)


@pytest.fixture(scope="module")
def model(data):
    return hiql.HIQL(2, dynamics=ByState(context="last outcome"), **QUICK).fit(data)


def test_each_step_reads_the_matrix_of_what_came_before(data):
    moves = ByState(context="last outcome").bind(data).moves
    expected = [[0.0, 1.0, 2.5].index(x) if x in (0.0, 1.0, 2.5) else 3 for x in data.outcomes]
    numbers = moves.between(0, data.n_sessions)
    inside = data.time > 0
    np.testing.assert_array_equal(numbers[inside], np.r_[3, expected[:-1]][inside])
    assert moves.size == 4


def test_labels_are_kinds(data):
    labelled = replace(data, outcomes=np.where(data.outcomes > 0, 1.0, 0.0), outcome_labels=("none", "juice"))
    model = hiql.HIQL(2, dynamics=ByState(context="last outcome"), **QUICK).fit(labelled)
    assert model.transition_at("juice").shape == (2, 2)
    other_way_round = replace(labelled, outcomes=1.0 - labelled.outcomes, outcome_labels=("juice", "none"))
    assert model.score(other_way_round) == pytest.approx(model.score(labelled))


def test_amounts_never_met_have_the_common_matrix(model, data):
    strange, unknown = (replace(data, outcomes=np.full(data.n_steps, x)) for x in (7.0, np.nan))
    assert model.score(strange) == pytest.approx(model.score(unknown))
    assert model.transition_at(2.5).shape == (2, 2)


def test_files_and_simulation(model, data, tmp_path):
    model.save(tmp_path / "model.hiql")
    assert hiql.load(tmp_path / "model.hiql").score(data) == model.score(data)
    world = hiql.MDP(np.full((N_STATES, N_ACTIONS, N_STATES), 1 / 3), discount=0.9)
    assert model.sample(world, 2, 5).n_steps == 10


def test_data_without_outcomes_are_refused(model, data):
    for outcomes in (None, np.arange(data.n_steps, dtype=float)):
        other = replace(data, outcomes=outcomes)
        with pytest.raises(InvalidParameter, match="outcomes of at most"):
            hiql.HIQL(2, dynamics=ByState(context="last outcome"), **QUICK).fit(other)
    with pytest.raises(BadColumns, match="outcome"):
        model.score(replace(data, outcomes=None))


def test_every_named_context_is_offered():
    with pytest.raises(InvalidParameter) as caught:
        hiql.HIQL(2, dynamics=ByState(context=3), **QUICK).fit(more_data())
    assert all(repr(name) in str(caught.value) for name in CONTEXTS)
