"""Sessions at the edges (one step, nothing observed, a million steps) and policies at the edge of zero."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.dynamics import MarkovChain
from hiql.errors import ImpossibleSession

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


def three_habits(pseudo_count):
    """A model of three habits learned with next to no prior, and data in which each habit's actions come in turn."""
    states, constant = np.zeros((6, 40), int), np.repeat([[0], [1], [2]], 2, axis=0) * np.ones((1, 40), int)
    learned = hiql.Trajectories.from_arrays(states, constant)
    options = {"pseudo_count": pseudo_count, "dynamics": MarkovChain(pseudo_count), **QUICK, "tol": 0.0}
    mixed = hiql.Trajectories.from_arrays([np.zeros(300, int)], [np.arange(300) % 3], n_actions=3)
    return hiql.HIQL(3, **options).fit(learned), mixed, hiql.HIQL(3, **options)


@pytest.mark.parametrize("pseudo_count", [1e-300, 1e-100])
def test_policies_that_all_but_exclude_what_then_happens(pseudo_count):
    model, mixed, other = three_habits(pseudo_count)
    assert model.policy_.min() < max(1e-299, pseudo_count)
    check(model, mixed)
    check(other.fit(mixed, init=model), mixed)


def told(method, data):
    """What a method answers about data that its model rules out; it must say where, and point at who asked."""
    where = r"1 of 1 sessions are impossible .* session '0', step \d \(state 0"
    with pytest.warns(ImpossibleSession, match=where) as seen:
        answer = method(data)
    assert [warning.filename for warning in seen] == [__file__]
    return answer


def test_policies_that_exclude_what_then_happens():
    """The score is −inf; it, posteriors and the path say where and pass over it; a fit that starts there recovers."""
    model, mixed, other = three_habits(0.0)
    assert (model.policy_ == 0).any()
    assert np.isfinite(model.reward_).all()
    assert told(model.score, mixed) == -np.inf
    assert set(told(model.decode, mixed)) <= {0, 1, 2}
    posteriors = told(model.smooth_proba, mixed), told(model.filter_proba, mixed), model.predict_action_proba(mixed)
    for posterior in posteriors:
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-8)
    again = other.fit(mixed, init=model)
    assert any("impossible under init, where the fit started" in note for note in again.notes_)
    check(again, mixed)


def test_a_model_with_zeros_is_saved_and_comes_back(tmp_path):
    model, mixed, _ = three_habits(0.0)
    model.save(tmp_path / "model.hiql")
    found, again = (told(of.smooth_proba, mixed) for of in (model, hiql.load(tmp_path / "model.hiql")))
    np.testing.assert_array_equal(again, found)
