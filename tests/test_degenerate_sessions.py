"""Sessions at the edges (one step, nothing observed, a million steps) and policies at the edge of zero."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.dynamics import MarkovChain

QUICK = {"n_init": 1, "patience": 0, "max_iter": 50, "progress": False}


def everything(model, data):
    """Every number a fitted model gives."""
    fitted = (model.policy_, model.reward_, model.q_, model.value_, model.initial_, model.transition_, model.share_)
    causal = (model.filter_proba(data), model.predict_action_proba(data))
    return *fitted, model.score(data), model.bic(data), model.smooth_proba(data), *causal, model.decode(data)


def check(model, data):
    assert all(np.isfinite(part).all() for part in everything(model, data))
    for posterior in (model.smooth_proba(data), model.filter_proba(data), model.predict_action_proba(data)):
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-8)


def edges():
    """A session without any observation, some of one step, and an ordinary one."""
    gone = [-1] * 50
    return hiql.Trajectories.from_arrays(
        [gone, [0], [-1], [1], [0, 1, 2] * 20], [gone, [1], [0], [-1], [0, 1, 0, 1] * 15], n_states=3, n_actions=2
    )


@pytest.mark.parametrize("method", ["expected", "stochastic"])
def test_sessions_without_evidence_beside_ordinary_ones(method):
    data = edges()
    model = hiql.HIQL(2, method=method, **QUICK).fit(data)
    check(model, data)
    stationary = model.smooth_proba(data)[:50]
    chain = [model.initial_ @ np.linalg.matrix_power(model.transition_, t) for t in range(50)]
    np.testing.assert_allclose(stationary, chain, atol=1e-9)  # nothing seen: only the chain speaks


def test_a_model_meets_data_without_any_observation():
    model = hiql.HIQL(2, **QUICK).fit(edges())
    nothing = hiql.Trajectories.from_arrays([[-1] * 9], [[-1] * 9], n_states=3, n_actions=2)
    assert model.score(nothing) == pytest.approx(0.0, abs=1e-9)
    assert all(np.isfinite(part).all() for part in (model.smooth_proba(nothing), model.filter_proba(nothing)))


def test_a_million_steps_in_one_session():
    rng = np.random.default_rng(0)
    habit = np.repeat(np.arange(1000) % 2, 1000)
    actions = np.where(rng.random(10**6) < 0.9, habit, 1 - habit)
    data = hiql.Trajectories.from_arrays([rng.integers(3, size=10**6)], [actions])
    model = hiql.HIQL(2, **QUICK).fit(data)
    check(model, data)
    assert max((model.decode(data) == habit).mean(), (model.decode(data) != habit).mean()) > 0.99


@pytest.mark.parametrize("pseudo_count", [0.0, 1e-300, 1e-100])
def test_policies_that_all_but_exclude_what_then_happens(pseudo_count):
    """Three habits learned without a prior, then data in which every other action was impossible."""
    states, constant = np.zeros((6, 40), int), np.repeat([[0], [1], [2]], 2, axis=0) * np.ones((1, 40), int)
    learned = hiql.Trajectories.from_arrays(states, constant)
    options = {"pseudo_count": pseudo_count, "dynamics": MarkovChain(pseudo_count), **QUICK, "tol": 0.0}
    model = hiql.HIQL(3, **options).fit(learned)
    assert model.policy_.min() < max(1e-299, pseudo_count)
    mixed = hiql.Trajectories.from_arrays([np.zeros(300, int)], [np.arange(300) % 3], n_actions=3)
    check(model, mixed)
    check(hiql.HIQL(3, **options).fit(mixed, init=model), mixed)
