"""Planning in a known world: optimal and soft values, policy evaluation, Boltzmann policies, occupancy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax, logsumexp

from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.worlds.linear import linear_solver
from hiql.worlds.mdp import MDP

FloatArray = npt.NDArray[np.float64]
Map = Callable[[FloatArray], FloatArray]
MAX_STEPS = 1_000


def value_iteration(mdp: MDP, reward: npt.ArrayLike, tol: float = 1e-10) -> FloatArray:
    """(S, A) the optimal Q of Q(s, a) = r(s, a) + γ Σ_s' P(s, a, s') max_a' Q(s', a'), to within ``tol``.

    ``reward`` is (S, A), or (S,) when it depends on the state only.
    """
    return _fixed_point(mdp, state_action_reward(mdp, reward), partial(np.max, axis=1), _greedy, tol)


def soft_value_iteration(mdp: MDP, reward: npt.ArrayLike, tol: float = 1e-10) -> FloatArray:
    """(S, A) the soft Q of maximum causal entropy: the max of :func:`value_iteration` is log Σ_a exp Q."""
    return _fixed_point(mdp, state_action_reward(mdp, reward), partial(logsumexp, axis=1), boltzmann_policy, tol)


def _fixed_point(mdp: MDP, reward: FloatArray, backup: Map, policy: Map, tol: float) -> FloatArray:
    """Q = r + γ P V with V = backup(Q), by Newton's method, which here is policy iteration.

    With g = backup(r + γ P V) − V and π the ``policy`` at V, the gradient of backup, the step solves
    (I − γ P_π) δ = g. Plain iteration would need log(1/tol) / (1 − γ) sweeps; this takes some ten steps. V is
    within max|g| / (1 − γ) of the fixed point, and it ends when that suffices or g is lost in rounding errors.
    """
    if not tol > 0:
        raise InvalidParameter(parameter="tol", value=tol, remedy="choose a positive tolerance")
    value = np.zeros(mdp.n_states)
    for _ in range(MAX_STEPS):
        q = reward + mdp.discount * mdp.expect(value)
        new = backup(q)
        gap = new - value
        rounding = 16 * np.finfo(float).eps * np.abs(new).max()
        if mdp.discount * np.abs(gap).max() <= max(tol * (1.0 - mdp.discount), rounding):
            break
        value = value + linear_solver(mdp.under(policy(q)), mdp.discount).solve(gap)
    return q


def _greedy(q: FloatArray) -> FloatArray:
    return np.eye(q.shape[1])[q.argmax(axis=1)]


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
    """(S,) the share of the first ``n_steps`` steps in each state; ``start`` is a state or (S,) p(s_0)."""
    if n_steps < 1:
        raise InvalidParameter(parameter="n_steps", value=n_steps, remedy="choose at least 1")
    here = _distribution(mdp, start)
    backwards = mdp.under(policy).T
    total = here.copy()
    for _ in range(n_steps - 1):
        here = backwards @ here
        total += here
    return total / n_steps


def _distribution(mdp: MDP, start: int | npt.ArrayLike) -> FloatArray:
    if np.ndim(start) == 0:
        if start not in range(mdp.n_states):
            remedy = f"choose a state 0…{mdp.n_states - 1}, or give a distribution over states"
            raise InvalidParameter(parameter="start", value=start, remedy=remedy)
        return np.eye(1, mdp.n_states, int(start)).ravel()  # type: ignore[arg-type]
    distribution = np.asarray(start, dtype=np.float64)
    if distribution.shape != (mdp.n_states,):
        raise ShapeMismatch(
            field="start", shape=distribution.shape, expected=(mdp.n_states,), remedy="give one p(s) a state"
        )
    return distribution


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
