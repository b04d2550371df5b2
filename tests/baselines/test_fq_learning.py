"""Forgetting Q-learning against its plain twin, finite differences, known parameters, and real mice."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import hiql
from hiql.baselines import CountPolicy, FQLearning, RandomPolicy
from hiql.baselines.fq_likelihood import FQLikelihood
from hiql.errors import InvalidParameter
from tests.oracles.forgetting_q import choice_probabilities, choice_probabilities_by_trace, simulate

K, T, ALPHA, BIAS = 0.3, 0.2, 0.5, -0.2
POINT = np.array([np.log((1 - K) / K), K / T, ALPHA, BIAS])


def gappy(seed=0, n_sessions=6, n_trials=40):
    """Sessions with missed trials and unknown outcomes, as a table and as lists with None."""
    rng = np.random.default_rng(seed)
    frame = simulate(rng, n_sessions, n_trials, K, T, ALPHA, BIAS).astype({"choice": float, "reward": float})
    frame.loc[rng.random(len(frame)) < 0.1, "choice"] = np.nan
    # Unknown outcomes at changes of choice: after ℓ like trials a history cannot tell them (see trial_rewards).
    changed = frame["choice"] == 1 - frame.groupby("session")["choice"].ffill().groupby(frame["session"]).shift()
    frame.loc[changed & (rng.random(len(frame)) < 0.3), "reward"] = np.nan
    sessions = [
        tuple([None if pd.isna(v) else int(v) for v in part[name]] for name in ("choice", "reward"))
        for _, part in frame.groupby("session")
    ]
    return frame, sessions


@pytest.fixture(scope="module")
def two_mice():
    rng = np.random.default_rng(1)
    first = simulate(rng, 30, 200, K, T, ALPHA, BIAS)
    second = simulate(rng, 30, 200, 0.6, 0.4, -0.3, 0.3, subject="m2")
    return hiql.bandit_trials(pd.concat([first, second]), history=2)


def test_both_forms_are_the_same_model():
    for choices, rewards in gappy()[1]:
        by_value = choice_probabilities(choices, rewards, K, T, ALPHA, BIAS)
        by_trace = choice_probabilities_by_trace(choices, rewards, -1 / np.log(1 - K), K / T, ALPHA, BIAS)
        np.testing.assert_allclose(by_value, by_trace, atol=1e-13)


@pytest.mark.parametrize("history", [3, 6])
def test_the_kernel_agrees_with_its_twin(history):
    """Also at first trials, missed trials, and trials without an outcome."""
    frame, sessions = gappy()
    data = hiql.bandit_trials(frame, history)
    expected = np.concatenate([choice_probabilities(*trials, K, T, ALPHA, BIAS) for trials in sessions])
    found = FQLikelihood(data).at(POINT)
    np.testing.assert_allclose(1 / (1 + np.exp(-found.log_odds)), expected, atol=1e-12)
    seen = data.actions >= 0
    of_choice = np.where(data.actions == 1, expected, 1 - expected)[seen]
    assert found.total == pytest.approx(np.log(of_choice).sum(), rel=1e-12)
    assert 0 < seen.sum() < data.n_steps


@pytest.mark.parametrize("point", [POINT, POINT[:3], np.array([-2.0, -1.0, 3.0, 0.5]), np.array([6.0, 40.0, 0.0])])
def test_gradient_against_finite_differences(point):
    likelihood = FQLikelihood(hiql.bandit_trials(gappy()[0], 3))
    numerical = approx_fprime(point, lambda p: likelihood(p)[0], 1e-6)
    np.testing.assert_allclose(likelihood(point)[1], numerical, rtol=1e-3, atol=1e-3)


def test_an_extreme_point_has_a_finite_likelihood():
    value, gradient = FQLikelihood(hiql.bandit_trials(gappy()[0], 3))(np.array([50.0, 1e4, -1e4, 0.0]))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_parameters_are_recovered(two_mice):
    model = FQLearning(bias=True).fit(two_mice)
    assert model.converged_
    assert model.notes_ == ()
    names = ["learning_rate", "temperature", "perseveration", "bias"]
    found = model.parameters_.loc[["m1", "m2"], names].to_numpy()
    np.testing.assert_allclose(found, [[K, T, ALPHA, BIAS], [0.6, 0.4, -0.3, 0.3]], atol=0.1)
    np.testing.assert_allclose(model.parameters_["decay_time"], -1 / np.log(1 - model.parameters_["learning_rate"]))
    assert (
        model.log_likelihood_
        > FQLikelihood(two_mice.by_subject()["m1"])(POINT)[0]
        + FQLikelihood(two_mice.by_subject()["m2"])(np.array([np.log(0.4 / 0.6), 1.5, -0.3, 0.3]))[0]
    )


def test_all_starts_climb_to_one_maximum(two_mice):
    totals = [FQLearning(n_init=n, per_subject=False).fit(two_mice).log_likelihood_ for n in (1, 2, 9)]
    assert max(totals) - min(totals) < 1e-4


def test_free_parameters_and_nesting(two_mice):
    scores = {}
    for per_subject, bias, n_free in [(True, False, 6), (True, True, 8), (False, False, 3), (False, True, 4)]:
        model = FQLearning(per_subject=per_subject, bias=bias).fit(two_mice)
        assert model.n_free_ == n_free
        assert model.score(two_mice) == pytest.approx(model.log_likelihood_)
        scores[per_subject, bias] = model.score(two_mice)
    assert scores[True, True] > scores[True, False] > scores[False, False]
    assert scores[True, True] > scores[False, True] > scores[False, False]


def test_scores_and_predictions_are_those_of_the_models_door():
    data = hiql.bandit_trials(gappy()[0], 3)
    model = FQLearning().fit(data)
    proba = model.predict_action_proba(data)
    seen = data.actions >= 0
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_allclose(proba[data.offsets[:-1]], 0.5)
    total = np.log(proba[seen, data.actions[seen]]).sum()
    assert model.score(data) == pytest.approx(total)
    assert model.score(data, per="step") == pytest.approx(total / data.n_observed)
    assert model.score(data, per="session") == pytest.approx(total / 6)
    assert model.bic(data) == pytest.approx(-2 * total + 3 * np.log(data.n_observed))
    assert model.aic(data) == pytest.approx(-2 * total + 6)
    with pytest.raises(InvalidParameter, match="per is 'trial'"):
        model.score(data, per="trial")


def test_predictions_lie_in_the_rows_of_their_animal(two_mice):
    mixed = two_mice.select([0, 30, 1, 31])
    model = FQLearning().fit(two_mice)
    proba = model.predict_action_proba(mixed)
    for i in range(4):
        alone = model.predict_action_proba(mixed.select([i]))
        np.testing.assert_array_equal(proba[mixed.session(i)], alone)


def test_histories_of_any_length_give_the_same_fit():
    frame = simulate(np.random.default_rng(3), 5, 60, K, T, ALPHA)
    fits = [FQLearning().fit(hiql.bandit_trials(frame, history)).log_likelihood_ for history in (1, 2, 5)]
    assert fits == pytest.approx([fits[0]] * 3, abs=1e-9)


def test_it_beats_counting_on_its_own_data(two_mice):
    train, test = two_mice.select(range(0, 60, 2)), two_mice.select(range(1, 60, 2))
    fitted = FQLearning(bias=True).fit(train).score(test, per="step")
    assert fitted > CountPolicy().fit(train).score(test, per="step") + 0.005
    assert fitted > RandomPolicy().fit(train).score(test, per="step")


def test_an_unknown_animal_is_refused(two_mice):
    animals = two_mice.by_subject()
    model = FQLearning().fit(animals["m1"])
    with pytest.raises(InvalidParameter, match=r"subject is 'm2'; parameters were fitted to m1; .*per_subject=False"):
        model.score(animals["m2"])
    assert np.isfinite(FQLearning(per_subject=False).fit(animals["m1"]).score(animals["m2"]))


def test_bad_data_and_parameters(two_mice):
    three = hiql.bandit_trials(pd.DataFrame({"session": 0, "choice": [0, 1, 2], "reward": [0, 1, 0]}), 1, subject=None)
    with pytest.raises(InvalidParameter, match="n_actions of the data is 3; fQ-learning chooses between two"):
        FQLearning().fit(three)
    with pytest.raises(InvalidParameter, match="make the data with hiql.bandit_trials"):
        FQLearning().fit(hiql.Trajectories.from_arrays([0, 1], [0, 1]))
    for parameter, value in (("n_init", 0), ("max_iter", 0), ("tol", -1.0)):
        with pytest.raises(InvalidParameter, match=f"{parameter} is {value}"):
            FQLearning(**{parameter: value}).fit(two_mice)


def test_a_fit_that_stops_early_says_so(two_mice):
    model = FQLearning(max_iter=1).fit(two_mice)
    assert not model.converged_
    assert "subject m1: the fit stopped after 1 steps" in model.notes_[0]


def test_clone_and_unfitted(two_mice):
    model = FQLearning(bias=True, n_init=2)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        model.score(two_mice)


def test_a_mouse_that_never_errs_has_finite_scores():
    """The likelihood has no maximum: the prior says where to stop, and without one a note does."""
    frame = pd.DataFrame({"session": np.repeat([0, 1], 30), "choice": [0, 1] * 30, "reward": 1})
    data = hiql.bandit_trials(frame, 1, subject=None)
    model = FQLearning(bias=True).fit(data)
    assert np.isfinite(model.score(data))
    assert model.score(data) > 2.5 * np.log(0.5)
    assert model.converged_
    assert max(np.abs(point).max() for point in model.points_.values()) < 10
    certain = FQLearning(bias=True, prior_scale=np.inf).fit(data)
    assert certain.score(data) > 2.1 * np.log(0.5)


def test_few_trials_are_not_believed_without_bound():
    """Six trials that can be predicted perfectly, then thirty others, which no prior at all misses by 31 nats each."""
    rng = np.random.default_rng(3)
    frames = [
        pd.DataFrame({"session": n, "choice": rng.integers(2, size=n), "reward": rng.integers(2, size=n)})
        for n in (6, 30)
    ]
    few, others = (hiql.bandit_trials(frame, 1, subject=None) for frame in frames)
    model = FQLearning().fit(few)
    assert model.converged_
    assert model.score(others, per="step") > -3.0
    free = FQLearning(prior_scale=np.inf).fit(few)
    assert free.score(others, per="step") < -10.0
    assert not free.converged_
    assert "the weights grow without bound" in free.notes_[0]
    with pytest.raises(InvalidParameter, match="prior_scale is 0"):
        FQLearning(prior_scale=0).fit(few)


def test_real_mice():
    """Five folds over sessions; measured: −0.4863 nats a trial."""
    folder = os.environ.get("HIQL_DATA_DIR")
    if not folder or not (path := Path(folder) / "bandit" / "mice_bandit.csv.gz").is_file():
        pytest.skip("needs the bandit data: set HIQL_DATA_DIR")
    data = hiql.bandit_trials(path, history=1, step="trial")
    total, n = 0.0, 0
    for fold in hiql.session_folds(data, 5, strata=data.subjects):
        test = data.select(fold.test)
        total += FQLearning().fit(data.select(fold.train)).score(test)
        n += test.n_observed
    assert n == 105_730
    assert total / n == pytest.approx(-0.487, abs=0.002)
