"""Weights of animals and states around common ones: the right optimum, and who is who."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import hiql
from hiql.choices import PooledWeights
from hiql.errors import InvalidParameter, ParametersNotCounted
from hiql.evaluate import effects, effects_by_group

QUICK = {"n_init": 1, "patience": 0, "progress": False}
SLOPES = {"ada": 0.5, "ben": 2.0, "cyd": 3.5, "dot": 2.0}


@pytest.fixture(scope="module")
def data():
    """Animals that follow a stimulus more or less, in any state, with a bias that depends on the state alone."""
    rng = np.random.default_rng(0)
    names = [name for name in SLOPES for _ in range(4)]
    stimulus, states = rng.normal(size=(16, 150, 1)), rng.integers(2, size=(16, 150))
    slopes = np.array([SLOPES[name] for name in names])[:, None]
    right = rng.random(states.shape) < expit(slopes * stimulus[..., 0] + np.where(states == 1, 1.0, -1.0))
    return hiql.Trajectories.from_arrays(
        list(states), list(right.astype(int)), subjects=names, inputs=list(stimulus), input_names=["stimulus"]
    )


def test_one_intention_is_the_optimum_of_the_hierarchy(data):
    """−½λ|W_s − M|² − ½λ₀|M|² and the log-likelihood, climbed by scipy; two actions: W_1 = −W_0 = w/2."""
    few = data.select(range(0, 16, 2))
    choice = PooledWeights(0.5, bias_ridge=0.5)
    ours = hiql.IntentionModel(1, choice=choice, tol=1e-13, **QUICK)
    problem = ours._problem(few)
    point = problem.start(np.random.default_rng(0))
    for _ in range(40):
        point = problem.step(point).update
    standard = np.column_stack([hiql.data.coding.Coding.of(few).standardised(few), np.ones(few.n_steps)])
    group = np.repeat([list(SLOPES).index(name) for name in few.subjects], few.lengths)
    sign = np.where(few.actions == 1, 1.0, -1.0)

    def loss(flat):
        common, own = flat[:2], flat[2:].reshape(4, 2)
        fit = np.logaddexp(0.0, -sign * (own[group] * standard).sum(axis=1)).sum()
        return fit + 0.25 * (((own - common) ** 2).sum() + 0.5 * (common**2).sum())

    theirs = minimize(loss, np.zeros(10), tol=1e-10).x
    own = point.choice.own[0, :, 1] - point.choice.own[0, :, 0]
    np.testing.assert_allclose(own, theirs[2:].reshape(4, 2), atol=1e-4)
    np.testing.assert_allclose(point.choice.weights[0, 1] - point.choice.weights[0, 0], theirs[:2], atol=1e-4)


def test_animals_are_told_apart_and_strangers_are_the_population(data):
    model = hiql.GLMHMM(1, pool="subjects", **QUICK).fit(data)
    found = {name: np.diff(model.weights_of(name)[0, :, 0])[0] for name in SLOPES}
    for name, slope in SLOPES.items():
        assert found[name] == pytest.approx(slope, abs=0.8)  # flattened by the bias that is left out
    np.testing.assert_array_equal(model.weights_of("eve"), model.weights_)
    assert np.diff(model.weights_[0, :, 0])[0] == pytest.approx(np.mean(list(found.values())), abs=0.2)
    assert model.transition_of("ada").shape == (1, 1)
    plain = hiql.GLMHMM(1, **QUICK).fit(data)
    assert model.score(data) > plain.score(data) + 50
    with pytest.raises(ParametersNotCounted):
        model.bic(data)


def test_states_and_inputs_together(data):
    """What differs between states is found to be the bias, and not the weight of the stimulus."""
    model = hiql.GLMHMM(1, pool="states", **QUICK).fit(data)
    biases = [np.diff(model.weights_of(s)[0, :, -1])[0] for s in (0, 1)]
    np.testing.assert_allclose(biases, [-0.9, 0.9], atol=0.25)  # slopes differ between animals: shallower on average
    slope_spread, bias_spread = model.weights_spread_
    assert bias_spread > 5 * slope_spread
    assert model.score(data) > hiql.GLMHMM(1, **QUICK).fit(data).score(data) + 100


def test_files_and_contexts(data, tmp_path):
    block = hiql.Trajectories.from_arrays(
        None,
        list(np.split(data.actions, 16)),
        inputs=list(np.split(data.inputs, 16)),
        input_names=["stimulus"],
        contexts={"block": np.split(np.array(["low", "high"])[data.states], 16)},
    )
    model = hiql.GLMHMM(2, pool="block", max_iter=10, **QUICK).fit(block)
    model.save(tmp_path / "model.hiql")
    back = hiql.load(tmp_path / "model.hiql")
    np.testing.assert_array_equal(back.weights_of("high"), model.weights_of("high"))
    np.testing.assert_array_equal(back.smooth_proba(block), model.smooth_proba(block))
    live = back.live()
    first = block.select([0])
    given = {"inputs": {"stimulus": first.inputs[0, 0]}, "contexts": {"block": ["low", "high"][data.states[0]]}}
    np.testing.assert_allclose(live.step(action=int(first.actions[0]), **given), back.filter_proba(first)[0], atol=1e-9)
    unknown = replace(block, context_labels=(("other", "labels"),))
    assert np.isfinite(model.score(unknown))


@pytest.mark.parametrize("lapse", [False, True])
def test_errors_of_animals_are_those_of_the_whole_curvature(data, monkeypatch, lapse):
    """Found for all animals at once, they are what differences of slopes by every single number give."""
    model = hiql.GLMHMM(2, pool="subjects", lapse=lapse, tol=1e-12, **QUICK).fit(data)
    common, found = effects(model, data), effects_by_group(model, data)
    monkeypatch.setattr(PooledWeights, "blocks", lambda *_: None)
    np.testing.assert_allclose(common.error, effects(model, data).error, rtol=1e-6)
    for name, slow in effects_by_group(model, data).items():
        np.testing.assert_allclose(found[name].size, slow.size)
        np.testing.assert_allclose(found[name].error, slow.error, rtol=1e-6)
        assert (found[name].from_common < found[name].error).all()


def test_errors_are_those_of_the_hierarchy_and_say_what_the_population_leaves_open(data):
    """K = 1, in closed form: the inverse of minus the Hessian in all weights; what of it is the population's."""
    model = hiql.GLMHMM(1, pool="subjects", tol=1e-12, **QUICK).fit(data)
    standard = np.column_stack([model.coding_.standardised(data), np.ones(data.n_steps)])
    group = np.repeat([list(SLOPES).index(name) for name in data.subjects], data.lengths)
    own, held = np.diff(model.choice_parameters_.own[0], axis=1)[:, 0], model.choice_parameters_.own_precision[0] / 2
    hessian, alone = np.zeros((10, 10)), []
    for s in range(4):
        u, at = standard[group == s], slice(2 * s, 2 * s + 2)
        p = expit(u @ own[s])
        hessian[at, at] = (u.T * (p * (1 - p))) @ u + np.diag(held)
        hessian[at, 8:] = hessian[8:, at] = -np.diag(held)
        hessian[8:, 8:] += np.diag(held)
        alone.append(np.diag(np.linalg.inv(hessian[at, at])))
    hessian[8:, 8:] += np.diag(model.choice_parameters_.precision[0] / 2)
    error = np.sqrt(np.diag(np.linalg.inv(hessian))).reshape(5, 2)
    for s, each in enumerate(effects_by_group(model, data).values()):
        np.testing.assert_allclose(each.error[0, 0], error[s], rtol=1e-5)
        np.testing.assert_allclose(each.error[0, 0] ** 2 - each.from_common[0, 0] ** 2, alone[s], rtol=1e-5)
    np.testing.assert_allclose(effects(model, data).error[0, 0], error[4], rtol=1e-5)


