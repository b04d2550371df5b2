r"""What intentions want where states are continuous: the value by least squares on demonstrations.

Facts 1 and 2 of the theory hold in any world. With h(s) = max_a log π(a|s) − mean_a log π(a|s),

.. math:: V(s) = h(s) + \gamma\, \mathrm{mean}_a\, E[V(s') \mid s, a], \qquad
          Q(s, a) = \log\pi(a|s) - \max_b \log\pi(b|s) + V(s).

Let V(s) = w·φ(s). The mean over actions is uniform, the demonstrations are not: demonstration t of intention i counts
ω_t = p_i(t) / (A·π_i(a_t|s_t)), with p_i(t) its posterior. The w that makes the equation hold on average, feature by
feature (instrumental variables, as in LSTD, Bradtke & Barto 1996), solves

.. math:: \Big(\sum_t \omega_t\, \varphi(s_t)\,(\varphi(s_t) - \gamma\varphi(s_{t+1}))^\top + \lambda I\Big)\, w
          = \sum_t \omega_t\, \varphi(s_t)\, h(s_t).

Where features are indicators of states, policies are the counted ones and every action was taken in every state, this
is IAVI in the counted world. The reward of what was done is Q(s_t, a_t) − γ V(s_{t+1}), whose mean given s and a is r.
What an intention earns in a place, Σ_a π(a|s) r(s, a), is read from these by least squares in the same features, each
demonstration counted as often as it was the intention's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.parts.part import FloatArray
from hiql.worlds.mdp import check_discount

RAREST = 1e-3
"""No action is taken for rarer than this: one demonstration would outweigh all others."""


class RegressedPreference(NamedTuple):
    """``weights`` w (K, F): the value anywhere is φ·w; at the steps of the data ``value`` V (N, K), ``q`` Q (N, K, A),
    and the ``reward`` (N, K) of what was done, NaN where the next state is unknown; ``reward_weights`` (K, F): what
    each intention earns anywhere is φ·these."""

    weights: FloatArray
    value: FloatArray
    q: FloatArray
    reward: FloatArray
    reward_weights: FloatArray

    def reward_at(self, features: npt.ArrayLike) -> FloatArray:
        """(n, K) what intentions earn, doing as they do, where features are (n, F)."""
        return np.asarray(features, dtype=np.float64) @ self.reward_weights.T

    def value_at(self, features: npt.ArrayLike) -> FloatArray:
        """(n, K) the value where features are (n, F): over a grid of x and y, a map."""
        return np.asarray(features, dtype=np.float64) @ self.weights.T


def value_by_regression(
    data: Trajectories,
    policy: npt.ArrayLike,
    posterior: npt.ArrayLike,
    features: npt.ArrayLike,
    *,
    discount: float = 0.99,
    ridge: float = 1e-6,
) -> RegressedPreference:
    """What the intentions of a fitted model want, in the features of the states they were seen in.

    Parameters
    ----------
    policy : (N, K, A) how each intention would act at each step: ``model.policy_at(data)``
    posterior : (N, K) whose step it was: ``model.smooth_proba(data)``
    features : φ (N, F) of the state at each step, such as :func:`radial` of inputs x and y
    discount : γ
    ridge : λ, next to the mean square of a feature; it holds the value of what was hardly seen to 0
    """
    discount = check_discount(discount)
    acts, whose = np.asarray(policy, dtype=np.float64), np.asarray(posterior, dtype=np.float64)
    seen = np.asarray(features, dtype=np.float64)
    _check(data, acts, whose, seen, ridge)
    log_policy = np.log(np.maximum(acts, np.finfo(float).tiny))
    surprise = log_policy.max(axis=2) - log_policy.mean(axis=2)  # h (N, K)
    here = _followed(data)
    taken = np.take_along_axis(acts[here], data.actions[here][:, None, None], axis=2)[..., 0]
    counts = whose[here] / (data.n_actions * np.maximum(taken, RAREST))
    step = seen[here] - discount * seen[here + 1]
    held = ridge * max(float((seen**2).mean()), np.finfo(float).tiny)
    weights = np.stack([_solved(seen[here], step, w, h, held) for w, h in zip(counts.T, surprise[here].T, strict=True)])
    value = seen @ weights.T
    q = log_policy - log_policy.max(axis=2, keepdims=True) + value[..., None]
    reward = np.full(value.shape, np.nan)
    done = np.take_along_axis(q[here], data.actions[here][:, None, None], axis=2)[..., 0]
    reward[here] = done - discount * value[here + 1]
    pairs = zip(whose[here].T, reward[here].T, strict=True)
    earned = np.stack([_solved(seen[here], seen[here], w, r, held) for w, r in pairs])
    return RegressedPreference(weights, value, q, reward, earned)


def _solved(
    features: FloatArray, step: FloatArray, counts: FloatArray, surprise: FloatArray, held: float
) -> FloatArray:
    """(F,) the weights of one intention; features that it never met have none."""
    weighted = features * counts[:, None]
    matrix = weighted.T @ step + held * max(counts.sum(), 1.0) * np.eye(features.shape[1])
    return np.asarray(np.linalg.lstsq(matrix, weighted.T @ surprise, rcond=None)[0])


def _followed(data: Trajectories) -> npt.NDArray[np.intp]:
    """The observed steps that another follows in the same session."""
    last = np.zeros(data.n_steps, dtype=bool)
    last[data.offsets[1:] - 1] = True
    return np.flatnonzero(data.observed & ~last)


def radial(points: npt.ArrayLike, centres: npt.ArrayLike, width: float) -> FloatArray:
    """(n, C + 1) exp(−‖x − c‖² / 2 width²) of points (n, D) around centres (C, D), and a 1."""
    x, c = np.atleast_2d(np.asarray(points, dtype=np.float64)), np.atleast_2d(np.asarray(centres, dtype=np.float64))
    if x.shape[1] != c.shape[1]:
        remedy, expected = "give points and centres in the same coordinates", f"(C, {x.shape[1]})"
        raise ShapeMismatch(field="centres", shape=c.shape, expected=expected, remedy=remedy)
    if not (np.isfinite(width) and width > 0):
        raise InvalidParameter(parameter="width", value=width, remedy="choose a number > 0")
    squares = ((x[:, None] - c) ** 2).sum(axis=2)
    return np.column_stack([np.exp(-squares / (2.0 * width**2)), np.ones(len(x))])


def _check(data: Trajectories, acts: FloatArray, whose: FloatArray, features: FloatArray, ridge: float) -> None:
    n_intentions = whose.shape[1] if whose.ndim == 2 else 1
    wanted = {
        "posterior": (whose, (data.n_steps, n_intentions), "model.smooth_proba(data)"),
        "policy": (acts, (data.n_steps, n_intentions, data.n_actions), "model.policy_at(data)"),
        "features": (features, (data.n_steps, features.shape[-1] if features.ndim else 1), "a row for each step"),
    }
    for name, (array, shape, what) in wanted.items():
        if array.shape != shape:
            raise ShapeMismatch(field=name, shape=array.shape, expected=shape, remedy=f"give {what}")
        if not np.isfinite(array).all():
            raise InvalidParameter(parameter=name, value="not finite", remedy="give finite numbers")
    if not (np.isfinite(ridge) and ridge >= 0):
        raise InvalidParameter(parameter="ridge", value=ridge, remedy="choose a number ≥ 0")
