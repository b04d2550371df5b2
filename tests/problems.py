"""Random problems for tests."""

from __future__ import annotations

import numpy as np

import hiql


def random_data(rng, n_states=3, n_actions=3, lengths=(4, 1, 5), missing=0.2):
    """Ragged sessions of uniform states and actions, some of them missing."""

    def codes(size, n):
        values = rng.integers(size, size=n)
        return np.where(rng.random(n) < missing, -1, values)

    return hiql.Trajectories.from_arrays(
        [codes(n_states, n) for n in lengths],
        [codes(n_actions, n) for n in lengths],
        n_states=n_states,
        n_actions=n_actions,
    )


def random_mdp(rng, n_states=6, n_actions=3, discount=0.9):
    return hiql.MDP(rng.dirichlet(np.ones(n_states), (n_states, n_actions)), discount)


def random_policy(rng, *shape):
    """(…, S, A) positive policies."""
    return rng.dirichlet(np.ones(shape[-1]), shape[:-1]) * 0.99 + 0.01 / shape[-1]


def switching_data(rng, n_sessions=30, n_steps=40, n_states=5, n_actions=3, n_intentions=2):
    """Data from a random multi-intention agent in a random world, and that world."""
    mdp = random_mdp(rng, n_states, n_actions)
    policy = rng.dirichlet(0.3 * np.ones(n_actions), (n_intentions, n_states)) * 0.98 + 0.02 / n_actions
    transition = 0.9 * np.eye(n_intentions) + 0.1 / n_intentions
    states, actions, nexts, intentions = [], [], [], []
    for _ in range(n_sessions):
        s, z = rng.integers(n_states), rng.integers(n_intentions)
        steps = []
        for _ in range(n_steps):
            a = rng.choice(n_actions, p=policy[z, s])
            following = rng.choice(n_states, p=mdp.transitions[s, a])
            steps.append((s, a, following, z))
            s, z = following, rng.choice(n_intentions, p=transition[z])
        for values, column in zip((states, actions, nexts, intentions), zip(*steps, strict=True), strict=True):
            values.append(np.array(column))
    data = hiql.Trajectories.from_arrays(
        states, actions, nexts, n_states=n_states, n_actions=n_actions, intentions=intentions
    )
    return data, mdp, policy
