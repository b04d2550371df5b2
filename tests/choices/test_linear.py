"""Choices linear in the inputs: what users see of them, whatever the units of their inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

import hiql
from hiql.choices import LinearChoice
from hiql.errors import HiqlError, InvalidParameter
from hiql.parts.inputs import pieces
from hiql.parts.rows import StepRows
from hiql.worlds import Bandit, ObservedSchedule

QUICK = {"n_init": 2, "patience": 0, "progress": False}


@pytest.fixture(scope="module")
def simulation():
    return hiql.worlds.simulate_psychophysics(2, 5, 300, random_state=3)


@pytest.fixture(scope="module")
def model(simulation):
    return hiql.GLMHMM(3, patience=4, progress=False).fit(simulation.data)


def some_steps(n_steps=200, n_actions=3, n_inputs=2, seed=0):
    """A regression's own data, in units of no kind: sessions of 50 steps."""
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(n_steps, n_inputs)) * [100.0, 0.01][:n_inputs] + [5000.0, -3.0][:n_inputs]
    weights = rng.normal(size=(n_actions, n_inputs + 1))
    standard = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0)
    proba = softmax(np.column_stack([standard, np.ones(n_steps)]) @ weights.T, axis=1)
    actions = (proba.cumsum(axis=1) < rng.random((n_steps, 1))).sum(axis=1)
    return as_data(actions, inputs, n_actions), standard


def as_data(actions, inputs, n_actions):
    cuts = range(50, len(actions), 50)
    names = [f"input {i}" for i in range(inputs.shape[1])]
    parts = np.split(np.asarray(actions), cuts), np.split(inputs, cuts)
    return hiql.Trajectories.from_arrays(None, parts[0], n_actions=n_actions, inputs=parts[1], input_names=names)


def test_the_three_ways_to_judge_a_stimulus_are_found(model, simulation):
    truth = simulation.truth["weights"]
    assert model.weights_.shape == (3, 2, 2)
    np.testing.assert_allclose(model.weights_.sum(axis=1), 0.0, atol=1e-12)
    slopes = model.weights_[:, 1] - model.weights_[:, 0]  # of the log-odds of right
    order = np.argsort(-slopes[:, 0])
    np.testing.assert_allclose(slopes[order], truth, atol=1.2)
    decoded = np.argsort(order)[model.decode(simulation.data)]
    assert (decoded == simulation.data.intentions).mean() > 0.8


def test_weights_in_the_users_units_give_the_policy_at_every_step(model, simulation):
    data = simulation.data
    inputs = np.column_stack([data.inputs, np.ones(data.n_steps)])
    policy = model.policy_at(data)
    assert policy.shape == (data.n_steps, 3, 2)
    np.testing.assert_allclose(policy, softmax(np.einsum("kaf,nf->nka", model.weights_, inputs), axis=-1), atol=1e-12)
    np.testing.assert_allclose(model.predict_action_proba(data).sum(axis=1), 1.0, atol=1e-12)


def test_policy_at_is_the_row_of_the_state_where_choices_have_a_table(simulation):
    model = hiql.HIQL(2, **QUICK).fit(simulation.data)
    policy = model.policy_.transpose(1, 0, 2)[simulation.data.states]
    np.testing.assert_allclose(model.policy_at(simulation.data), policy, atol=1e-12)


def test_other_units_change_the_weights_and_nothing_else(simulation):
    data = simulation.data
    far = replace(data, inputs=1e6 + 1e-3 * data.inputs)
    plain, moved = (hiql.GLMHMM(2, **QUICK).fit(each) for each in (data, far))
    assert moved.log_likelihood_ == pytest.approx(plain.log_likelihood_, rel=1e-6)
    np.testing.assert_allclose(moved.weights_[..., 0], 1e3 * plain.weights_[..., 0], rtol=1e-3)


@pytest.mark.parametrize("n_actions", [2, 3])
def test_one_intention_is_scikit_learns_regression_at_the_same_penalty(n_actions):
    """λ = 1/C, or 2/C with two actions: there W₁ − W₀ is penalised, whose square is 2 Σ W². The bias is free."""
    data, standard = some_steps(n_actions=n_actions)
    ours = hiql.IntentionModel(1, choice=LinearChoice(0.5, bias_ridge=0.0), tol=1e-14, **QUICK).fit(data)
    theirs = LogisticRegression(C={2: 2.0, 3: 1.0}[n_actions] / 0.5, tol=1e-12, max_iter=10_000)
    theirs.fit(standard, data.actions)
    np.testing.assert_allclose(ours.policy_at(data)[:, 0], theirs.predict_proba(standard), atol=1e-6)
    inside = ours.choice_parameters_.weights[0, -1] - ours.choice_parameters_.weights[0, 0]
    differences = np.column_stack([theirs.coef_, theirs.intercept_])
    expected = differences[-1] - (differences[0] if n_actions == 3 else 0.0)
    np.testing.assert_allclose(inside, expected, atol=1e-6)


def test_a_learned_ridge_tells_inputs_that_matter_from_those_that_do_not(simulation):
    rng = np.random.default_rng(4)
    data = simulation.data
    noise = rng.normal(size=(data.n_steps, 3))
    more = replace(
        data,
        inputs=np.column_stack([data.inputs, noise]),
        input_names=("stimulus", "x", "y", "z"),
    )
    model = hiql.GLMHMM(3, patience=4, progress=False).fit(more)
    assert model.ridge_[0] < 1.0
    assert (model.ridge_[1:] > 10.0).all()
    assert np.abs(model.weights_[..., 1:4]).max() < 0.2
    fixed = hiql.GLMHMM(3, ridge=1.0, patience=4, progress=False).fit(more)
    fresh = hiql.worlds.simulate_psychophysics(2, 5, 300, random_state=5).data
    other = replace(
        fresh, inputs=np.column_stack([fresh.inputs, rng.normal(size=noise.shape)]), input_names=more.input_names
    )
    assert model.score(other) > fixed.score(other)


