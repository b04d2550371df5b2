"""Models whose parameters are known because we chose them, and a corridor for them to walk in."""

from __future__ import annotations

import numpy as np

import hiql
from hiql.choices.table import Policies
from hiql.dynamics.markov import ChainParameters
from hiql.engine.problem import Point
from hiql.worlds.mdp import World

LEFT, RIGHT, STAY = np.eye(3) * 0.997 + 0.001


def corridor(n_states=7, discount=0.9, start=3):
    """States in a row; left, right and stay do what they say; the ends are called west and east."""
    here = np.arange(n_states)
    transitions = np.zeros((n_states, 3, n_states))
    for action, there in enumerate((here - 1, here + 1, here)):
        transitions[here, action, np.clip(there, 0, n_states - 1)] = 1.0
    return World(transitions, discount, places={"west": 0, "east": n_states - 1}, start=start)


def known_model(mdp, policy, transition=None, initial=None, share=None):
    """A HIAVI that was told its parameters: policy (K, S, A) or (K, A) for the same everywhere."""
    policy = np.asarray(policy, dtype=float)
    if policy.ndim == 2:
        policy = np.repeat(policy[:, None], mdp.n_states, axis=1)
    k = len(policy)
    transition = 0.9 * np.eye(k) + 0.1 / k if transition is None else np.asarray(transition)
    initial = np.full(k, 1 / k) if initial is None else np.asarray(initial)
    model = hiql.HIAVI(k, mdp=mdp, progress=False)
    log_policy = np.log(policy)
    model._set_parameters(Point(ChainParameters(np.log(initial)[None], np.log(transition)[None]), Policies(log_policy)))
    model.reward_, model.q_, model.value_ = log_policy, log_policy, log_policy.max(axis=-1)
    _, model.n_states_, model.n_actions_ = policy.shape
    model.share_ = np.full(k, 1 / k) if share is None else np.asarray(share)
    return model
