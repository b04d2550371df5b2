"""The most likely path of intentions whose durations have any distribution: all ways to cut a session into segments.

Many paths through the phases make one path of intentions, so the best of the former need not be on the latter; this
adds up the phases first. O(T² K) a session of T steps. A step that an intention cannot have done costs ``IMPOSSIBLE``.
The twin in plain Python is ``best_segments`` in ``tests/oracles/phases.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

IMPOSSIBLE = -1e12
"""More than any possible path can cost, so that a path does as few impossible steps as there can be."""
compiled = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def best_segments(pairs, log_first, log_last, log_following, log_emission, path):  # type: ignore[no-untyped-def]
    """Write the most likely path of one session into ``path`` (T,).

    ``log_first`` and ``log_last`` (2, K, D ≥ T) say how likely each intention lasts 1, 2, … steps exactly, and at
    least: the one a session begins with (times the probability to be that), and any other.
    """
    K, T = log_following.shape[0], pairs.shape[0]
    summed = np.zeros((T + 1, K))
    best, before, since = np.full((T + 1, K), -np.inf), np.full((T + 1, K), -1), np.zeros((T + 1, K), np.int64)
    entered = np.full((T + 1, K), -np.inf)  # the best path that enters j after so many steps, and where from
    for t in range(T):
        for j in range(K):
            summed[t + 1, j] = summed[t, j] + max(log_emission[pairs[t], j], IMPOSSIBLE)
    for end in range(1, T + 1):
        cut = 1 if end == T else 0  # the last segment goes on, who knows for how long
        for j in range(K):
            best[end, j] = log_first[cut, j, end - 1] + summed[end, j]
            for start in range(1, end):
                score = entered[start, j] + log_last[cut, j, end - start - 1] + (summed[end, j] - summed[start, j])
                if score > best[end, j]:
                    best[end, j], since[end, j] = score, start
        for j in range(K):
            for i in range(K):
                if best[end, i] + log_following[i, j] > entered[end, j]:
                    entered[end, j], before[end, j] = best[end, i] + log_following[i, j], i
    end, j = T, int(np.argmax(best[T]))
    while end > 0:
        start = since[end, j]
        path[start:end] = j
        end, j = start, before[start, j]


@compiled
def best_segments_of_sessions(steps, log_firsts, log_last, log_following, log_emission, path):  # type: ignore[no-untyped-def]
    """All sessions, one after another; ``log_firsts`` (R, 2, K, D) has a row for each kind of beginning."""
    offsets, pairs, begins = steps
    for s in range(offsets.shape[0] - 1):
        here = slice(offsets[s], offsets[s + 1])
        best_segments(pairs[here], log_firsts[begins[s]], log_last, log_following, log_emission, path[here])
