r"""Ways to plan for a reward, by name: what an action is worth, and how likely it is then taken.

All have a value V of states, values Q of actions and a policy, π(a|s) ∝ exp Q(s, a). They differ in two places:

============================  ======================  ===========================================
planner                       V(s)                    Q(s, a) − r(s, a)
============================  ======================  ===========================================
"soft"                        log Σ_a exp Q(s, a)     γ Σ_s' P(s'|s, a) V(s')
"boltzmann"                   max_a Q(s, a)           γ Σ_s' P(s'|s, a) V(s')
"linearly-solvable"           log Σ_a exp Q(s, a)     log Σ_s' P(s'|s, a) exp(γ V(s'))
============================  ======================  ===========================================

"soft" is maximum causal entropy (Ziebart 2010). "boltzmann" plans as if it were to act optimally, and then does not
(Babes et al. 2011; also what IAVI inverts). "linearly-solvable" is Todorov's (2006): with the desirability z = exp V
the equation is z(s) = Σ_a e^{r(s, a)} Σ_s' P(s'|s, a) z(s')^γ, linear in z at γ = 1 (Nguyen et al. 2015). It takes
chance for choice, and so is bold: where nothing is left to chance, it is "soft".

Each has the gradient of the likelihood from one more solve, by the implicit function theorem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg as sparse_linalg
from scipy.special import log_softmax

from hiql.worlds.mdp import MDP
from hiql.worlds.soft_planning import MOST_NEWTON_STEPS, PRECISION, FloatArray, SoftPlan, SoftPlanner, soften


@dataclass(frozen=True, eq=False)
class BoltzmannPlanner(SoftPlanner):
    """V = max Q, found by policy iteration. Where two actions are equally good the gradient is one of several."""

    def _back_up(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        return q.max(axis=2), log_softmax(q, axis=2)

    def _slopes(self, log_policy: FloatArray) -> FloatArray:
        return np.eye(log_policy.shape[2])[log_policy.argmax(axis=2)]


@dataclass(frozen=True, eq=False)
class DesirabilityPlanner(SoftPlanner):
    """Q = r + log Σ P exp(γ V), V = log Σ exp Q. Newton's method, in the world as V bends it, plan by plan."""

    def plan(self, reward: FloatArray, start: FloatArray | None = None) -> SoftPlan:
        shape = (*reward.shape[:2], self.mdp.n_actions)
        full = np.broadcast_to(reward[..., None] if reward.ndim == 2 else reward, shape)
        begin = np.zeros(shape[:2]) if start is None else start
        each = [self._plan_one(r, v) for r, v in zip(full, begin, strict=True)]
        values, log_policies = zip(*each, strict=True)
        return SoftPlan(np.stack(values), np.stack(log_policies))

    def reward_gradient(self, plan: SoftPlan, counts: FloatArray) -> FloatArray:
        surprise = counts - np.exp(plan.log_policy)[:, None] * counts.sum(axis=3, keepdims=True)
        gradients = np.empty_like(surprise)
        for i, (value, log_policy) in enumerate(zip(*plan, strict=True)):
            _, bent = self._ahead(value)
            arriving = self.mdp.discount * (bent.T @ surprise[i].reshape(len(surprise[i]), -1).T)
            adjoint = self._solver(np.exp(log_policy), bent)(arriving, True)
            gradients[i] = surprise[i] + np.exp(log_policy) * adjoint.T[..., None]
        return gradients

    def _plan_one(self, reward: FloatArray, value: FloatArray) -> tuple[FloatArray, FloatArray]:
        """V (S,) and log π (S, A) of one reward (S, A)."""
        for _ in range(MOST_NEWTON_STEPS):
            ahead, bent = self._ahead(value)
            improved, log_policy = (part[0] for part in soften((reward + ahead)[None]))
            change = improved - value
            if np.abs(change).max() <= PRECISION * (1.0 + np.abs(improved).max()):
                break
            value = value + self._solver(np.exp(log_policy), bent)(change[:, None], False)[:, 0]
        return improved, log_policy

    def _ahead(self, value: FloatArray) -> tuple[FloatArray, Any]:
        """(S, A) log Σ_s' P exp(γ V(s')), and its slopes by V over γ: P bent towards what is desired (S·A, S)."""
        bend = bent_sparse if sparse.issparse(self._transitions) else bent_dense
        ahead, bent = bend(self._transitions, self.mdp.discount * value)
        return ahead.reshape(self.mdp.n_states, self.mdp.n_actions), bent

    def _solver(self, policy: FloatArray, bent: Any) -> Callable[[FloatArray, bool], FloatArray]:
        """Solves (I − γ P_π) x = b, or its transpose, in the bent world, for b (S, k)."""
        n_states, n_actions = policy.shape
        if not sparse.issparse(bent):
            under = np.matmul(policy[:, None], bent.reshape(n_states, n_actions, n_states))[:, 0]
            dense = np.eye(n_states) - self.mdp.discount * under
            return lambda b, transposed: np.linalg.solve(dense.T if transposed else dense, b)
        at, pairs, identity, rows, begins = self._pattern
        under = np.bincount(at, weights=policy.ravel()[pairs] * bent.data, minlength=len(identity))
        entries = identity - self.mdp.discount * under
        factors: Any = sparse_linalg.splu(sparse.csc_array((entries, rows, begins), shape=(n_states, n_states)))
        return lambda b, transposed: factors.solve(b, trans="T" if transposed else "N")


def bent_dense(matrix: FloatArray, raised: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log Σ P exp(raised) for each row of P (n, S), and the shares of its terms (n, S)."""
    top = np.where(matrix > 0, raised, -np.inf).max(axis=1)
    weights = matrix * np.exp(np.minimum(raised - top[:, None], 0.0))
    total = weights.sum(axis=1)
    return top + np.log(total), weights / total[:, None]


def bent_sparse(matrix: Any, raised: FloatArray) -> tuple[FloatArray, Any]:
    """The same for a sparse P without zeros."""
    begins, sizes, here = matrix.indptr[:-1], np.diff(matrix.indptr), raised[matrix.indices]
    top = np.maximum.reduceat(here, begins)
    weights = matrix.data * np.exp(here - np.repeat(top, sizes))
    total = np.add.reduceat(weights, begins)
    shares = weights / np.repeat(total, sizes)
    return top + np.log(total), sparse.csr_array((shares, matrix.indices, matrix.indptr), shape=matrix.shape)


PLANNERS: dict[str, Callable[[MDP], SoftPlanner]] = {
    "soft": SoftPlanner,
    "boltzmann": BoltzmannPlanner,
    "linearly-solvable": DesirabilityPlanner,
}
"""What each name makes of a world."""
