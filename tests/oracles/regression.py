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
