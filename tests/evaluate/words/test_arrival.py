"""Chances of arrival, against powers of γ and against a walk followed step by step."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import hiql
from hiql.errors import InvalidParameter
from hiql.evaluate.words.arrival import arrival, at_best, at_random, following
from tests.evaluate.known import corridor
from tests.problems import random_mdp, random_policy


def test_a_straight_walk_arrives_after_as_many_steps_as_it_is_long():
    to_the_right = np.tile([0.0, 1.0, 0.0], (5, 1))
    chance = arrival(corridor(5), following(to_the_right), [0, 4], horizon=9.0)  # γ = 0.9
    np.testing.assert_allclose(chance[1], [0.9**4, 0.9**3, 0.9**2, 0.9, 0.9], atol=1e-6)
    np.testing.assert_allclose(chance[0], 0.0)


def test_the_best_walk_takes_the_shortest_way_and_stays():
    chance = arrival(corridor(5), at_best, [0, 4], horizon=9.0)
    np.testing.assert_allclose(chance[0, :4], [0.9, 0.9, 0.9**2, 0.9**3], atol=1e-6)


def test_a_random_walk_between_two_states():
    """D = γ (1/2 + 1/2 D)."""
    switch = hiql.MDP(np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]]))
    chance = arrival(switch, at_random, [1], horizon=1.0)
    np.testing.assert_allclose(chance[0], [0.25 / 0.75, 0.25 / 0.75], atol=1e-6)


def followed(world, policy, places, horizon, n_steps=400):
    """The same by moving probability about and taking away what arrives."""
    transition = np.einsum("sa,sat->st", policy, world.transitions)
    arrived = np.zeros((len(places), world.n_states))
    for start in range(world.n_states):
        here = np.eye(world.n_states)[start]
        for _ in range(n_steps):
            here = horizon / (1 + horizon) * here @ transition
            arrived[:, start] += here[places]
            here[places] = 0.0
    return arrived


@pytest.mark.parametrize("seed", range(3))
def test_a_walk_followed_step_by_step(seed):
    rng = np.random.default_rng(seed)
    world, policy = random_mdp(rng), random_policy(rng, 6, 3)
    expected = followed(world, policy, [1, 4], 12.0)
    np.testing.assert_allclose(arrival(world, following(policy), [1, 4], 12.0), expected, atol=1e-6)
    thin = hiql.MDP([sparse.csr_array(world.transitions[:, a]) for a in range(3)])
    np.testing.assert_allclose(arrival(thin, following(policy), [1, 4], 12.0), expected, atol=1e-6)


def test_no_horizon():
    with pytest.raises(InvalidParameter, match="horizon is 0; choose a positive number"):
        arrival(corridor(), at_best, [0], horizon=0)
