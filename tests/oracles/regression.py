"""Multinomial regressions in plain numpy, one step at a time."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax, softmax


def log_likely(inputs, groups, actions, weights):
    logits = np.einsum("nkaf,nf->nka", weights[groups], inputs)
    taken = np.take_along_axis(log_softmax(logits, axis=-1), np.maximum(actions, 0)[:, None, None], axis=2)[..., 0]
    return np.where(actions[:, None] >= 0, taken, 0.0)


def expected_log_likelihood(inputs, groups, actions, counts, weights):
    return float((counts * log_likely(inputs, groups, actions, weights)).sum())


def slopes_and_hessian(inputs, groups, actions, counts, weights):
    """(G, K, A, F), and (G, K, A, F, A, F), of the expected log-likelihood."""
    first, second = np.zeros(weights.shape), np.zeros((*weights.shape, *weights.shape[2:]))
    for u, g, a, n in zip(inputs, groups, actions, counts, strict=True):
        for k in range(weights.shape[1]):
            if a >= 0:
                p = softmax(weights[g, k] @ u)
                first[g, k] += n[k] * np.outer(np.eye(len(p))[a] - p, u)
                second[g, k] -= n[k] * np.einsum("ab,d,e->adbe", np.diag(p) - np.outer(p, p), u, u)
    return first, second


def tilted(weights, covariance, u, q):
    """(A,) the logarithms whose sum is the bound of E log Σ exp with this q; weights (A, F), covariance (A·F, A·F)."""
    n_actions = len(weights)
    across = np.kron(np.eye(n_actions), u)
    of_logits = across @ covariance @ across.T
    apart = np.eye(n_actions) - q
    return weights @ u + 0.5 * np.einsum("ja,ab,jb->j", apart, of_logits, apart)
