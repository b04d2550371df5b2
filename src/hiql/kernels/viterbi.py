"""The most likely path of intentions. Its twin in plain numpy is ``tests/oracles/forward_backward.py``.

A step that no path can reach and emit is passed over like a missing one; the log-probability is then −inf.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def viterbi_session(pairs, rows, log_initial, log_bank, log_emission, path):  # type: ignore[no-untyped-def]
    """Write the most likely path of one session into ``path`` (T,) and return its log-probability."""
    K = log_initial.shape[0]
    T = pairs.shape[0]
    came_from = np.empty((T, K), dtype=np.uint16)
    best = np.empty(K)
    extended = np.empty(K)
    extended[:] = log_initial
    log_probability = _emit(extended, log_emission[pairs[0]], best)
    for t in range(1, T):
        for k in range(K):
            winner = 0
            for i in range(1, K):
                if best[i] + log_bank[rows[t], i, k] > best[winner] + log_bank[rows[t], winner, k]:
                    winner = i
            came_from[t, k] = winner
            extended[k] = best[winner] + log_bank[rows[t], winner, k]
        log_probability += _emit(extended, log_emission[pairs[t]], best)
    path[T - 1] = np.argmax(best)
    for t in range(T - 1, 0, -1):
        path[t - 1] = came_from[t, path[t]]
    return log_probability + best.max()


@njit(nogil=True, cache=True)
def _emit(log_x, log_emission, result):  # type: ignore[no-untyped-def]
    """``result`` = log x e and 0 is returned; or log x and −inf, where that would leave nothing."""
    possible = False
    for k in range(log_x.shape[0]):
        result[k] = log_x[k] + log_emission[k]
        possible = possible or result[k] > -np.inf
    if possible:
        return 0.0
    result[:] = log_x
    return -np.inf


@njit(nogil=True, cache=True)
def viterbi_sessions(steps, log_tables, path):  # type: ignore[no-untyped-def]
    """All sessions, one after another; the sum of their log-probabilities."""
    (offsets, pairs, begins, rows), (log_initial, log_bank, log_emission) = steps, log_tables
    log_probability = 0.0
    for s in range(offsets.shape[0] - 1):
        a, b = offsets[s], offsets[s + 1]
        log_probability += viterbi_session(
            pairs[a:b], rows[a:b], log_initial[begins[s]], log_bank, log_emission, path[a:b]
        )
    return log_probability
