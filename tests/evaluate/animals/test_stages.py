"""The paper's three stages."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.baselines import FQLearning
from hiql.data.folds import session_folds
from hiql.errors import InvalidParameter
from hiql.evaluate import fit_individuals, fit_together, match_policies, score_history, score_intentions
from hiql.evaluate.animals.stages import (
    METHODS,
    fit_intentions,
    new_model,
    over_all,
    score_by_subject,
    score_individuals,
    score_model,
)
from hiql.worlds.reversal_task import simulate_reversal


@pytest.fixture(scope="module")
def data():
    return simulate_reversal(3, 15, 80, 21).trajectories(history=2)


@pytest.fixture(scope="module")
def fold(data):
    return session_folds(data, 5, strata=data.subjects)[0]


@pytest.fixture(scope="module")
def model(data):
    return fit_intentions(data, 3, "pooled")


def test_the_first_stage_is_a_single_intention(data, fold):
    score = score_history(data, fold)
    train, test = data.select(fold.train), data.select(fold.test)
    single = new_model(1).fit(train)
    assert score.test == pytest.approx(single.score(test, per="step"))
    assert score.train == pytest.approx(single.score(train, per="step"))
    assert score.test_trials == test.n_observed
    assert over_all(score.by_subject) == pytest.approx(score.test)


@pytest.mark.parametrize("method", METHODS)
def test_the_second_stage_knows_three_methods(data, fold, method):
    score = score_intentions(data, fold, 2, method)
    assert np.log(0.5) < score.test < -0.3
    assert set(score.by_subject) == {"m1", "m2", "m3"}


def test_the_second_stage_uses_training_sessions_only(data, fold):
    """Other test sessions leave the training score as it was."""
    score = score_intentions(data, fold, 2, "pooled")
    again = score_intentions(data, type(fold)(fold.train, fold.test[:1]), 2, "pooled")
    assert again.train == score.train


def test_an_unknown_method_is_refused(data):
    with pytest.raises(InvalidParameter, match="plain, pooled, stochastic"):
        fit_intentions(data, 2, "magic")


def test_rivals_are_scored_through_the_same_door(data, fold):
    train, test = data.select(fold.train), data.select(fold.test)
    score = score_model(FQLearning().fit(train), train, test)
    assert over_all(score.by_subject) == pytest.approx(score.test)


def test_animals_by_themselves_keep_the_numbers_of_intentions(data, model):
    before = model.policy_.copy()
    for own in fit_individuals(model, data).values():
        assert match_policies(own.policy_, model.policy_).order.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(model.policy_, before)


def test_animals_in_one_fit_are_predicted_better_than_by_themselves(data, fold, model):
    """They share their strategies: fits of a few sessions can only add noise."""
    train, test = data.select(fold.train), data.select(fold.test)
    together, start = fit_together(train, 3), fit_intentions(train, 3, "pooled")
    alone = score_individuals(fit_individuals(start, train), test)
    assert over_all(score_by_subject(together, test)) > over_all(alone)
    assert together.policy_of("m1").shape == model.policy_.shape


def test_an_animal_without_a_fit_is_left_out(data, model):
    own = fit_individuals(model, data.select([0, 1]))
    assert set(score_individuals(own, data)) == {"m1"}
