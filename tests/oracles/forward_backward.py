"""Plain-numpy twins of the kernels, and brute force over all paths. Slow, short and obviously right."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp


def emissions(pairs, policy):
    """(T, K) p(a_t | s_t, k), with 1 where the step is missing; policy (K, S, A)."""
    table = np.concatenate([policy.reshape(len(policy), -1), np.ones((len(policy), 1))], axis=1)
    return table[:, pairs].T


def enumerate_paths(pairs, rows, initial, bank, policy):
    """Log-likelihood, posteriors, expected transitions and the best path of one session, by summing all K^T paths."""
    e = emissions(pairs, policy)
    T, K = e.shape
    total, best, best_path = 0.0, -1.0, None
    posterior, transitions = np.zeros((T, K)), np.zeros_like(bank)
    for path in product(range(K), repeat=T):
        p = initial[path[0]] * e[0, path[0]]
        for t in range(1, T):
            p *= bank[rows[t], path[t - 1], path[t]] * e[t, path[t]]
        total += p
        posterior[np.arange(T), path] += p
        for t in range(1, T):
            transitions[rows[t], path[t - 1], path[t]] += p
        if p > best:
            best, best_path = p, path
    return np.log(total), posterior / total, transitions / total, np.array(best_path), np.log(best)


def best_intentions(phases, pairs, rows, initial, bank, policy):
    """The most likely path of intentions: that of most probability, all paths of ``phases`` (P,) with it added up."""
    e, total = emissions(pairs, policy), {}
    for path in product(range(len(phases)), repeat=len(e)):
        p = initial[path[0]] * e[0, path[0]]
        for t in range(1, len(e)):
            p *= bank[rows[t], path[t - 1], path[t]] * e[t, path[t]]
        told = tuple(phases[list(path)].tolist())
        total[told] = total.get(told, 0.0) + p
    return np.array(max(total, key=total.get))


def forward_backward(pairs, rows, initial, bank, policy):
    """The same by recursion (paper, Appendix A.2): log-likelihood, predicted, filtered and smoothed posteriors."""
    e = emissions(pairs, policy)
    T, K = e.shape
    predicted, filtered, beta = np.zeros((T, K)), np.zeros((T, K)), np.ones((T, K))
    log_likelihood = 0.0
    for t in range(T):
        predicted[t] = initial if t == 0 else filtered[t - 1] @ bank[rows[t]]
        joint = predicted[t] * e[t]
        log_likelihood += np.log(joint.sum())
        filtered[t] = joint / joint.sum()
    for t in range(T - 2, -1, -1):
        beta[t] = bank[rows[t + 1]] @ (e[t + 1] * beta[t + 1])
        beta[t] /= beta[t].sum()
    smoothed = filtered * beta
    return log_likelihood, predicted, filtered, smoothed / smoothed.sum(axis=1, keepdims=True)


class Followed(NamedTuple):
    """What :func:`log_forward_backward` finds."""

    log_likelihood: float
    predicted: np.ndarray
    filtered: np.ndarray
    smoothed: np.ndarray
    transitions: np.ndarray


def log_forward_backward(pairs, rows, initial, bank, policy):
    """Appendix A.2 in logarithms throughout, for any chain with a possible path: nothing can underflow."""
    with np.errstate(divide="ignore"):
        e, log_bank, first = np.log(emissions(pairs, policy)), np.log(bank), np.log(initial)
    T, K = e.shape
    predicted, alpha, beta = np.zeros((T, K)), np.zeros((T, K)), np.zeros((T, K))
    for t in range(T):
        predicted[t] = first if t == 0 else np.logaddexp.reduce(alpha[t - 1][:, None] + log_bank[rows[t]], axis=0)
        alpha[t] = predicted[t] + e[t]
    for t in range(T - 2, -1, -1):
        beta[t] = np.logaddexp.reduce(log_bank[rows[t + 1]] + e[t + 1] + beta[t + 1], axis=1)
    total = logsumexp(alpha[-1])
    transitions = np.zeros_like(bank)
    for t in range(1, T):
        transitions[rows[t]] += np.exp(alpha[t - 1][:, None] + log_bank[rows[t]] + e[t] + beta[t] - total)

    def shares(log_x):
        return np.exp(log_x - logsumexp(log_x, axis=1, keepdims=True))

    return Followed(total, shares(predicted), shares(alpha), np.exp(alpha + beta - total), transitions)
