"""Small worlds and agents for the tests of the baselines."""

from __future__ import annotations

import numpy as np
from scipy import sparse

import hiql
from hiql.worlds.planning import boltzmann_policy, soft_value_iteration


def ring(n_states=6, discount=0.8, slip=0.1):
    """A ring on which one steps left, stays, or steps right, and sometimes slips anywhere."""
    transitions = np.full((n_states, 3, n_states), slip / n_states)
    for action, step in enumerate((-1, 0, 1)):
        transitions[np.arange(n_states), action, (np.arange(n_states) + step) % n_states] += 1.0 - slip
    return hiql.MDP(transitions, discount)


def sparse_twin(mdp):
    return hiql.MDP([sparse.csr_array(mdp.transitions[:, a]) for a in range(mdp.n_actions)], mdp.discount)


def soft_policy(mdp, reward):
    """(S, A) by plain value iteration, independent of the code under test."""
    return boltzmann_policy(soft_value_iteration(mdp, reward, tol=1e-12))


def walk(mdp, policies, lengths, rng):
    """Sessions in which step t follows ``policies[min(t, T − 1)]``."""
    states, actions = [], []
    for length in lengths:
        state, session = rng.integers(mdp.n_states), []
        for t in range(length):
            action = rng.choice(mdp.n_actions, p=policies[min(t, len(policies) - 1)][state])
            session.append((state, action))
            state = rng.choice(mdp.n_states, p=mdp.transitions[state, action])
        states.append([s for s, _ in session])
        actions.append([a for _, a in session])
    return hiql.Trajectories.from_arrays(states, actions, n_states=mdp.n_states, n_actions=mdp.n_actions)


def drifting_agent(mdp, rng, n_sessions=100, longest=8):
    """Ragged sessions of an agent whose goal moves from state 0 to state 3."""
    share = np.linspace(0.0, 1.0, longest)
    goals = 4.0 * np.eye(mdp.n_states)
    policies = [soft_policy(mdp, (1 - x) * goals[0] + x * goals[3]) for x in share]
    lengths = np.append(rng.integers(1, longest + 1, n_sessions - 1), longest)
    return walk(mdp, policies, lengths, rng)


def numerical_gradient(function, point, step=1e-5):
    """Central differences."""
    moves = step * np.eye(point.size)
    return np.array([(function(point + move) - function(point - move)) / (2 * step) for move in moves])