def test_a_fit_that_goes_on_from_another_keeps_the_scales_its_weights_were_found_in(simulation):
    data = simulation.data
    wide = replace(data, inputs=np.where(np.arange(data.n_steps)[:, None] % 50 == 0, 30.0 * data.inputs, data.inputs))
    first = hiql.GLMHMM(3, ridge=1.0, **QUICK).fit(data)
    again = hiql.GLMHMM(3, ridge=1.0, max_iter=1, **QUICK).fit(wide, init=first)
    assert again.coding_.input_scales == first.coding_.input_scales
    here = first.score(wide) + first._problem(wide).log_prior(first._point)
    assert again.trace_[0] == pytest.approx(here, rel=1e-12)


def test_files_bring_back_what_users_see(model, simulation, tmp_path):
    model.save(tmp_path / "model.hiql")
    back = hiql.load(tmp_path / "model.hiql")
    assert type(back) is hiql.GLMHMM
    np.testing.assert_array_equal(back.weights_, model.weights_)
    np.testing.assert_array_equal(back.ridge_, model.ridge_)
    np.testing.assert_array_equal(back.smooth_proba(simulation.data), model.smooth_proba(simulation.data))


def test_columns_are_found_by_name(model, simulation):
    data = simulation.data
    more = replace(
        data, inputs=np.column_stack([np.full(data.n_steps, 7.0), data.inputs]), input_names=("time", "stimulus")
    )
    assert model.score(more) == model.score(data)
    with pytest.raises(HiqlError, match="stimulus"):
        model.score(replace(data, input_names=("contrast",)))


def test_what_a_model_simulates_has_its_psychometric_curves(model, simulation):
    sampled = model.sample(ObservedSchedule(simulation.data), random_state=0)
    right = sampled.actions == 1
    expected = model.policy_at(sampled)[np.arange(sampled.n_steps), sampled.intentions, 1]
    for k in range(3):
        here = sampled.intentions == k
        assert right[here].mean() == pytest.approx(expected[here].mean(), abs=0.06)


def test_memories_are_inputs_that_a_simulation_remembers():
    rng = np.random.default_rng(7)
    trials = pd.DataFrame(
        {"session": np.repeat(range(4), 100), "choice": rng.integers(2, size=400), "reward": rng.integers(2, size=400)}
    )
    data = hiql.bandit_trials(trials, subject="none", history=0, memory=(1, 4))
    model = hiql.GLMHMM(2, max_iter=20, **QUICK).fit(data)
    sampled = model.sample(Bandit(), 3, 50, random_state=1)
    assert sampled.input_names == data.input_names
    bare = replace(sampled, inputs=np.empty((150, 0)), input_names=(), memory=None)
    np.testing.assert_allclose(bare.with_traces(data.memory).inputs, sampled.inputs, atol=1e-12)
    assert np.isfinite(model.score(sampled))


def test_inputs_are_read_in_pieces_of_few_steps(monkeypatch):
    rng, lengths = np.random.default_rng(0), [10, 300, 5, 1, 90, 500, 20]
    actions, inputs = [rng.integers(2, size=n) for n in lengths], [rng.normal(size=(n, 2)) for n in lengths]
    data = hiql.Trajectories.from_arrays(None, actions, n_actions=2, inputs=inputs, input_names=["x", "y"])
    rows = StepRows.of(data)
    assert list(pieces(rows, (0, 7))) == [(0, 7)]
    whole = hiql.GLMHMM(2, lapse=True, max_iter=5, **QUICK).fit(data)
    monkeypatch.setattr("hiql.parts.inputs.BLOCK", 100)
    assert list(pieces(rows, (0, 7))) == [(0, 1), (1, 2), (2, 5), (5, 6), (6, 7)]
    assert list(pieces(rows, (3, 3))) == [(3, 3)]
    cut = hiql.GLMHMM(2, lapse=True, max_iter=5, **QUICK).fit(data)
    np.testing.assert_allclose(cut.weights_, whole.weights_, atol=1e-9)
    assert cut.log_likelihood_ == pytest.approx(whole.log_likelihood_, rel=1e-12)


def test_lapses_are_told_from_shallow_curves():
    rng = np.random.default_rng(6)
    stimulus = rng.normal(size=(6000, 1))
    right = rng.random(6000) < 0.2 / 2 + 0.8 / (1 + np.exp(-8 * stimulus[:, 0]))
    data = as_data(right.astype(int), stimulus, 2)
    model = hiql.GLMHMM(1, lapse=True, **QUICK).fit(data)
    assert model.lapse_[0] == pytest.approx(0.2, abs=0.03)
    assert model.weights_[0, 1, 0] - model.weights_[0, 0, 0] == pytest.approx(8.0, abs=1.5)
    assert model.score(data) > hiql.GLMHMM(1, **QUICK).fit(data).score(data) + 50


@pytest.mark.parametrize("ridge", [0.0, -1.0, np.nan, "strong", [1.0, 2.0, 3.0]])
def test_a_ridge_that_is_none_is_named(simulation, ridge):
    with pytest.raises(InvalidParameter, match="ridge"):
        hiql.GLMHMM(2, ridge=ridge, **QUICK).fit(simulation.data)


def test_data_without_inputs_say_how_to_give_some(simulation):
    bare = replace(simulation.data, inputs=np.empty((simulation.data.n_steps, 0)), input_names=())
    with pytest.raises(InvalidParameter, match="inputs="):
        hiql.GLMHMM(2, **QUICK).fit(bare)
