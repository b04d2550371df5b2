"""Maximum causal entropy inverse reinforcement learning (Ziebart 2010): one fixed reward."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hiql.baselines.checks import check_number, check_whole, check_world
from hiql.baselines.policy_baseline import PolicyBaseline
from hiql.choices.identifiable import n_identifiable
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.models.scoring import FloatArray
from hiql.parts.climbing import climb
from hiql.worlds.mdp import MDP
from hiql.worlds.soft_planning import SoftPlanner

REWARDS = ("state", "state_action")


class MaxCausalEntropyIRL(PolicyBaseline):
    """The reward under which a soft-optimal agent would most likely have acted as observed.

    With r(s) = Σ_f φ(s, f) θ(f), or r(s, a) = Σ_f φ(s, f) θ(f, a), and the policy of
    :class:`~hiql.worlds.soft_planning.SoftPlanner`, θ maximises

        Σ_t log π(a_t|s_t) − n_sessions · l2 · Σ θ².

    Parameters
    ----------
    mdp : the world
    reward : "state" or "state_action", what the reward depends on
    features : φ (S, F); without them every state has its own θ
    discount : γ, the world's by default
    l2 : the penalty, in nats per session as in DIRL; it keeps rewards of actions never taken finite
    max_iter, tol : most steps of L-BFGS, and the relative gain below which it has converged

    Attributes
    ----------
    coefficients_ : θ (F,) or (F, A)
    reward_ : (S,) or (S, A)
    value_ : V (S,)
    log_policy_ : (1, S, A)
    log_likelihood_ : of the training data, in nats; ``objective_`` includes the penalty
    n_iter_, converged_, notes_
    n_free_ : what the data can identify: in how many independent ways the coefficients move the log-odds of
        observed actions (:func:`~hiql.choices.identifiable.n_identifiable`)
    """

    def __init__(
        self,
        *,
        mdp: MDP,
        reward: str = "state",
        features: Any = None,
        discount: float | None = None,
        l2: float = 0.001,
        max_iter: int = 1000,
        tol: float = 1e-9,
    ) -> None:
        self.mdp = mdp
        self.reward = reward
        self.features = features
        self.discount = discount
        self.l2 = l2
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, data: Trajectories, y: object = None) -> Self:  # noqa: ARG002
        """Fit to the data; returns itself."""
        planner = SoftPlanner(check_world(self.mdp, self.discount, data))
        features = self._checked_features(planner.mdp)
        penalty = data.n_sessions * check_number("l2", self.l2)
        max_iter, tol = check_whole("max_iter", self.max_iter), check_number("tol", self.tol)
        counts = data.pair_counts[None]
        shape = (features.shape[1],) if self.reward == "state" else (features.shape[1], planner.mdp.n_actions)

        def penalised(theta: FloatArray) -> tuple[float, FloatArray]:
            coefficients = theta.reshape(shape)
            likelihood = planner.likelihood((features @ coefficients)[None], counts)
            gradient = features.T @ likelihood.gradient[0] - 2.0 * penalty * coefficients
            return likelihood.total - penalty * float(theta @ theta), gradient.ravel()

        best = climb(penalised, np.zeros(shape).ravel(), max_iter, tol)
        self.objective_, self.n_iter_, self.converged_, self.notes_ = best[1:]
        self.coefficients_ = best.point.reshape(shape)
        self.reward_ = features @ self.coefficients_
        likelihood = planner.likelihood(self.reward_[None], counts)
        self.log_likelihood_ = likelihood.total
        self.value_, self.log_policy_ = likelihood.plan.value[0], likelihood.plan.log_policy
        slopes = "ksa,sf->kf" if self.reward == "state" else "ksa,sf->kfa"
        self.n_free_ = n_identifiable(
            planner,
            likelihood.plan,
            counts,
            lambda _, gradients: np.einsum(slopes, gradients, features).reshape(len(gradients), -1),
            n_parameters=self.coefficients_.size,
        )
        return self

    def _checked_features(self, mdp: MDP) -> FloatArray:
        if self.reward not in REWARDS:
            raise InvalidParameter(parameter="reward", value=self.reward, remedy=f"choose one of {', '.join(REWARDS)}")
        if self.features is None:
            return np.eye(mdp.n_states)
        features = np.asarray(self.features, dtype=np.float64)
        if features.ndim != 2 or len(features) != mdp.n_states or features.shape[1] < 1:
            raise ShapeMismatch(
                field="features",
                shape=features.shape,
                expected=f"({mdp.n_states}, F)",
                remedy="give one row of features for each state",
            )
        if not np.isfinite(features).all():
            state = int(np.argwhere(~np.isfinite(features))[0, 0])
            raise InvalidParameter(
                parameter=f"features[{state}]", value=features[state].tolist(), remedy="give finite numbers"
            )
        return features
