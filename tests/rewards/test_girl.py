"""GIRL finds what a policy is best at, by gradients alone."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.errors import InvalidParameter
from hiql.rewards import GIRL
from hiql.rewards.girl import least_gradient
from hiql.worlds.planning import boltzmann_policy, evaluate_policy, value_iteration
from tests.baselines.worlds import numerical_gradient, ring

CORNERS = np.eye(25)[:, [0, 4, 20]]


@pytest.fixture(scope="module")
def world():
    return hiql.worlds.gridworld(5, slip=0.1, discount=0.9)


def test_gradients_are_those_of_the_return():
    """Along the logits of the policy, by finite differences, d being the discounted visits from the start."""
    mdp, rng = ring(), np.random.default_rng(0)
    features, logits, start = rng.normal(size=(6, 2)), rng.normal(size=(6, 3)), np.full(6, 1 / 6)
    policy = boltzmann_policy(logits)
    visits = np.linalg.solve(np.eye(6) - mdp.discount * mdp.under(policy).T, start)
    values, actions = GIRL(mdp=mdp, features=features)._worth(policy, GIRL(mdp=mdp, features=features)._by_pair())
    found = visits[:, None, None] * policy[..., None] * (actions - values[:, None])
    for f in range(2):

        def earned(flat, f=f):
            return start @ evaluate_policy(mdp, boltzmann_policy(flat.reshape(6, 3)), features[:, f])

        np.testing.assert_allclose(found[..., f].ravel(), numerical_gradient(earned, logits.ravel()), atol=1e-6)


def test_the_mixture_of_goals_behind_a_policy_comes_back(world):
    for theta in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.5]):
        policy = boltzmann_policy(value_iteration(world, CORNERS @ theta), 30.0)
        girl = GIRL(mdp=world, features=CORNERS)
        reward, q, value = girl._explained(policy, np.full(25, 0.04))
        assert reward.shape == q.shape == (25, 5)
        np.testing.assert_allclose(reward[[0, 4, 20], 0], theta, atol=0.1)
        np.testing.assert_allclose(value, evaluate_policy(world, policy, reward), atol=1e-9)


def test_intentions_of_sessions_are_explained():
    simulation = hiql.worlds.simulate_one_intention(60, 30, 0)
    goals = [simulation.environment.places[name] for name in simulation.intentions]
    reward = GIRL(mdp=simulation.environment, features=np.eye(25)[:, goals])
    model = hiql.IntentionModel(3, reward=reward, dynamics="session-wise", progress=False).fit(simulation.data)
    assert sorted(model.reward_[:, goals, 0].argmax(axis=1)) == [0, 1, 2]
    assert model.world_ is simulation.environment


def test_the_least_combination_is_found():
    gradients = np.array([[1.0, -1.0, 3.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(least_gradient(gradients, np.ones(3)), [0.5, 0.5, 0.0], atol=1e-6)
    np.testing.assert_allclose(least_gradient(gradients, np.array([1.0, 0.0, 1.0])), [1.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(least_gradient(np.zeros((2, 4)), np.zeros(4)), 0.25)


def test_features_that_add_up_to_a_constant_are_refused(world):
    with pytest.raises(InvalidParameter, match="leave one out"):
        GIRL(mdp=world, features=np.eye(25))
