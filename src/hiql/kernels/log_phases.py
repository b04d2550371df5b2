"""Rows of phases in logarithms: slow, exact whatever the chain, zeros included.

As :mod:`hiql.kernels.log_smoother`, O(P + K²) a step, for the chain of :mod:`hiql.kernels.phase_smoother`, whose
sessions come here when they are lost there. A step that no path can reach and emit is passed over like a missing one.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hiql.kernels.log_smoother import log_table

compiled = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def log_phase_tables(tables):  # type: ignore[no-untyped-def]
    """Logarithms of stay (K,), of going on (K,), of entry (K, n) and of Λ (K, K); the emission is left as it is."""
    stay, leave, entry, following, emission = tables
    return log_table(stay), log_table(leave), log_table(entry), log_table(following), emission


@compiled
def _plus(a, b):  # type: ignore[no-untyped-def]
    """log(exp a + exp b)."""
    top, less = max(a, b), min(a, b)
    return top if less == -np.inf else top + math.log1p(math.exp(less - top))


@compiled
def _normalise(x):  # type: ignore[no-untyped-def]
    """Take the logarithm of the sum, which is returned, off all logarithms (K, n)."""
    top, total = x.max(), 0.0
    if top == -np.inf:
        return top
    for n in range(x.size):
        total += math.exp(x.flat[n] - top)
    log_total = top + math.log(total)
    for n in range(x.size):
        x.flat[n] -= log_total
    return log_total


@compiled
def _emit(predicted, emission, filtered):  # type: ignore[no-untyped-def]
    """``filtered`` ∝ predicted · emission (K,); its logarithm, or −inf if nothing is left: then emission is ignored."""
    for j in range(predicted.shape[0]):
        log_e = math.log(emission[j]) if emission[j] > 0.0 else -np.inf
        for m in range(predicted.shape[1]):
            filtered[j, m] = predicted[j, m] + log_e
    log_probability = _normalise(filtered)
    if log_probability == -np.inf:
        filtered[:] = predicted
        _normalise(filtered)
    return log_probability


@compiled
def _log_entering(before, log_tables, entering):  # type: ignore[no-untyped-def]
    """log Σ_i before(i, n) g_i Λ_ij into ``entering`` (K,)."""
    _, log_go, _, log_following, _ = log_tables
    for j in range(before.shape[0]):
        entering[j] = -np.inf
        for i in range(before.shape[0]):
            entering[j] = _plus(entering[j], before[i, -1] + log_go[i] + log_following[i, j])


@compiled
def log_filter_phases(pairs, log_first, log_tables, predicted, filtered, passed_over):  # type: ignore[no-untyped-def]
    """log p(phase_t | steps before t) and log p(phase_t | steps up to t) into (T, K, n); the log-likelihood."""
    log_stay, log_go, log_entry, _, emission = log_tables
    (K, n), log_likelihood, entering = log_first.shape, 0.0, np.empty(log_first.shape[0])
    for t in range(pairs.shape[0]):
        if t == 0:
            predicted[0] = log_first
        else:
            _log_entering(filtered[t - 1], log_tables, entering)
            for j in range(K):
                for m in range(n):
                    x = _plus(filtered[t - 1, j, m] + log_stay[j], entering[j] + log_entry[j, m])
                    predicted[t, j, m] = x if m == 0 else _plus(x, filtered[t - 1, j, m - 1] + log_go[j])
            log_likelihood += _normalise(predicted[t])  # 0 but where tables are a posterior's
        gained = _emit(predicted[t], emission[pairs[t]], filtered[t])
        passed_over[t] = gained == -np.inf
        log_likelihood += gained
    return log_likelihood


@compiled
def log_smooth_phases(pairs, log_first, log_tables, posterior, counted):  # type: ignore[no-untyped-def]
    """One session: ``posterior`` (T, K), counts added to, the log-likelihood returned.

    ``counted`` are those of beginnings and of entries (K, n), of followers (K, K), of ends (2, K), the posterior of the
    last step and its mean phase times that, and of rows (rows, K).
    """
    log_stay, log_go, log_entry, log_following, emission = log_tables
    firsts, entries, follows, ends, counts = counted
    (K, n), T = log_first.shape, pairs.shape[0]
    predicted, filtered, passed_over = np.empty((T, K, n)), np.empty((T, K, n)), np.empty(T, np.bool_)
    log_likelihood = log_filter_phases(pairs, log_first, log_tables, predicted, filtered, passed_over)
    beta, v, joint = np.zeros((K, n)), np.empty((K, n)), np.empty((K, n))
    worth, leaving = np.empty(K), np.empty(K)
    for t in range(T - 1, -1, -1):
        joint[:] = filtered[t] + beta
        log_total = _normalise(joint)
        beta -= log_total  # now filtered · beta adds up to 1
        for j in range(K):
            here = 0.0
            for m in range(n):
                share = math.exp(joint[j, m])
                here += share
                if t == 0:
                    firsts[j, m] += share
                if t == T - 1:
                    ends[1, j] += m * share
            if t == T - 1:
                ends[0, j] += here
            posterior[t, j] = here
            counts[pairs[t], j] += here
        if t > 0:
            for j in range(K):
                e = 1.0 if passed_over[t] else emission[pairs[t], j]
                log_e, worth[j] = math.log(e) if e > 0.0 else -np.inf, -np.inf
                for m in range(n):
                    v[j, m] = beta[j, m] + log_e
                    worth[j] = _plus(worth[j], log_entry[j, m] + v[j, m])
            top = -np.inf
            for i in range(K):
                leaving[i] = -np.inf
                for j in range(K):
                    leaving[i] = _plus(leaving[i], log_following[i, j] + worth[j])
                for m in range(n):
                    after = v[i, m + 1] if m + 1 < n else leaving[i]
                    beta[i, m] = _plus(log_stay[i] + v[i, m], log_go[i] + after)
                    top = max(top, beta[i, m] + filtered[t - 1, i, m])
            scale = 0.0
            for i in range(K):
                for m in range(n):
                    scale += math.exp(filtered[t - 1, i, m] + beta[i, m] - top)
            scale = top + math.log(scale)
            for i in range(K):
                for j in range(K):
                    onward = filtered[t - 1, i, n - 1] + log_go[i] + log_following[i, j] - scale
                    follows[i, j] += math.exp(onward + worth[j])
                    for m in range(n):
                        entries[j, m] += math.exp(onward + log_entry[j, m] + v[j, m])
    return log_likelihood


@compiled
def log_filter_phase_sessions(steps, firsts, tables, predicted, filtered):  # type: ignore[no-untyped-def]
    """Fill ``predicted`` and ``filtered`` (N, K, n) with probabilities, for all sessions."""
    offsets, pairs, begins = steps
    log_tables, log_firsts = log_phase_tables(tables), log_table(firsts)
    passed_over, log_likelihood = np.empty(pairs.shape[0], np.bool_), 0.0
    for s in range(offsets.shape[0] - 1):
        here = slice(offsets[s], offsets[s + 1])
        log_likelihood += log_filter_phases(
            pairs[here], log_firsts[begins[s]], log_tables, predicted[here], filtered[here], passed_over[here]
        )
    for n in range(predicted.size):
        predicted.flat[n] = math.exp(predicted.flat[n])
        filtered.flat[n] = math.exp(filtered.flat[n])
    return log_likelihood
