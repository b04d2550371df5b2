"""The causal pass: what is known about the intention just before and just after each action.

Its twin in plain numpy is ``tests/oracles/forward_backward.py``.
"""

from __future__ import annotations

import math

from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def filter_sessions(steps, tables, predicted, filtered):  # type: ignore[no-untyped-def]
    """Fill ``predicted`` (N, K) with p(z_t | steps before t), ``filtered`` (N, K) with p(z_t | steps up to t).

    Returns Σ_t log p(a_t | before) in the scale of ``emission``, whose rows have maximum 1.
    """
    (offsets, pairs, begins, rows), (initial, bank, emission) = steps, tables
    K = initial.shape[1]
    log_likelihood = 0.0
    for s in range(offsets.shape[0] - 1):
        for t in range(offsets[s], offsets[s + 1]):
            total = 0.0
            for k in range(K):
                p = initial[begins[s], k]
                if t > offsets[s]:
                    p = 0.0
                    for i in range(K):
                        p += filtered[t - 1, i] * bank[rows[t], i, k]
                predicted[t, k] = p
                filtered[t, k] = p * emission[pairs[t], k]
                total += filtered[t, k]
            for k in range(K):
                filtered[t, k] /= total
            log_likelihood += math.log(total)
    return log_likelihood
