"""Soft-optimal planning for a stack of rewards, and how the likelihood of actions changes with the rewards.

Maximum causal entropy (Ziebart 2010) lets an agent with reward r follow

    Q(s, a) = r(s, a) + γ Σ_s' P(s, a, s') V(s'),    V(s) = log Σ_a exp Q(s, a),    log π(a|s) = Q(s, a) − V(s).

Newton's method on V = log Σ exp Q is soft policy iteration: with the policy π of the current V,

    V ← (I − γ P_π)⁻¹ (r_π + H(π)),

which improves at every step and converges quadratically, whatever γ. Differentiating the fixed point gives the
exact gradient from one more solve, with the transposed matrix; nothing is unrolled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import linalg as sparse_linalg

from hiql.worlds.mdp import MDP

FloatArray = npt.NDArray[np.float64]

MOST_NEWTON_STEPS = 200
PRECISION = 1e-13
SPARSE_BELOW = 0.05
"""Share of possible transitions below which the solves are sparse (the labyrinth has 0.8 %)."""


class SoftPlan(NamedTuple):
    """The fixed point for n rewards: ``value`` V (n, S) and ``log_policy`` log π (n, S, A)."""

    value: FloatArray
    log_policy: FloatArray


class Likelihood(NamedTuple):
    """Σ counts · log π in nats, its ``gradient`` in the shape of the rewards, and the ``plan`` behind it."""

    total: float
    gradient: FloatArray
    plan: SoftPlan


class Pattern(NamedTuple):
    """The entries of a sparse (S, S) matrix, column by column: for each entry of P, ``at`` which of them it counts, and
    of which of the S·A ``pairs`` it is; those of the ``identity``, their ``rows``, and where columns begin."""

    at: npt.NDArray[np.intp]
    pairs: npt.NDArray[np.intp]
    identity: FloatArray
    rows: npt.NDArray[np.intp]
    begins: npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SoftPlanner:
    """Plans in one world for n rewards at once; the n linear systems of a Newton step are solved together."""

    mdp: MDP

    def plan(self, reward: FloatArray, start: FloatArray | None = None) -> SoftPlan:
        """The soft-optimal plans of rewards (n, S, A), or (n, S) where a reward depends on the state only.

        ``start`` (n, S) are values to begin from, such as those of similar rewards. The residual of the result
        is at most a relative 1e-13 of V.
        """
        reward = reward[..., None] if reward.ndim == 2 else reward
        value = np.zeros(reward.shape[:2]) if start is None else start
        for _ in range(MOST_NEWTON_STEPS):
            improved, log_policy = self._back_up(reward + self.mdp.discount * self._expect(value))
            change = improved - value
            if np.abs(change).max() <= PRECISION * (1.0 + np.abs(improved).max()):
                break
            # The same as (I − γ P_π)⁻¹ (r_π + H(π)), with fewer digits lost.
            value = value + self._solve(self._slopes(log_policy), change[..., None])[..., 0]
        return SoftPlan(improved, log_policy)

    def q(self, plan: SoftPlan) -> FloatArray:
        """(n, S, A) the action values Q behind a plan."""
        highest, _ = self._back_up(plan.log_policy)
        return plan.log_policy + (plan.value - highest)[..., None]

    def _back_up(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """V (n, S) and log π (n, S, A) of action values (n, S, A)."""
        return soften(q)

    def _slopes(self, log_policy: FloatArray) -> FloatArray:
        """(n, S, A) dV/dQ: how much the value of a state goes by that of each action."""
        return np.exp(log_policy)

    def likelihood(self, reward: FloatArray, counts: FloatArray, start: FloatArray | None = None) -> Likelihood:
        """Of actions counted in (n, S, A), when their agents plan for rewards (n, S, A) or (n, S)."""
        plan = self.plan(reward, start)
        gradient = self.reward_gradient(plan, counts[:, None])[:, 0]
        total = float((counts * plan.log_policy).sum())
        return Likelihood(total, gradient.sum(axis=2) if reward.ndim == 2 else gradient, plan)

    def reward_gradient(self, plan: SoftPlan, counts: FloatArray) -> FloatArray:
        """(n, k, S, A) the gradients of k sums Σ counts(s, a) log π(a|s) for each of n plans, counts (n, k, S, A).

        With c = counts − π Σ_a counts, the gradient with respect to Q, and the adjoint
        x = (I − γ P_π)⁻ᵀ γ Pᵀ c, the gradient with respect to r(s, a) is c(s, a) + π(a|s) x(s), where π stands for
        dV/dQ. For rewards of the state only, sum over actions.
        """
        surprise = counts - np.exp(plan.log_policy)[:, None] * counts.sum(axis=3, keepdims=True)
        slopes = self._slopes(plan.log_policy)
        arriving = surprise.reshape(-1, self.mdp.n_states * self.mdp.n_actions) @ self._transitions
        arriving = arriving.reshape(counts.shape[:3]).transpose(0, 2, 1)  # (n, S, k)
        adjoint = self._solve(slopes, self.mdp.discount * arriving, transposed=True).transpose(0, 2, 1)
        return surprise + slopes[:, None] * adjoint[..., None]

    @cached_property
    def _transitions(self) -> Any:
        """(S·A, S) P(s, a, s') with a row for each pair, dense or sparse."""
        n_states, n_actions = self.mdp.n_states, self.mdp.n_actions
        if self.mdp.is_sparse:
            by_action = sparse.vstack(self.mdp.transitions).tocsr()  # row a·S + s
            pairs = np.arange(n_states * n_actions).reshape(n_actions, n_states).T.ravel()
            rows = by_action[pairs]
            rows.eliminate_zeros()
            return rows
        flat = self.mdp.transitions.reshape(-1, n_states)
        return sparse.csr_array(flat) if np.count_nonzero(flat) < SPARSE_BELOW * flat.size else flat

    def _expect(self, value: FloatArray) -> FloatArray:
        """(n, S, A) Σ_s' P(s, a, s') V(s') of values (n, S)."""
        return (self._transitions @ value.T).T.reshape(len(value), self.mdp.n_states, self.mdp.n_actions)

    def _solve(self, policy: FloatArray, right: FloatArray, transposed: bool = False) -> FloatArray:
        """(n, S, k) the solutions of (I − γ P_π) x = b, or of its transpose, for policies (n, S, A), b (n, S, k)."""
        if sparse.issparse(self._transitions):
            factors: Any = sparse_linalg.splu(self._block_diagonal(policy))
            flat = right.reshape(-1, right.shape[2])
            return factors.solve(flat, trans="T" if transposed else "N").reshape(right.shape)
        under = np.matmul(policy.transpose(1, 0, 2), self.mdp.transitions).transpose(1, 0, 2)  # (n, S, S)
        matrix = np.eye(self.mdp.n_states) - self.mdp.discount * under
        return np.linalg.solve(matrix.transpose(0, 2, 1) if transposed else matrix, right)

    @cached_property
    def _pattern(self) -> Pattern:
        """Where I − γ P_π has entries, column by column; it is the same for all policies."""
        n_states, entries = self.mdp.n_states, self._transitions.tocoo()
        diagonal = np.arange(n_states) * (n_states + 1)
        places = entries.col * n_states + entries.row // self.mdp.n_actions
        filled, at = np.unique(np.r_[diagonal, places], return_inverse=True)
        identity = np.bincount(at[:n_states], minlength=len(filled)).astype(np.float64)
        begins = np.searchsorted(filled, n_states * np.arange(n_states + 1))
        return Pattern(at[n_states:], entries.row, identity, filled % n_states, begins)

    @cached_property
    def _gather(self) -> Any:
        """(entries, S·A) sparse: what makes the entries of P_π of a policy."""
        at, pairs, identity, *_ = self._pattern
        shape = len(identity), self.mdp.n_states * self.mdp.n_actions
        return sparse.csr_array((self._transitions.data, (at, pairs)), shape=shape)

    def _block_diagonal(self, policy: FloatArray) -> Any:
        """(n·S, n·S) sparse: I − γ P_π of each policy along the diagonal."""
        *_, identity, rows, begins = self._pattern
        n_plans, n_states = policy.shape[:2]
        data = identity - self.mdp.discount * (self._gather @ policy.reshape(n_plans, -1).T).T
        each = np.arange(n_plans)[:, None]  # a block
        indices = (rows + n_states * each).ravel()
        columns = np.r_[(begins[:-1] + len(identity) * each).ravel(), data.size]
        return sparse.csc_array((data.ravel(), indices, columns), shape=(n_plans * n_states,) * 2)


def soften(q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """V = log Σ_a exp Q (n, S) and log π = Q − V (n, S, A)."""
    top = q.max(axis=2, keepdims=True)
    value = top + np.log(np.exp(q - top).sum(axis=2, keepdims=True))
    return value[..., 0], q - value
