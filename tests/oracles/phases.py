"""Rows of phases in plain numpy: the twins of ``kernels/phase_smoother.py``, ``log_phases.py`` and ``segments.py``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Phases(NamedTuple):
    """What :func:`smooth_phases` finds: posteriors (T, K) and the expected counts of one session."""

    log_likelihood: float
    posterior: np.ndarray
    firsts: np.ndarray
    entries: np.ndarray
    stays: np.ndarray
    following: np.ndarray


def smooth_phases(e, first, stay, leave, entry, following):
    """The recursions of the kernel's docstring, scaled at each step, with all that it leaves out kept and counted.

    ``e`` (T, K) is how likely each step was; ``first`` (K, n) how the session begins; s, g (K,), E (K, n), Λ (K, K).
    """
    (T, K), n = e.shape, entry.shape[1]
    stays, goes = stay[:, None], leave[:, None]
    alpha, beta, scale = np.zeros((T, K, n)), np.ones((T, K, n)), np.ones(T)
    for t in range(T):
        alpha[t] = first
        if t > 0:
            entering = (alpha[t - 1, :, -1] * goes[:, 0]) @ following
            alpha[t] = stays * alpha[t - 1] + entering[:, None] * entry
            alpha[t, :, 1:] += goes * alpha[t - 1, :, :-1]
        alpha[t] *= e[t][:, None]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    entries, kept_left, followers = np.zeros((K, n)), np.zeros((K, 2)), np.zeros((K, K))
    for t in range(T - 1, 0, -1):
        v = e[t][:, None] * beta[t] / scale[t]
        leaving, worth = alpha[t - 1, :, -1] * goes[:, 0], (entry * v).sum(axis=1)
        moved = leaving[:, None] * following * worth
        advanced = (alpha[t - 1, :, :-1] * goes * v[:, 1:]).sum(axis=1)
        followers += moved
        entries += (leaving @ following)[:, None] * entry * v
        kept_left[:, 0] += (stays * alpha[t - 1] * v).sum(axis=1)
        kept_left[:, 1] += advanced + moved.sum(axis=1)
        beta[t - 1] = stays * v + goes * np.column_stack([v[:, 1:], following @ worth])
    posterior = (alpha * beta).sum(axis=2)
    return Phases(np.log(scale).sum(), posterior, alpha[0] * beta[0], entries, kept_left, followers)


def best_segments(log_e, log_first, log_last, log_following):
    """The most likely path (T,) of one session, by trying all ways to cut it into segments, and all intentions in them.

    ``log_first`` and ``log_last`` (2, K, D) are how likely each intention lasts 1, 2, … steps exactly, and at least.
    """
    T, K = log_e.shape
    best, best_path, open_paths = -np.inf, None, [((), 0.0)]
    while open_paths:
        path, score = open_paths.pop()
        start = len(path)
        if start == T and score > best:
            best, best_path = score, path
        for j in range(K):
            for end in range(start + 1, T + 1):
                lasts = (log_last if path else log_first)[int(end == T), j, end - start - 1]
                onward = log_following[path[-1], j] if path else 0.0
                more = onward + lasts + log_e[start:end, j].sum()
                if more > -np.inf:
                    open_paths.append(((*path, *[j] * (end - start)), score + more))
    return np.array(best_path)
