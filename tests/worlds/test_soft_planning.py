"""Soft policy iteration against plain value iteration, its gradient against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.choices.identifiable import n_identifiable
from hiql.worlds.soft_planning import SoftPlanner
from tests.baselines.worlds import numerical_gradient, ring, soft_policy, sparse_twin
from tests.problems import random_mdp


def worlds():
    return {
        "dense": ring(),
        "sparse": sparse_twin(ring()),
        "patient": ring(discount=0.99),
        "myopic": ring(discount=0.0),
        "nearly empty": hiql.worlds.labyrinth(0.95),
    }


@pytest.mark.parametrize("name", worlds())
@pytest.mark.parametrize("per", ["state", "state and action"])
def test_policy_is_that_of_plain_value_iteration(name, per):
    mdp, rng = worlds()[name], np.random.default_rng(0)
    reward = rng.normal(0, 3, (2, mdp.n_states) if per == "state" else (2, mdp.n_states, mdp.n_actions))
    plan = SoftPlanner(mdp).plan(reward)
    expected = [soft_policy(mdp, r) for r in reward]
    np.testing.assert_allclose(np.exp(plan.log_policy), expected, atol=1e-8)


def test_start_does_not_change_the_plan():
    mdp, rng = ring(), np.random.default_rng(1)
    reward, start = rng.normal(size=(2, 3, mdp.n_states))
    cold, warm = SoftPlanner(mdp).plan(reward), SoftPlanner(mdp).plan(reward, start=50 * start)
    np.testing.assert_allclose(cold.value, warm.value, rtol=1e-9)


def test_enormous_rewards_still_give_a_plan():
    reward = 1e4 * np.random.default_rng(2).normal(size=(1, 6))
    plan = SoftPlanner(ring(discount=0.99)).plan(reward)
    assert np.isfinite(plan.log_policy).all()
    np.testing.assert_allclose(np.exp(plan.log_policy).sum(axis=2), 1.0)


@pytest.mark.parametrize("make", [ring, lambda: sparse_twin(ring())], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(2, 6), (2, 6, 3)], ids=["state", "state and action"])
def test_gradient_agrees_with_finite_differences(make, shape):
    rng, planner = np.random.default_rng(3), SoftPlanner(make())
    counts = rng.integers(0, 5, (2, 6, 3)).astype(float)
    reward = rng.normal(size=shape)
    exact = planner.likelihood(reward, counts).gradient
    by_differences = numerical_gradient(lambda r: planner.likelihood(r.reshape(shape), counts).total, reward.ravel())
    np.testing.assert_allclose(exact.ravel(), by_differences, atol=1e-6)


def test_state_rewards_are_identified_up_to_a_constant():
    mdp = random_mdp(np.random.default_rng(4), n_states=5, n_actions=3)
    planner = SoftPlanner(mdp)
    plan = planner.plan(np.random.default_rng(5).normal(size=(1, 5)))
    n_free = n_identifiable(planner, plan, np.ones((1, 5, 3)), lambda _, g: g.sum(axis=2), n_parameters=5)
    assert n_free == 4


def test_free_parameters_are_bounded_when_the_matrix_would_be_too_large(monkeypatch):
    planner = SoftPlanner(ring())
    plan = planner.plan(np.zeros((1, 6)))
    monkeypatch.setattr("hiql.choices.identifiable.MOST_ENTRIES", 10)
    assert n_identifiable(planner, plan, np.ones((1, 6, 3)), lambda _, g: g.sum(axis=2), n_parameters=6) == 6
