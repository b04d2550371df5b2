r"""GIRL: the reward under which the policy gradient vanishes (Pirotta & Restelli 2016).

If an animal has learned to follow a policy, then no small change of the policy earns it more: for its reward
r = θ·φ the gradient of the discounted return J along the logits of the policy is zero,

.. math:: \nabla J = \sum_f \theta_f \nabla J_f = 0, \qquad
          \nabla J_f[s, a] = d(s)\,\pi(a|s)\,(Q_f(s, a) - V_f(s)),

where Q_f and V_f are what feature f earns under the policy, and d(s) how often state s is met. GIRL takes the θ ≥ 0
with the smallest \|∇J\|². This is a quadratic program; no reward is ever planned for. Two things differ from the
original. Its gradients are estimated from returns of demonstrations; in a known world they are exact, and d is that of
the demonstrations. And it fixes Σ θ = 1: then features that are hardly ever met win, whose gradients are small for that
reason. Here the return is fixed, Σ θ_f J_f = 1; weights are scaled to a sum of 1 afterwards.

A reward found so explains the policy up to its noise only: a policy that is soft on purpose does not maximise anything.
Weights are ≥ 0, so features should be things worth seeking; a place that is avoided is worth 0. No sum of them may be
the same everywhere: such a reward has no gradient and would explain anything. ``q_`` and ``value_`` are those of the
policy under the reward found, V = Σ π Q.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import nnls

from hiql.choices.choice import Evidence
from hiql.choices.planned import check_planning, checked_features
from hiql.choices.table import TableChoice
from hiql.data.sizes import check_sizes
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.parts.part import FloatArray
from hiql.parts.registry import register
from hiql.rewards.preference import Preference
from hiql.worlds.linear import linear_solver
from hiql.worlds.mdp import MDP

FIRM = 1e3
"""How firmly the return is held to 1, next to the largest gradient."""
NOTHING = 0.01
"""A return below this, relative to the largest, is none: the animal cannot have sought what it hardly ever got."""


@register
@dataclass(frozen=True, eq=False)
class GIRL:
    """Rewards by policy gradients in a known world, for choices by table.

    Parameters
    ----------
    mdp : the world
    features : φ, (S, F) or (S, A, F); without them, being in each state is a feature, but for that where sessions begin
    pseudo_count : of the choice, where the model is given no other (:class:`~hiql.choices.TableChoice`)
    """

    pseudo_count: float | FloatArray = 0.1
    mdp: MDP = field(kw_only=True)
    features: FloatArray | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_planning(self.mdp, "soft")
        if self.features is not None:
            object.__setattr__(self, "features", checked_features(self.features, self.mdp))
            self._check_not_constant()

    def _check_not_constant(self) -> None:
        flat = self._by_pair().reshape(-1, self._by_pair().shape[2])
        _, left = nnls(flat, np.ones(len(flat)))
        if left < 1e-6 * np.sqrt(len(flat)):
            remedy = "leave one out: a sum of them is the same everywhere, and such a reward explains any policy"
            raise InvalidParameter(parameter="features", value=self.features, remedy=remedy)

    @property
    def choice(self) -> TableChoice:
        return TableChoice(self.pseudo_count)

    @property
    def world(self) -> MDP:
        return self.mdp

    def check(self, data: Trajectories) -> None:
        check_sizes(data, self.mdp.n_states, self.mdp.n_actions)

    def explain(self, evidence: Evidence, log_policy: FloatArray) -> Preference:
        policies = np.exp(log_policy)
        starts = self._starts(evidence)
        each = [self._explained(policy, start) for policy, start in zip(policies, starts, strict=True)]
        reward, q, value = (np.stack(parts) for parts in zip(*each, strict=True))
        return Preference(reward, q, value, log_policy)

    def notes(self, data: Trajectories) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def _by_pair(self) -> FloatArray:
        """(S, A, F) φ."""
        n_states, n_actions = self.mdp.n_states, self.mdp.n_actions
        elsewhere = np.arange(n_states) != self.mdp.entrance
        features = np.eye(n_states)[:, elsewhere] if self.features is None else self.features
        if features.ndim == 3:
            return features
        return np.broadcast_to(features[:, None], (n_states, n_actions, features.shape[1]))

    def _starts(self, evidence: Evidence) -> FloatArray:
        """(K, S) where intentions are at work: the visits of each, with a little of everywhere."""
        n_states, n_actions = self.mdp.n_states, self.mdp.n_actions
        visits = evidence.counts[:-1].T.reshape(-1, n_states, n_actions).sum(axis=2)
        share = visits + 1e-3 * visits.sum(axis=1, keepdims=True) / n_states + 1e-12
        return np.asarray(share / share.sum(axis=1, keepdims=True))

    def _explained(self, policy: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Reward and Q (S, A), and V (S,), of one policy (S, A)."""
        features = self._by_pair()
        values, actions = self._worth(policy, features)
        advantage = policy[..., None] * (actions - values[:, None])
        gradients = (start[:, None, None] * advantage).reshape(-1, features.shape[2])
        theta = least_gradient(gradients, start @ values)
        return features @ theta, actions @ theta, values @ theta

    def _worth(self, policy: FloatArray, features: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(S, F) and (S, A, F): what each feature earns under the policy, by state and by action."""
        solver = linear_solver(self.mdp.under(policy), self.mdp.discount)
        values = solver.solve(np.einsum("sa,saf->sf", policy, features))
        return values, features + self.mdp.discount * np.moveaxis(self.mdp.expect(values.T), 0, -1)


def least_gradient(gradients: FloatArray, returns: FloatArray) -> FloatArray:
    """The θ ≥ 0 of sum 1 along which ‖G θ‖ is least for its return J·θ, by non-negative least squares.

    The equations are (G; c J) θ = (0; c) with a large c. Features that earn nothing have no weight; where none earns
    anything, all have the same.
    """
    earned = returns > NOTHING * np.abs(returns).max()
    theta = np.zeros(len(returns))
    if earned.any():
        scaled = gradients[:, earned] / returns[earned]
        size = max(np.linalg.norm(scaled, axis=0).max(), np.finfo(float).tiny)
        stacked = np.vstack([scaled / size, np.full((1, earned.sum()), FIRM)])
        theta[earned] = nnls(stacked, np.r_[np.zeros(len(scaled)), FIRM])[0] / returns[earned]
    return np.asarray(theta / theta.sum() if theta.sum() > 0 else np.full(len(theta), 1.0 / len(theta)))
