"""Switching driven by inputs: what drives it is found, in the users' units, and what is shared is shared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import softmax

import hiql
from hiql.data.coding import Coding
from hiql.dynamics import ByState, ChainCounts, InputDriven
from hiql.errors import InvalidParameter
from hiql.worlds import ObservedSchedule
from tests.contract.pairs import more_data

QUICK = {"n_init": 1, "patience": 0, "progress": False}
PULL, STAY = 1.5, 2.5
"""Log-odds: of the second intention for a dopamine of one standard deviation, and of staying."""


@pytest.fixture(scope="module")
def data():
    """Two intentions that follow a stimulus or flee it; dopamine (mean 40, deviation 5) calls for the second."""
    rng = np.random.default_rng(0)
    n, length = 40, 200
    inputs = rng.normal(size=(n, length, 3))
    z = np.zeros((n, length), dtype=int)
    for t in range(1, length):
        odds = np.where(z[:, t - 1] == 1, STAY, -STAY) + PULL * inputs[:, t, 1]
        z[:, t] = rng.random(n) < 1 / (1 + np.exp(-odds))
    right = rng.random((n, length)) < 1 / (1 + np.exp(-np.where(z == 1, -4.0, 4.0) * inputs[..., 0]))
    shown = inputs * [1.0, 5.0, 1.0] + [0.0, 40.0, 0.0]
    names = ["stimulus", "dopamine", "noise"]
    plain = hiql.Trajectories.from_arrays(None, list(right.astype(int)), inputs=list(shown), input_names=names)
    return replace(plain, intentions=z.ravel())


@pytest.fixture(scope="module")
def model(data):
    clock = InputDriven(inputs=("dopamine", "noise"))
    return hiql.GLMHMM(2, inputs=("stimulus",), dynamics=clock, **QUICK).fit(data)


def test_what_drives_switching_is_found_in_the_units_of_the_data(model, data):
    weights = model.switch_weights_
    assert weights.shape == (2, 2, 3)
    assert model.switch_inputs_.tolist() == ["dopamine", "noise"]
    np.testing.assert_allclose(weights.sum(axis=1), 0.0, atol=1e-12)
    np.testing.assert_array_equal(weights[0, :, :2], weights[1, :, :2])
    fleeing = int((model.weights_[:, 1, 0] - model.weights_[:, 0, 0]).argmin())
    to_it = weights[:, fleeing] - weights[:, 1 - fleeing]
    np.testing.assert_allclose(to_it[0, :2], [PULL / 5.0, 0.0], atol=0.03)
    at_the_mean = to_it[:, 2] + 40.0 * to_it[:, 0]
    np.testing.assert_allclose(at_the_mean[[fleeing, 1 - fleeing]], [STAY, -STAY], atol=0.3)
    assert model.switch_ridge_[1] > 100.0 > 2.0 > model.switch_ridge_[0]
    assert ((model.decode(data) == fleeing) == data.intentions).mean() > 0.9


def test_the_transition_shown_is_the_average_over_the_data(model, data):
    left = np.array([data.intentions[t - 1] for t in range(1, data.n_steps) if data.time[t]])
    came = np.array([data.intentions[t] for t in range(1, data.n_steps) if data.time[t]])
    true = np.array([[(came[left == i] == j).mean() for j in range(2)] for i in range(2)])
    order = np.argsort(model.weights_[:, 0, 0])
    np.testing.assert_allclose(model.transition_[order][:, order], true, atol=0.03)


def test_matrices_at_single_steps(model, data):
    steps = np.array([1, 5, 7000])
    inputs = np.column_stack([data.inputs[steps][:, 1:], np.ones(3)])
    expected = softmax(np.einsum("ijf,nf->nij", model.switch_weights_, inputs), axis=-1)
    np.testing.assert_allclose(model.transitions_at(data, steps), expected, atol=1e-12)


def test_without_a_say_of_inputs_it_is_a_markov_chain(data):
    held = InputDriven(inputs=("dopamine",), ridge=1e9, bias_ridge=0.0)
    driven, plain = (hiql.GLMHMM(2, inputs=("stimulus",), dynamics=d, **QUICK).fit(data) for d in (held, "markov"))
    assert driven.log_likelihood_ == pytest.approx(plain.log_likelihood_, abs=0.3)  # the chain has pseudo-counts
    order = [0, 1] if np.abs(driven.transition_ - plain.transition_).max() < 0.1 else [1, 0]
    np.testing.assert_allclose(driven.transition_[order][:, order], plain.transition_, atol=0.01)


@pytest.mark.parametrize("origin", ["bias", "weights", "nothing"])
def test_slopes_are_those_of_finite_differences(origin):
    data = more_data()
    part = InputDriven(origin=origin)
    problem = hiql.HIQL(3, dynamics=part)._problem(data)
    point = problem.start(np.random.default_rng(1))
    counts = problem.read(point).all_sessions.smoothed().moved
    moved = part.statistics(point.dynamics, problem.timeline, (0, data.n_sessions), counts)

    def expected(vector):
        params = part.from_vector(vector, point.dynamics)
        chain = part.chain(params, problem.timeline)((0, data.n_sessions))
        total = (counts.transitions * np.log(chain.bank)).sum() + (counts.initial * np.log(chain.initial)).sum()
        return total + part.log_prior(params)

    vector = part.vector(point.dynamics)
    numerical = approx_fprime(vector, expected, 1e-6)
    np.testing.assert_allclose(part.gradient(point.dynamics, moved), numerical, atol=1e-3)
    kept = part.from_vector(vector, point.dynamics)
    part.check_params(kept, data, 3)


def test_a_gate_says_the_same_wherever_one_comes_from(data):
    model = hiql.GLMHMM(2, inputs=("stimulus",), dynamics=InputDriven(origin="nothing"), max_iter=20, **QUICK).fit(data)
    np.testing.assert_array_equal(model.switch_weights_[0], model.switch_weights_[1])
    assert model.n_free_ == 2 * 2 + 1 + 4


def test_one_intention_has_nowhere_to_go(data):
    part, rng = InputDriven(coding=Coding.of(data)), np.random.default_rng(0)
    params, timeline, everything = part.start(data, 1, rng), part.bind(data), (0, data.n_sessions)
    bank = part.chain(params, timeline)(everything).bank
    np.testing.assert_array_equal(bank, np.ones((data.n_steps, 1, 1)))
    moved = part.statistics(params, timeline, everything, ChainCounts(np.ones((1, 1)), bank))
    after = part.learned(part.update(params, moved), moved, data)
    assert part.n_free(moved) == 0
    part.check_params(part.from_vector(part.vector(after), params), data, 1)
    np.testing.assert_array_equal(part.summary(after)["transition"], [[1.0]])


def test_tables_of_choices_live_simulation_and_files(data, tmp_path):
    model = hiql.HIQL(2, dynamics="input-driven", max_iter=20, **QUICK).fit(data)
    model.save(tmp_path / "model.hiql")
    back = hiql.load(tmp_path / "model.hiql")
    np.testing.assert_array_equal(back.switch_weights_, model.switch_weights_)
    first = data.select([0])
    live, expected = back.live(), model.filter_proba(first)
    for t in range(5):
        now = live.step(action=int(first.actions[t]), inputs=dict(zip(data.input_names, first.inputs[t], strict=True)))
        np.testing.assert_allclose(now, expected[t], atol=1e-9)
    assert model.sample(ObservedSchedule(first), random_state=0).n_steps == first.n_steps


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"inputs": ("serotonin",)}, "'dopamine'"),
        ({"inputs": ()}, "inputs"),
        ({"inputs": "noise"}, "inputs"),
        ({"origin": "everything"}, "'nothing'"),
        ({"ridge": -1.0}, "ridge"),
        ({"pseudo_count": -1.0}, "pseudo_count"),
    ],
)
def test_bad_settings_are_named(data, given, named):
    with pytest.raises(InvalidParameter, match=named):
        hiql.GLMHMM(2, dynamics=InputDriven(**given), **QUICK).fit(data)


def test_data_without_inputs_say_how_to_give_some():
    bare = hiql.worlds.simulate_two_goals(20, random_state=0).data
    with pytest.raises(InvalidParameter, match="inputs="):
        hiql.HIQL(2, dynamics="input-driven", **QUICK).fit(bare)


def test_matrices_at_single_steps_of_a_clock_with_a_table():
    data = more_data()
    model = hiql.HIQL(2, dynamics=ByState(), max_iter=5, **QUICK).fit(data)
    bank = model.transition_by_context_
    np.testing.assert_array_equal(model.transitions_at(data, [1]), bank[data.states[:1]])
