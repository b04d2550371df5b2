"""Forward–backward and filtering of one session in logarithms: slow, exact whatever the chain, zeros included.

A step that no path can reach and emit, after all steps before it, makes the session impossible: its log-likelihood is
−inf. For the posteriors such a step is passed over like a missing one, so that they are probabilities there, too:
what the other steps say. The twins in plain numpy are in ``tests/oracles/forward_backward.py``.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def log_table(table):  # type: ignore[no-untyped-def]
    """log of every entry; −inf of 0."""
    result = np.empty_like(table)
    for n in range(table.size):
        result.flat[n] = math.log(table.flat[n]) if table.flat[n] > 0.0 else -np.inf
    return result


@compiled
def _log_sum(x):  # type: ignore[no-untyped-def]
    """log Σ exp x; −inf if all are."""
    top = -np.inf
    for n in range(x.shape[0]):
        top = max(top, x[n])
    if top == -np.inf:
        return top
    total = 0.0
    for n in range(x.shape[0]):
        if x[n] > -np.inf:
            total += math.exp(x[n] - top)
    return top + math.log(total)


@compiled
def matrix_into(rows, t):  # type: ignore[no-untyped-def]
    """The matrix that leads into step t."""
    if rows is None:
        return 0
    return rows[t]


@compiled
def _log_ahead(log_x, log_matrix, room, result):  # type: ignore[no-untyped-def]
    """``result`` = log x A."""
    for k in range(log_x.shape[0]):
        for i in range(log_x.shape[0]):
            room[i] = log_x[i] + log_matrix[i, k]
        result[k] = _log_sum(room)


@compiled
def log_filter_session(steps, tables, predicted, filtered, passed_over):  # type: ignore[no-untyped-def]
    """log p(z_t | steps before t) and log p(z_t | steps up to t) into (T, K); the log-likelihood is returned.

    ``passed_over`` (T,) says which steps were. ``steps`` are ``pairs`` (T,) and ``rows`` (T,) or None; ``tables`` are
    log Π, the logarithm of the bank, and emissions (not their logarithm).
    """
    (pairs, rows), (log_initial, log_bank, emission) = steps, tables
    K, log_likelihood, room = log_initial.shape[0], 0.0, np.empty(log_initial.shape[0])
    for t in range(pairs.shape[0]):
        if t == 0:
            for k in range(K):
                predicted[0, k] = log_initial[k]
        else:
            _log_ahead(filtered[t - 1], log_bank[matrix_into(rows, t)], room, predicted[t])
        for k in range(K):
            e = emission[pairs[t], k]
            filtered[t, k] = predicted[t, k] + math.log(e) if e > 0.0 else -np.inf
        total = _log_sum(filtered[t])
        log_likelihood += total
        passed_over[t] = total == -np.inf
        for k in range(K):
            filtered[t, k] = predicted[t, k] if passed_over[t] else filtered[t, k] - total
    return log_likelihood


@compiled
def log_smooth_session(steps, tables, work, counted):  # type: ignore[no-untyped-def]
    """``work`` (T, K) receives p(z_t | session); ``counted`` (Π, bank, pairs) is added to; the log-likelihood.

    With φ_t = log p(z_t | steps up to t) and β_t = log p(steps after t | z_t), each up to a constant, the posterior of
    a step is ∝ exp(φ_t + β_t), and that of a move ∝ exp(φ_{t-1}(i) + log A_t(i, j) + log e_t(j) + β_t(j)).
    """
    (pairs, rows), (_, log_bank, emission) = steps, tables
    initial_counts, bank_counts, counts = counted
    T, K = work.shape
    predicted, filtered, passed_over = np.empty((T, K)), np.empty((T, K)), np.empty(T, np.bool_)
    log_likelihood = log_filter_session(steps, tables, predicted, filtered, passed_over)
    beta, v, joint = np.zeros(K), np.empty(K), np.empty(K)
    moves = np.empty((K, K))
    for t in range(T - 1, -1, -1):
        for k in range(K):
            joint[k] = filtered[t, k] + beta[k]
        total = _log_sum(joint)
        for k in range(K):
            work[t, k] = math.exp(joint[k] - total)
            counts[pairs[t], k] += work[t, k]
        if t > 0:
            row = matrix_into(rows, t)
            for k in range(K):
                e = 1.0 if passed_over[t] else emission[pairs[t], k]
                v[k] = beta[k] + math.log(e) if e > 0.0 else -np.inf
            for i in range(K):
                for j in range(K):
                    moves[i, j] = log_bank[row, i, j] + v[j]
                beta[i] = _log_sum(moves[i])
            for k in range(K):
                joint[k] = filtered[t - 1, k] + beta[k]
            total = _log_sum(joint)
            for i in range(K):
                for j in range(K):
                    bank_counts[row, i, j] += math.exp(filtered[t - 1, i] + moves[i, j] - total)
                beta[i] -= total
    for k in range(K):
        initial_counts[k] += work[0, k]
    return log_likelihood


@compiled
def log_filter_sessions(steps, tables, predicted, filtered):  # type: ignore[no-untyped-def]
    """As :func:`hiql.kernels.filtering.filter_sessions`, in logarithms."""
    (offsets, pairs, begins, rows), (initial, bank, emission) = steps, tables
    passed_over = np.empty(pairs.shape[0], np.bool_)
    log_initial, log_bank, log_likelihood = log_table(initial), log_table(bank), 0.0
    for s in range(offsets.shape[0] - 1):
        first, last = offsets[s], offsets[s + 1]
        log_tables = log_initial[begins[s]], log_bank, emission
        those, here = (pairs[first:last], rows[first:last]), slice(first, last)
        log_likelihood += log_filter_session(those, log_tables, predicted[here], filtered[here], passed_over[here])
    for n in range(predicted.size):
        predicted.flat[n] = math.exp(predicted.flat[n])
        filtered.flat[n] = math.exp(filtered.flat[n])
    return log_likelihood
