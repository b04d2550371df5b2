"""Inverse action-value iteration in closed form: the reward behind a policy when the world is known.

The paper's Algorithm 1 alternates, state by state, between the least-squares solution of eq. (5) and a Bellman
update until nothing changes. Its fixed point can be written down. The minimum-norm solution of eq. (5) is
r(s, ·) = μ(s, ·) − mean_a μ(s, a). Inserting μ of eq. (4) into the Bellman equation gives

    Q(s, a) = log π(a|s) − mean_b log π(b|s) + γ mean_b Σ_s' P(s, b, s') V(s'),      V = max_a Q,

in which the maximum falls on the most probable action. With h(s) = max_a log π(a|s) − mean_a log π(a|s) and
P̄ = mean_a P(·, a, ·) this is linear, V = h + γ P̄ V, so

    V = (I − γ P̄)⁻¹ h,    Q(s, a) = log π(a|s) − max_b log π(b|s) + V(s),    r = Q − γ P V.

Nothing depends on the means being uniform: with weights w(s, a) over actions in their place, the same formulae give
the reward whose weighted mean Σ_a w(s, a) r(s, a) is 0. That is the ``anchor`` of a world.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hiql.choices.choice import Evidence
from hiql.choices.table import TableChoice
from hiql.data.sizes import check_sizes
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.parts.part import FloatArray
from hiql.parts.registry import register
from hiql.rewards.preference import Preference
from hiql.worlds.linear import LinearSolver
from hiql.worlds.mdp import MDP
from hiql.worlds.possible import impossible_share


class KnownTransitions(Protocol):
    """What IAVI needs of a world; an :class:`hiql.MDP` is one, transitions counted in data another."""

    @property
    def discount(self) -> float: ...
    @property
    def anchor(self) -> FloatArray: ...
    @property
    def resolvent(self) -> LinearSolver: ...
    def expect(self, value: npt.ArrayLike) -> FloatArray: ...


def iavi(policy: npt.ArrayLike, mdp: MDP) -> Preference:
    """The reward, Q and V for which a policy (S, A), or several (K, S, A), is Boltzmann-optimal (Algorithm 1).

    All intentions share one factorisation of I − γ P̄. ``softmax(q)`` is exactly ``policy``.
    """
    policy = np.asarray(policy, dtype=np.float64)
    if policy.ndim not in (2, 3) or policy.shape[-2:] != (mdp.n_states, mdp.n_actions):
        raise ShapeMismatch(
            field="policy",
            shape=policy.shape,
            expected=f"({mdp.n_states}, {mdp.n_actions}) or (K, {mdp.n_states}, {mdp.n_actions})",
            remedy="give π(a|s) for every state and action of the world",
        )
    bad = ~((policy > 0).all(axis=-1) & (np.abs(policy.sum(axis=-1) - 1.0) < 1e-6))
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidParameter(
            parameter=f"policy[{', '.join(map(str, where))}]",
            value=policy[where].tolist(),
            remedy="make each π(·|s) positive with sum 1; a pseudo-count keeps unseen actions above 0",
        )
    return explain_policy(np.log(policy), mdp)


LOWEST = float(np.log(1e-300))
"""log π of an action that is never taken, for its reward: the true one, −inf, could not be reckoned with."""


def explain_policy(exact: FloatArray, transitions: KnownTransitions) -> Preference:
    """The closed form above, for log-policies (…, S, A). Rewards of actions with π = 0 are those of π = 1e-300."""
    log_policy = np.maximum(exact, LOWEST)
    top = log_policy.max(axis=-1)
    h = top - (transitions.anchor * log_policy).sum(axis=-1)
    value = transitions.resolvent.solve(h.reshape(-1, h.shape[-1]).T if h.ndim > 2 else h.T).T.reshape(h.shape)
    q = log_policy - top[..., None] + value[..., None]
    reward = q - transitions.discount * transitions.expect(value)
    return Preference(reward, q, value, exact)


@register
@dataclass(frozen=True, eq=False)
class IAVI:
    """Rewards by inverse action-value iteration in a known world, for choices by table.

    Parameters
    ----------
    pseudo_count : of the choice, where the model is given no other (:class:`~hiql.choices.TableChoice`)
    mdp : the world
    """

    pseudo_count: float | FloatArray = 0.1
    mdp: MDP = field(kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.mdp, MDP):
            remedy = "give an hiql.MDP or a world of hiql.worlds"
            raise InvalidParameter(parameter="mdp", value=type(self.mdp).__name__, remedy=remedy)

    @property
    def choice(self) -> TableChoice:
        return TableChoice(self.pseudo_count)

    @property
    def world(self) -> MDP:
        return self.mdp

    def check(self, data: Trajectories) -> None:
        check_sizes(data, self.mdp.n_states, self.mdp.n_actions)

    def explain(self, evidence: Evidence, log_policy: FloatArray) -> Preference:  # noqa: ARG002
        return explain_policy(log_policy, self.mdp)

    def notes(self, data: Trajectories) -> tuple[str, ...]:
        share = impossible_share(self.mdp, data)
        doubt = (
            f"{share:.1%} of the observed moves are impossible in this world: rewards and values are wrong if its "
            "states or actions are in another order than those of the data; check the transitions"
        )
        return (doubt,) if share > 0 else ()
