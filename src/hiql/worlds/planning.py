"""Planning in a known world: optimal and soft values, policy evaluation, Boltzmann policies, occupancy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax, logsumexp

from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.worlds.linear import linear_solver
from hiql.worlds.mdp import MDP

FloatArray = npt.NDArray[np.float64]


def value_iteration(mdp: MDP, reward: npt.ArrayLike, tol: float = 1e-10) -> FloatArray:
    """(S, A) the optimal Q of Q(s, a) = r(s, a) + γ Σ_s' P(s, a, s') max_a' Q(s', a'), to within ``tol``.

    ``reward`` is (S, A), or (S,) when it depends on the state only.
    """
    return _fixed_point(mdp, state_action_reward(mdp, reward), lambda q: q.max(axis=1), tol)


def soft_value_iteration(mdp: MDP, reward: npt.ArrayLike, tol: float = 1e-10) -> FloatArray:
    """(S, A) the soft Q of maximum causal entropy: the max of :func:`value_iteration` becomes log Σ_a exp Q."""
    return _fixed_point(mdp, state_action_reward(mdp, reward), lambda q: logsumexp(q, axis=1), tol)


def _fixed_point(mdp: MDP, reward: FloatArray, backup: Any, tol: float) -> FloatArray:
    """Iterate a γ-contraction until the remaining error, γ/(1−γ) times the last change, is below ``tol``."""
    value = np.zeros(mdp.n_states)
    slack = tol * (1.0 - mdp.discount) / max(mdp.discount, tol)
    while True:
        q = reward + mdp.discount * mdp.expect(value)
        new = backup(q)
        change = np.abs(new - value).max()
        value = new
        if change <= max(slack, 4 * np.finfo(float).eps * np.abs(value).max()):
            return reward + mdp.discount * mdp.expect(value)


def evaluate_policy(mdp: MDP, policy: npt.ArrayLike, reward: npt.ArrayLike) -> FloatArray:
    """(S,) the value of a policy (S, A): V = (I − γ P_π)⁻¹ r_π."""
    policy = np.asarray(policy, dtype=np.float64)
    transition = mdp.under(policy)
    expected_reward = (policy * state_action_reward(mdp, reward)).sum(axis=1)
    return linear_solver(transition, mdp.discount).solve(expected_reward)


def boltzmann_policy(q: npt.ArrayLike, inverse_temperature: float = 1.0) -> FloatArray:
    """(…, S, A) π(a|s) ∝ exp(β Q(s, a)), with β the ``inverse_temperature``."""
    return np.exp(log_softmax(inverse_temperature * np.asarray(q, dtype=np.float64), axis=-1))


def state_occupancy(mdp: MDP, policy: npt.ArrayLike, start: int | npt.ArrayLike = 0, n_steps: int = 20) -> FloatArray:
    """(S,) the share of the first ``n_steps`` steps spent in each state, from a start state or distribution (S,)."""
    if n_steps < 1:
        raise InvalidParameter(parameter="n_steps", value=n_steps, remedy="choose at least 1")
    here = np.asarray(start, dtype=np.float64)
    if here.ndim == 0:
        here = np.eye(1, mdp.n_states, int(here)).ravel()
    backwards = mdp.under(policy).T
    total = here.copy()
    for _ in range(n_steps - 1):
        here = backwards @ here
        total += here
    return total / n_steps


def state_action_reward(mdp: MDP, reward: npt.ArrayLike) -> FloatArray:
    """A reward (S,) or (S, A) as (S, A)."""
    reward = np.asarray(reward, dtype=np.float64)
    if reward.shape == (mdp.n_states,):
        reward = np.repeat(reward[:, None], mdp.n_actions, axis=1)
    if reward.shape != (mdp.n_states, mdp.n_actions):
        raise ShapeMismatch(
            field="reward",
            shape=reward.shape,
            expected=f"({mdp.n_states},) or ({mdp.n_states}, {mdp.n_actions})",
            remedy="give one reward a state, or one a state and action",
        )
    return reward
