"""The paper's algorithms as printed, in plain Python."""

from __future__ import annotations

import numpy as np


def iavi_iterated(policy, transitions, discount, threshold):
    """Algorithm 1: least squares (eq. 5) and a Bellman update for every state in turn, until Q stands still."""
    n_states, m = policy.shape
    matrix = np.full((m, m), -1.0 / (m - 1))
    np.fill_diagonal(matrix, 1.0)
    reward, q = np.zeros((n_states, m)), np.zeros((n_states, m))
    while True:
        previous = q.copy()
        for s in range(n_states):
            future = np.array([discount * sum_next(transitions[s, a], q) for a in range(m)])
            mu = np.log(policy[s]) - future
            target = np.array([mu[a] - sum(mu[b] for b in range(m) if b != a) / (m - 1) for a in range(m)])
            reward[s] = np.linalg.lstsq(matrix, target, rcond=None)[0]
            q[s] = reward[s] + future
        if np.abs(q - previous).max() < threshold:
            return reward, q


def sum_next(row, q):
    """Σ_s' P(s, a, s') max_a' Q(s', a')."""
    return sum(p * q[s].max() for s, p in enumerate(row) if p > 0)


def iql_epoch_as_printed(demonstrations, weights, discount, rates, visits, shifted, reward, q):
    """Algorithm 2, one pass: every line of the inner loop, in order, on lists of (s, a, s')."""
    rate_r, rate_q, rate_sh = rates
    actions = range(q.shape[1])
    for (s, a, following), w in zip(demonstrations, weights, strict=True):
        if w == 0 or min(s, a, following) < 0:
            continue
        visits[s, a] += w
        expert = [visits[s, b] / sum(visits[s, c] for c in actions) for b in actions]
        best = max(q[following, b] for b in actions)
        shifted[s, a] = (1 - w * rate_sh) * shifted[s, a] + w * rate_sh * discount * best
        mu = [np.log(expert[b]) - shifted[s, b] for b in actions]
        others = [reward[s, b] - mu[b] for b in actions if b != a]
        reward[s, a] = (1 - w * rate_r) * reward[s, a] + w * rate_r * (mu[a] + sum(others) / len(others))
        q[s, a] = (1 - w * rate_q) * q[s, a] + w * rate_q * (reward[s, a] + discount * best)
