"""Paths of intentions drawn from p(path | session, parameters): forward filter, backward sample.

With the filtered φ_t(i) = p(z_t = i | steps up to t) and A_t the matrix that leads into step t,

    z_T−1 ~ φ_T−1,    p(z_t−1 = i | z_t = k, session) ∝ φ_t−1(i) A_t(i, k),

one session after another; what the path has used is counted on the way. The twin in plain numpy is
``tests/oracles/path_draws.py``.

*Zeros are zeros.* As the smoother does, the fast pass raises the chain's probabilities to ``FLOOR``, so that nothing
underflows. A path that uses a move (or start) which only the floor allows is thrown away, and the session is drawn
again in logarithms from the chain as it is, with other random numbers. Paths kept at once have the right odds among
each other, those drawn again have the right odds altogether, and so has the mixture, however often either happens.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hiql.kernels.log_smoother import log_filter_session, log_table
from hiql.kernels.smoother import FLOOR

compiled = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def _picked(weights, u):  # type: ignore[no-untyped-def]
    """The first i at which the sum of the weights (K,) exceeds u times their total; one with a weight above 0."""
    total, last = 0.0, 0
    for i in range(weights.shape[0]):
        total += weights[i]
    target = u * total
    below = 0.0
    for i in range(weights.shape[0]):
        if weights[i] > 0.0:
            below += weights[i]
            last = i
            if below > target:
                return i
    return last


@compiled
def _filter_session(begin, steps, tables, first, last, filtered):  # type: ignore[no-untyped-def]
    """φ_t into ``filtered`` (T, K) for steps ``first`` … ``last`` − 1; the log-likelihood is returned.

    A step that nothing can explain is passed over like a missing one.
    """
    (pairs, rows), (initial, bank, emission) = steps, tables
    K, log_likelihood = initial.shape[1], 0.0
    for t in range(first, last):
        n, total, before = t - first, 0.0, 0.0
        for k in range(K):
            p = 0.0
            if n == 0:
                p = max(initial[begin, k], FLOOR)
            else:
                for i in range(K):
                    p += filtered[n - 1, i] * max(bank[rows[t], i, k], FLOOR)
            filtered[n, k] = p
            before += p
            total += p * emission[pairs[t], k]
        if total > 0.0:
            for k in range(K):
                filtered[n, k] *= emission[pairs[t], k] / total
        else:
            for k in range(K):
                filtered[n, k] /= before
        log_likelihood += math.log(total)
    return log_likelihood


@compiled
def draw_sessions(steps, tables, uniforms, work, path, counted, lost):  # type: ignore[no-untyped-def]
    """A path through every session into ``path`` (N,); the sum of log-likelihoods of those not ``lost``.

    ``steps`` are the offsets of sessions, the row of the emissions that each step reads (N,), the row of ``initial``
    that each session begins with, and the matrix that leads into each step (N,); ``tables`` initial (R, K), bank
    (M, K, K) and emission (rows, K). ``uniforms`` (N,) decide; ``work`` (max T, K) is room. ``counted``, of the shapes
    of the tables, is added to. ``lost`` (n_sessions,) receives which sessions are to be drawn again; these are not
    counted.
    """
    (offsets, pairs, begins, rows), (initial, bank, _) = steps, tables
    weights, log_likelihood = np.empty(initial.shape[1]), 0.0
    for s in range(offsets.shape[0] - 1):
        first, last, begin = offsets[s], offsets[s + 1], begins[s]
        found = _filter_session(begin, (pairs, rows), tables, first, last, work)
        lost[s] = False
        path[last - 1] = _picked(work[last - 1 - first], uniforms[last - 1])
        for t in range(last - 1, first, -1):
            row, k = rows[t], path[t]
            for i in range(weights.shape[0]):
                weights[i] = work[t - 1 - first, i] * max(bank[row, i, k], FLOOR)
            path[t - 1] = _picked(weights, uniforms[t - 1])
            lost[s] |= bank[row, path[t - 1], k] < FLOOR
        lost[s] |= initial[begin, path[first]] < FLOOR
        if not lost[s]:
            log_likelihood += found
            _count(begin, (pairs, rows), first, last, path, counted)
    return log_likelihood


@compiled
def draw_lost_sessions(steps, tables, uniforms, path, counted, lost):  # type: ignore[no-untyped-def]
    """The lost sessions drawn in logarithms, and counted; the sum of their log-likelihoods."""
    (offsets, pairs, begins, rows), (initial, bank, emission) = steps, tables
    log_initial, log_bank, K, log_likelihood = log_table(initial), log_table(bank), initial.shape[1], 0.0
    weights = np.empty(K)
    for s in range(offsets.shape[0] - 1):
        if not lost[s]:
            continue
        first, last, begin = offsets[s], offsets[s + 1], begins[s]
        T = last - first
        predicted, filtered, passed_over = np.empty((T, K)), np.empty((T, K)), np.empty(T, np.bool_)
        here = (pairs[first:last], rows[first:last]), (log_initial[begin], log_bank, emission)
        log_likelihood += log_filter_session(here[0], here[1], predicted, filtered, passed_over)
        for t in range(last - 1, first - 1, -1):
            for i in range(K):
                weights[i] = filtered[t - first, i]
                if t < last - 1:
                    weights[i] += log_bank[rows[t + 1], i, path[t + 1]]
            top = weights.max()
            for i in range(K):
                weights[i] = math.exp(weights[i] - top)
            path[t] = _picked(weights, uniforms[t])
        _count(begin, (pairs, rows), first, last, path, counted)
    return log_likelihood


@compiled
def _count(begin, steps, first, last, path, counted):  # type: ignore[no-untyped-def]
    """Add what the path through one session has used."""
    (pairs, rows), (initial_counts, bank_counts, counts) = steps, counted
    initial_counts[begin, path[first]] += 1.0
    for t in range(first, last):
        counts[pairs[t], path[t]] += 1.0
        if t > first:
            bank_counts[rows[t], path[t - 1], path[t]] += 1.0
