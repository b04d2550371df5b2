"""The forward–backward pass: posteriors and expected counts of a whole set of sessions, in place, streaming.

The twin in plain numpy is ``tests/oracles/forward_backward.py``; brute force over all paths is beside it.

Three things make it fast and safe.

*No division and no logarithm per step.* α is left unnormalised; only when its sum has fallen below ``TINY`` is the
next one divided by it. Started from β_T = 1/Σα_T and divided at the same steps, the backward pass then keeps
Σ_k α_t(k) β_t(k) = 1 at every t by itself, so that the products are posteriors without further ado.

*It cannot underflow.* Every row of ``emission`` has been divided by its maximum, and the chain's probabilities
are at least ``FLOOR``; so one step shrinks Σα by no more than FLOOR/K, and β stays below K²/(FLOOR·TINY).

*K is known to the compiler.* ``intentions`` is a tuple, whose length is part of its type: loops over it unroll.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

TINY = 1e-60
FLOOR = 1e-60


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def smooth_session(  # type: ignore[no-untyped-def]
    intentions, pairs, rows, initial, bank, emission, work, scratch, initial_counts, bank_counts, counts
):
    """One session: ``work`` (T, K) receives p(z_t | session); counts are added to; the log-likelihood is returned.

    Step t emits ``emission[pairs[t]]`` (K,); z_{t-1} → z_t follows ``bank[rows[t]]`` (K, K), z_0 ``initial`` (K,).
    ``bank_counts`` lack the factor ``bank``, which the caller multiplies in once.
    """
    K = len(intentions)
    T = pairs.shape[0]
    log_likelihood = 0.0
    total = 0.0
    for k in range(K):
        work[0, k] = initial[k] * emission[pairs[0], k]
        total += work[0, k]
    for t in range(1, T):
        pair, row, previous_total = pairs[t], rows[t], total
        total = 0.0
        for k in range(K):
            predicted = 0.0
            for i in range(K):
                predicted += work[t - 1, i] * bank[row, i, k]
            work[t, k] = predicted * emission[pair, k]
            total += work[t, k]
        if previous_total < TINY:
            log_likelihood += math.log(previous_total)
            total /= previous_total
            for k in range(K):
                work[t, k] /= previous_total
    log_likelihood += math.log(total)

    backward, explained = scratch[0], scratch[1]  # β, and emission × β of the step just left
    for k in range(K):
        backward[k] = 1.0 / total
    for t in range(T - 1, 0, -1):
        pair, row, previous_total = pairs[t], rows[t], 0.0
        for k in range(K):
            posterior = work[t, k] * backward[k]
            explained[k] = emission[pair, k] * backward[k]
            counts[pair, k] += posterior
            work[t, k] = posterior
            previous_total += work[t - 1, k]
        if previous_total < TINY:
            for k in range(K):
                explained[k] /= previous_total
        for i in range(K):
            message = 0.0
            for j in range(K):
                message += bank[row, i, j] * explained[j]
                bank_counts[row, i, j] += work[t - 1, i] * explained[j]
            backward[i] = message
    for k in range(K):
        posterior = work[0, k] * backward[k]
        counts[pairs[0], k] += posterior
        initial_counts[k] += posterior
        work[0, k] = posterior
    return log_likelihood


@njit(nogil=True, cache=True, error_model="numpy")
def expected_counts(  # type: ignore[no-untyped-def]
    intentions,
    sessions,
    offsets,
    pairs,
    rows,
    initial,
    bank,
    emission,
    work,
    initial_counts,
    bank_counts,
    counts,
):
    """All sessions in the range ``sessions`` (first, last), one after another through the same ``work`` (max T, K)."""
    scratch = np.empty((2, len(intentions)))
    log_likelihood = 0.0
    for s in range(sessions[0], sessions[1]):
        first, last = offsets[s], offsets[s + 1]
        log_likelihood += smooth_session(
            intentions,
            pairs[first:last],
            rows[first:last],
            initial,
            bank,
            emission,
            work,
            scratch,
            initial_counts,
            bank_counts,
            counts,
        )
    return log_likelihood