def test_states_that_change_within_a_session_have_errors_too(data):
    model = hiql.GLMHMM(1, pool="states", **QUICK).fit(data)
    found = effects_by_group(model, data)
    assert list(found) == ["0", "1"]
    for each in found.values():
        assert each.error.min() > 0.05  # 1,200 steps each: about 2 / √1200
        assert each.error.max() < 0.12


def test_a_new_animal_has_weights_around_a_population_that_stays(data, tmp_path):
    herd = hiql.GLMHMM(2, pool="subjects", lapse=True, **QUICK).fit(data.select(range(12)))
    new = data.select(range(12, 16))
    adapted = herd.adapt(new)
    for name in ("weights_", "lapse_", "transition_", "weights_spread_"):
        np.testing.assert_allclose(getattr(adapted, name), getattr(herd, name), atol=1e-9, err_msg=name)
    assert adapted.score(new) > herd.score(new) + 1.0
    assert adapted.coding_.subjects == ("dot",)
    np.testing.assert_array_equal(adapted.weights_of("ada"), adapted.weights_)
    (found,) = effects_by_group(adapted, new).values()
    assert (found.error > 0).all()
    assert (found.from_common == 0).all()  # the population counts as known
    adapted.save(tmp_path / "model.hiql")
    np.testing.assert_array_equal(hiql.load(tmp_path / "model.hiql").weights_of("dot"), adapted.weights_of("dot"))


def test_only_weights_of_animals_can_be_adapted(data):
    with pytest.raises(InvalidParameter, match="pool"):
        hiql.GLMHMM(1, pool="states", **QUICK).fit(data).adapt(data)


def test_what_there_is_not_is_named(data):
    with pytest.raises(hiql.errors.HiqlError, match="block"):
        hiql.GLMHMM(1, pool="block", **QUICK).fit(data)
    with pytest.raises(InvalidParameter, match="context"):
        hiql.IntentionModel(1, choice=PooledWeights(by=3), **QUICK).fit(data)
