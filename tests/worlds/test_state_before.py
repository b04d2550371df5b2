"""Worlds that remember the state before: pairs, their moves, and data read as pairs."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.worlds import MDP, gridworld
from hiql.worlds.state_before import StateBefore
from tests.baselines.worlds import ring, sparse_twin


@pytest.mark.parametrize("world", [ring(), sparse_twin(ring())], ids=["dense", "sparse"])
def test_moves_are_those_of_the_world(world):
    pairs = StateBefore(world)
    n, dense = world.n_states, ring().transitions
    assert len(pairs.now) == n + (dense.max(axis=1) > 0).sum()
    for m, (before, now) in enumerate(zip(pairs.before, pairs.now, strict=True)):
        assert pairs.pair(before, now) == m
        for a in range(world.n_actions):
            ahead = np.asarray(pairs.mdp.transitions[a][[m]].todense()).ravel()
            for s in range(n):
                assert ahead[pairs.pair(now, s)] == pytest.approx(dense[now, a, s])
            assert ahead.sum() == pytest.approx(1.0)


def test_a_reward_of_the_present_state_has_the_values_that_it_had():
    world = gridworld(3, slip=0.1)
    pairs, reward = StateBefore(world), np.random.default_rng(0).normal(size=world.n_states)
    q = hiql.worlds.soft_value_iteration(world, reward)
    np.testing.assert_allclose(hiql.worlds.soft_value_iteration(pairs.mdp, reward[pairs.now]), q[pairs.now], atol=1e-6)


def test_what_is_not_known_is_read_as_a_beginning():
    """A session's first step, one after a missing state, and one that no move leads to."""
    line = MDP(np.eye(4)[np.minimum(np.arange(4)[:, None] + np.arange(2), 3)], 0.9)  # stay, or go on
    pairs = StateBefore(line)
    data = hiql.Trajectories.from_arrays([[0, 1, -1, 2, 0], [3, 3, 3]], [[1, 1, 1, 0, 0], [0, 1, 0]], n_states=4)
    seen = pairs.seen(data)
    assert seen.n_states == 4 + 7
    assert pairs.now[seen.states[[0, 1, 3, 4]]].tolist() == [0, 1, 2, 0]
    assert pairs.before[seen.states[[0, 1, 3, 4]]].tolist() == [-1, 0, -1, -1]
    assert seen.states[2] == -1
    assert pairs.before[seen.states[5:]].tolist() == [-1, 3, 3]
