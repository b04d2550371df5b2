"""Sessions of a chain that never leaves an intention: sums instead of a recursion.

With z_t = z_0 the posterior is the same at every step,

    p(z | session) ∝ Π(z) ∏_t e_t(z),

and nothing can be lost on the way. Each intention's product is kept as a number and how often it was scaled up by
1/TINY, a power of two. The twin in plain numpy is ``log_forward_backward`` in ``tests/oracles/forward_backward.py``.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types
from numba.extending import overload

from hiql.kernels.log_smoother import matrix_into
from hiql.kernels.smoother import LOG_TINY, TINY

compiled = njit(nogil=True, cache=True, error_model="numpy")


def part_of(rows, first, last):  # type: ignore[no-untyped-def]
    """Rows of a session, or None where there are none."""
    return None if rows is None else rows[first:last]


@overload(part_of, inline="always")
def _part_of(rows, first, last):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """The compiler must know which: what may be None or an array is looked at in every step, and costs six times."""
    if isinstance(rows, types.NoneType):
        return lambda rows, first, last: None  # noqa: ARG005
    return lambda rows, first, last: rows[first:last]


@compiled
def never_leaves(bank):  # type: ignore[no-untyped-def]
    """Whether every matrix of the bank (M, K, K) is the identity."""
    for m in range(bank.shape[0]):
        for i in range(bank.shape[1]):
            for j in range(bank.shape[2]):
                if bank[m, i, j] != (1.0 if i == j else 0.0):
                    return False
    return True


@compiled
def kept_session(steps, initial, emission, work, counted):  # type: ignore[no-untyped-def]
    """``work`` (T, K) receives p(z_t | session), ``counted`` is added to; the log-likelihood is returned.

    ``steps`` are ``pairs`` (T,) and ``rows`` (T,) or None. Where the result is −inf no intention could have done it
    all, and nothing else is changed.
    """
    (pairs, rows), (initial_counts, bank_counts, counts) = steps, counted
    K, T = initial.shape[0], pairs.shape[0]
    product, n_scaled = initial.copy(), np.zeros(K)
    for t in range(T):
        for k in range(K):
            product[k] *= emission[pairs[t], k]
            while 0.0 < product[k] < 1.0:  # so that one more factor, however small, leaves something
                product[k] /= TINY
                n_scaled[k] += 1.0
    share, top = np.empty(K), -np.inf
    for k in range(K):
        share[k] = math.log(product[k]) + n_scaled[k] * LOG_TINY if product[k] > 0.0 else -np.inf
        top = max(top, share[k])
    if top == -np.inf:
        return top
    total = 0.0
    for k in range(K):
        share[k] = math.exp(share[k] - top)
        total += share[k]
    for k in range(K):
        share[k] /= total
        initial_counts[k] += share[k]
    for t in range(T):
        row = matrix_into(rows, t)
        for k in range(K):
            work[t, k] = share[k]
            counts[pairs[t], k] += share[k]
            bank_counts[row, k, k] += share[k] if t > 0 else 0.0
    return top + math.log(total)


@compiled
def kept_sessions(sessions, steps, tables, work, counted, lost):  # type: ignore[no-untyped-def]
    """As :func:`hiql.kernels.exact_smoother.smooth_sessions`; those that no intention could do are marked ``lost``.

    The log-likelihood of the others, and how many are lost, are returned.
    """
    (offsets, pairs, begins, rows), (initial, _, emission) = steps, tables
    initial_counts, bank_counts, counts = counted
    log_likelihood, n_lost = 0.0, 0
    for s in range(sessions[0], sessions[1], sessions[2]):
        first, last = offsets[s], offsets[s + 1]
        at = first if work.shape[0] == pairs.shape[0] else 0
        those, here = (pairs[first:last], part_of(rows, first, last)), work[at : at + last - first]
        here_counted = initial_counts[begins[s]], bank_counts, counts
        found = kept_session(those, initial[begins[s]], emission, here, here_counted)
        lost[s] = found == -np.inf
        if lost[s]:
            n_lost += 1
        else:
            log_likelihood += found
    return log_likelihood, n_lost
