"""What drives choices: effects and their errors, psychometric curves, kernels by lag, accuracy, names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.errors import HiqlError, InvalidParameter
from hiql.evaluate import Effects, accuracy, choice_kernels, effects, psychometric_curves, suggest_names
from hiql.evaluate.measures.by_state import policy_by_state
from hiql.evaluate.words.drives import sure_drives
from hiql.worlds import simulate_psychophysics


@pytest.fixture(scope="module")
def judged():
    """Animals that judge a stimulus, and the intentions behind them; those of the truth in its order."""
    simulation = simulate_psychophysics(2, 5, 200, random_state=1)
    model = hiql.GLMHMM(3, n_init=4, patience=4, progress=False).fit(simulation.data)
    size = effects(model, simulation.data, errors=False).size[:, 0]
    engaged, biased = int(size[:, 0].argmax()), int(np.abs(size[:, 1]).argmax())
    return model.permuted([engaged, biased, 3 - engaged - biased]), simulation


def test_effects_are_those_of_one_standard_deviation(judged):
    model, simulation = judged
    found = effects(model, simulation.data, errors=False)
    steps = np.array([0, 1])
    inputs = np.array(simulation.data.inputs)
    inputs[0], inputs[1] = inputs[:, 0].mean(), inputs[:, 0].mean() + inputs[:, 0].std()
    policy = model.policy_at(replace(simulation.data, inputs=inputs), steps)
    log_odds = np.log(policy[:, :, 1] / policy[:, :, 0])
    np.testing.assert_allclose(found.size[:, 0, 0], log_odds[1] - log_odds[0], rtol=1e-9)
    np.testing.assert_allclose(found.size[:, 0, 1], log_odds[0], rtol=1e-9)


def test_errors_are_those_of_the_curvature_of_the_objective(judged):
    """By second differences of the objective itself, without a slope."""
    model, simulation = judged
    problem, point = model._problem(simulation.data), model._point
    vector = problem.choice.vector(point.choice)[:6]

    def objective(change):
        moved = problem.choice.from_vector(np.r_[vector + change, np.zeros(3)], point.choice)
        there = point._replace(choice=moved)
        return problem.objective(there, problem.expect(there))

    e = 1e-3 * np.eye(6)
    bent = [[objective(a + b) - objective(a - b) - objective(b - a) + objective(-a - b) for a in e] for b in e]
    covariance = np.linalg.inv(-np.array(bent) / 4e-6)
    expected = np.sqrt(2 * np.diag(covariance)).reshape(3, 2)  # log-odds of two outcomes are √2 times the coordinate
    np.testing.assert_allclose(effects(model, simulation.data).error[:, 0], expected, rtol=1e-3)


def test_curves_are_the_policy_and_points_the_shares(judged):
    model, simulation = judged
    data, smoothed = simulation.data, model.smooth_proba(simulation.data)
    curves = psychometric_curves(model, data, "stimulus", smoothed)
    weights = model.weights_
    log_odds = np.log(curves.proba[:, :, 1] / curves.proba[:, :, 0])
    line = (weights[:, 1, :1] - weights[:, 0, :1]) * curves.x + (weights[:, 1, 1:] - weights[:, 0, 1:])
    np.testing.assert_allclose(log_odds, line, rtol=1e-8, atol=1e-8)
    here = data.inputs[:, 0] == curves.at[2]
    shares = [np.average(data.actions[here] == 1, weights=smoothed[here, i]) for i in range(3)]
    np.testing.assert_allclose(curves.share[:, 2, 1], shares)
    off = (curves.share[:, :, 1] - curves.proba[:, np.searchsorted(curves.x, curves.at), 1]) / curves.error[:, :, 1]
    assert np.median(np.abs(off)) < 3


def test_an_input_of_many_values_has_few_points(judged):
    model, simulation = judged
    values = np.random.default_rng(0).normal(size=simulation.data.n_steps)
    curves = psychometric_curves(model, replace(simulation.data, inputs=values[:, None]), "stimulus")
    assert len(curves.at) == 9
    assert np.isfinite(curves.share).all()


def test_an_unknown_input_is_refused(judged):
    model, simulation = judged
    with pytest.raises(HiqlError, match="contrast"):
        psychometric_curves(model, simulation.data, "contrast")


def test_the_engaged_do_best(judged):
    model, simulation = judged
    found = accuracy(model, simulation.data)
    assert found.outcome.argmax() == 0
    assert (found.outcome_error < 0.05).all()
    assert found.guessed.argmin() == 2
    assert found.typical.argmin() == 2


def test_names_say_what_drives_an_intention_where_sure(judged):
    size = np.array([[[4.0, 0.5]], [[0.5, 2.0]], [[0.1, -0.1]], [[1.2, 1.0]], [[0.1, -2.0]]])
    nothing = np.zeros_like(size)
    found = Effects(size, nothing, ("stimulus",), ("right",), ("left", "right"), nothing)
    assert sure_drives(found) == ["follows stimulus", "bias to right", "guesses", None, "bias to left"]
    model, simulation = judged
    assert suggest_names(model, simulation.data)[:2] == ("follows stimulus", "bias to right")


def test_a_kernel_is_what_a_choice_adds_later():
    """Against the difference of the model's log-odds with and without that choice in the past."""
    rng = np.random.default_rng(0)
    trials = pd.DataFrame({"session": np.repeat(range(4), 60), "choice": rng.integers(2, size=240)})
    trials["reward"] = rng.integers(2, size=240)
    data = hiql.bandit_trials(trials, 0, subject=None, memory=(1, 4))
    model = hiql.GLMHMM(1, n_init=1, patience=0, ridge=1.0, progress=False).fit(data)
    kernels = choice_kernels(model, 5)
    changed, (choice, reward) = trials.copy(), trials.loc[10, ["choice", "reward"]]
    changed.loc[10, "choice"] = 1 - choice
    other = hiql.bandit_trials(changed, 0, subject=None, memory=(1, 4))

    def log_odds(of):
        policy = model.policy_at(of, np.arange(11, 16))[:, 0]
        return np.log(policy[:, 1] / policy[:, 0])

    expected = (2 * choice - 1) * (log_odds(data) - log_odds(other)) / 2  # a choice is ±1
    assert set(kernels) == {"choice", "choice_reward"}
    np.testing.assert_allclose(kernels["choice"][0] + reward * kernels["choice_reward"][0], expected, rtol=1e-8)


def test_models_without_memory_have_no_kernels(judged):
    with pytest.raises(InvalidParameter, match="memory"):
        choice_kernels(judged[0])


def test_policies_by_state_are_averages_where_choices_depend_on_more(judged):
    model, simulation = judged
    smoothed = model.smooth_proba(simulation.data)
    policy = policy_by_state(model, simulation.data, smoothed)
    here = simulation.data.states == 3
    mean = np.average(model.policy_at(simulation.data)[here, 1], axis=0, weights=smoothed[here, 1])
    np.testing.assert_allclose(policy[1, 3], mean)
    np.testing.assert_allclose(policy.sum(axis=2), 1.0)
