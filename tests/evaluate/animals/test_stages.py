"""The paper's three stages."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.baselines import FQLearning
from hiql.data.folds import session_folds
from hiql.errors import InvalidParameter
from hiql.evaluate import fit_individuals, history_levels, match_policies, score_history, score_intentions
from hiql.evaluate.animals.stages import (
    choose_individual_strength,
    fit_intentions,
    new_model,
    pooled,
    score_individuals,
    score_model,
)
from hiql.worlds.reversal_task import simulate_reversal


@pytest.fixture(scope="module")
def levels():
    return history_levels(simulate_reversal(3, 15, 80, 21).table, 2)


@pytest.fixture(scope="module")
def fold(levels):
    data = levels[0].data
    return session_folds(data, 5, strata=data.subjects)[0]


@pytest.fixture(scope="module")
def model(levels):
    return fit_intentions(levels, 3, "back-off", 64.0)


def test_levels_from_a_file_are_those_of_the_table(tmp_path):
    table = simulate_reversal(2, 4, 20, 0).table
    table.to_csv(tmp_path / "mice.csv", index=False)
    read, given = history_levels(tmp_path / "mice.csv", 2), history_levels(table, 2)
    for one, other in zip(read, given, strict=True):
        np.testing.assert_array_equal(one.data.states, other.data.states)
    with pytest.raises(InvalidParameter, match="history"):
        history_levels(table, 0)


def test_the_first_stage_is_a_single_intention(levels, fold):
    data = levels[1].data
    score = score_history(data, fold)
    train, test = data.select(fold.train), data.select(fold.test)
    single = new_model(1).fit(train)
    assert score.test == pytest.approx(single.score(test, per="step"))
    assert score.train == pytest.approx(single.score(train, per="step"))
    assert score.test_trials == test.n_observed
    assert pooled(score.by_subject) == pytest.approx(score.test)


@pytest.mark.parametrize("method", ["plain", "back-off", "stochastic"])
def test_the_second_stage_knows_three_methods(levels, fold, method):
    score = score_intentions(levels, fold, 2, method, strengths=(4.0, 64.0))
    assert np.log(0.5) < score.test < -0.3
    assert set(score.by_subject) == {"m1", "m2", "m3"}
    assert (score.strength in (4.0, 64.0)) == (method == "back-off")


def test_the_second_stage_uses_training_sessions_only(levels, fold):
    """Other test sessions, of the same number, leave strength and training score as they were."""
    score = score_intentions(levels, fold, 2, "back-off", strengths=(4.0, 64.0))
    other = type(fold)(fold.train, fold.test[:1])
    again = score_intentions(levels, other, 2, "back-off", strengths=(4.0, 64.0))
    assert (again.train, again.strength) == (score.train, score.strength)


def test_an_unknown_method_or_a_missing_strength_is_refused(levels):
    for method in ("magic", "back-off"):
        with pytest.raises(InvalidParameter, match="plain, back-off, stochastic"):
            fit_intentions(levels, 2, method)


def test_rivals_are_scored_through_the_same_door(levels, fold):
    data = levels[1].data
    train, test = data.select(fold.train), data.select(fold.test)
    score = score_model(FQLearning().fit(train), train, test)
    assert pooled(score.by_subject) == pytest.approx(score.test)


@pytest.mark.parametrize("strength", [0.0, 16.0])
def test_animals_keep_the_numbers_of_intentions(levels, model, strength):
    data = levels[1].data
    for own in fit_individuals(model, data, strength).values():
        assert match_policies(own.policy_, model.policy_).order.tolist() == [0, 1, 2]


def test_an_animal_is_pulled_to_the_global_policy(levels, model):
    data = levels[1].data
    away = [
        max(np.abs(own.policy_ - model.policy_).max() for own in fit_individuals(model, data, strength).values())
        for strength in (1.0, 64.0, 1e9)
    ]
    assert away[0] > away[1] > away[2]
    assert away[2] < 1e-5


def test_the_global_model_is_left_as_it_was(levels, model):
    before = model.policy_.copy(), model.get_params()["pseudo_count"].copy()
    fit_individuals(model, levels[1].data, 4.0)
    np.testing.assert_array_equal(model.policy_, before[0])
    np.testing.assert_array_equal(model.pseudo_count, before[1])
    with pytest.raises(InvalidParameter, match="strength"):
        fit_individuals(model, levels[1].data, -1.0)


def test_animals_alike_are_best_pulled_strongly(levels, model):
    """The mice share their strategies: free fits of a few sessions can only add noise."""
    data = levels[1].data
    assert choose_individual_strength(model, data, (0.0, 256.0)) == 256.0


def test_an_animal_without_a_fit_is_left_out(levels, model):
    data = levels[1].data
    own = fit_individuals(model, data.select([0, 1]), 16.0)
    assert set(score_individuals(own, data)) == {"m1"}
