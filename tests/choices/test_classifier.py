"""Choices by any classifier."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier

import hiql
from hiql.choices import ClassifierChoice, Perceptron
from hiql.errors import InvalidParameter, ShapeMismatch


def circles(seed, n_sessions=16, n_steps=60):
    """In each session the right choice is inside a circle of the two inputs, or outside: no line tells them apart."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(-1, 1, (n_sessions, n_steps, 2))
    kind = np.arange(n_sessions) % 2
    inside = (places**2).sum(axis=2) < 0.64
    actions = np.where(kind[:, None] == 1, inside, ~inside)
    return hiql.Trajectories.from_arrays(
        None,
        list(actions.astype(int)),
        inputs=list(places),
        input_names=["x", "y"],
        intentions=[np.full(n_steps, k) for k in kind],
    )


def model(estimator, k=2, **options):
    search = {"n_init": 2, "max_iter": 5, "progress": False, "dynamics": "session-wise"} | options
    return hiql.IntentionModel(k, choice=ClassifierChoice(estimator), **search)


@pytest.fixture(scope="module")
def fitted():
    return model(Perceptron(hidden=(8,))).fit(circles(0))


def test_a_network_finds_what_no_line_can(fitted):
    new = circles(1)
    agreed = (fitted.decode(new) == new.intentions).mean()
    assert max(agreed, 1 - agreed) > 0.95
    assert fitted.score(new, per="step") > -0.3
    linear = hiql.GLMHMM(2, dynamics="session-wise", progress=False).fit(circles(0))
    assert linear.score(new, per="step") < -0.55


def test_saved_as_arrays_with_the_same_answers(fitted, tmp_path):
    fitted.save(tmp_path / "network.hiql")
    back = hiql.load(tmp_path / "network.hiql")
    np.testing.assert_array_equal(back.predict_action_proba(circles(1)), fitted.predict_action_proba(circles(1)))


@pytest.mark.filterwarnings("ignore:lbfgs failed")
def test_arrays_are_the_network_of_scikit_learn():
    data = circles(2)
    network = Perceptron(hidden=(5, 4)).classifier().fit(data.inputs, data.actions)
    kept = Perceptron(hidden=(5, 4)).kept(network)
    np.testing.assert_allclose(kept.predict_proba(data.inputs), network.predict_proba(data.inputs), atol=1e-12)
    three = data.actions + (data.inputs[:, 0] > 0.5)
    network = MLPClassifier((3,), activation="tanh", solver="lbfgs", random_state=0).fit(data.inputs, three)
    np.testing.assert_allclose(
        Perceptron().kept(network).predict_proba(data.inputs), network.predict_proba(data.inputs), atol=1e-12
    )


def test_a_file_with_layers_that_do_not_fit_is_refused(fitted, tmp_path):
    choice = fitted._parts()[1]
    first, second = fitted.choice_parameters_.fitted
    for broken in (
        type(first)(first.weights[:1], first.biases, first.classes_),
        type(first)((first.weights[0][:1], first.weights[1]), first.biases, first.classes_),
        type(first)(first.weights, first.biases, np.array([0.0, 7.0])),
        type(first)(first.weights, (first.biases[0] * np.nan, first.biases[1]), first.classes_),
        "network",
    ):
        with pytest.raises(InvalidParameter, match="fitted"):
            choice.check_params(type(fitted.choice_parameters_)((broken, second)), circles(0), 2)


def test_any_classifier_will_do_and_is_not_saved(tmp_path):
    boosted = model(HistGradientBoostingClassifier(max_iter=10), max_iter=2).fit(circles(0, 6))
    assert boosted.score(circles(1, 4), per="step") > -0.69
    with pytest.raises(InvalidParameter, match="cannot be saved"):
        boosted.save(tmp_path / "boosted.hiql")


def test_with_one_intention_it_is_the_classifier_itself():
    data = circles(0)
    one = model(LogisticRegression(), 1).fit(data)
    inputs = (data.inputs - data.inputs.mean(axis=0)) / data.inputs.std(axis=0)
    alone = LogisticRegression().fit(inputs, data.actions).predict_proba(inputs)
    np.testing.assert_allclose(one.predict_action_proba(data), alone, atol=2e-3)


def test_states_are_indicators_or_have_features():
    simulation = hiql.worlds.simulate_two_goals(20, random_state=0)
    by_state = hiql.IntentionModel(1, choice=ClassifierChoice(), progress=False).fit(simulation.data)
    counted = hiql.HIAVI(1, mdp=simulation.world, progress=False).fit(simulation.data)
    assert by_state.score(simulation.data, per="step") == pytest.approx(
        counted.score(simulation.data, per="step"), abs=0.05
    )
    with pytest.raises(ShapeMismatch, match="features"):
        hiql.IntentionModel(1, choice=ClassifierChoice(features=np.zeros((3, 2)))).fit(simulation.data)


@pytest.mark.parametrize("estimator", [LinearRegression(), "network"])
def test_what_is_no_classifier_is_named(estimator):
    with pytest.raises(InvalidParameter, match="predict_proba"):
        model(estimator).fit(circles(0, 2))
