"""Policies that change from day to day."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.data.days import day_codes
from hiql.errors import InvalidParameter

QUICK = {"n_init": 2, "patience": 4, "progress": False}


def animals_over_days(drift, n_animals=2, n_days=16, n_steps=60, seed=0):
    """One way to act whose log-odds change from -drift to drift over the days; three states."""
    rng = np.random.default_rng(seed)
    states = [rng.integers(3, size=n_steps) for _ in range(n_animals * n_days)]
    odds = np.tile(np.linspace(-drift, drift, n_days), n_animals)
    actions = [
        (rng.random(n_steps) < 1 / (1 + np.exp(-w * (s - 0.5)))).astype(int) for w, s in zip(odds, states, strict=True)
    ]
    return hiql.Trajectories.from_arrays(
        states,
        actions,
        subjects=[f"m{i}" for i in range(n_animals) for _ in range(n_days)],
        session_days=np.tile(np.arange(n_days, dtype=float), n_animals),
        n_states=3,
        n_actions=2,
    )


@pytest.fixture(scope="module")
def learner():
    return hiql.HIQL(1, pool="days", **QUICK).fit(animals_over_days(2.0))


def test_learning_is_followed_and_predicts_better(learner):
    drift = learner.drift_of("m1")
    assert drift.policy.shape == (16, 1, 3, 2)
    assert drift.policy[0, 0, 2, 1] < 0.35 < 0.65 < drift.policy[-1, 0, 2, 1]
    other = animals_over_days(2.0, seed=1)
    still = hiql.HIQL(1, pool="subjects", **QUICK).fit(animals_over_days(2.0))
    assert learner.score(other, per="step") > still.score(other, per="step") + 0.05


def test_where_nothing_changes_days_are_held_together():
    model = hiql.HIQL(1, pool="days", **QUICK).fit(animals_over_days(0.0))
    assert model.policy_strength_[0, 1] > 1000
    assert np.ptp(model.policy_by_day_, axis=1).max() < 0.05


def test_a_day_without_data_is_as_the_day_before_and_a_stranger_as_the_first(learner):
    np.testing.assert_array_equal(learner.policy_of("m0", 3.5), learner.policy_of("m0", 3))
    np.testing.assert_array_equal(learner.policy_of("m0"), learner.policy_of("m0", 99))
    np.testing.assert_array_equal(learner.policy_of("m0", -1), learner.policy_at_first_)
    np.testing.assert_array_equal(learner.policy_of("stranger", 3), learner.policy_at_first_)
    np.testing.assert_allclose(learner.policy_, learner.policy_by_day_.mean(axis=1))


def test_codes_of_days_run_through_the_subjects():
    known = ((1.0, 3.0), (), (2.0,))
    subjects, days = np.array([0, 0, 0, 0, 1, 2, 2, 9]), np.array([1.0, 2.0, 3.0, 0.5, 1.0, np.nan, 5.0, 1.0])
    assert day_codes(subjects, days, known).tolist() == [0, 0, 1, 3, 3, 2, 2, 3]


def test_a_model_with_days_comes_back_from_its_file(learner, tmp_path):
    data = animals_over_days(2.0, seed=2)
    learner.save(tmp_path / "model.hiql")
    again = hiql.load(tmp_path / "model.hiql")
    assert again.score(data) == learner.score(data)
    np.testing.assert_array_equal(again.policy_of("m1", 4), learner.policy_of("m1", 4))


def test_days_have_to_be_known():
    data = hiql.Trajectories.from_arrays([[0, 1, 0]], [[0, 1, 1]])
    with pytest.raises(InvalidParameter, match="session_days"):
        hiql.HIQL(1, pool="days", **QUICK).fit(data)
    with pytest.raises(InvalidParameter, match="days"):
        hiql.HIQL(1, **QUICK).fit(data).drift_of("all")
