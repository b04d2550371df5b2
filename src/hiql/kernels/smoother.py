"""The forward–backward pass: posteriors and expected counts of a whole set of sessions, in place, streaming.

The twin in plain numpy is ``tests/oracles/forward_backward.py``; brute force over all paths is beside it.

Four things make it fast and safe. With A_t the matrix that leads into step t and e_t its emission:

*Two chains at once.* Each step of a recursion waits for the one before, and the processor idles. So the forward pass
α_t = (α_{t-1} A_t) e_t and the backward pass v_t = e_t (A_{t+1} v_{t+1}) start together, from the two ends of the
session, and meet in the middle. There they pass through each other: each goes on over the half where the other has
left its values, and turns them into posteriors.

*No division and no logarithm per step.* Where a sum of α or v has fallen below ``TINY``, the next one is multiplied
by 1/TINY, a power of two, so that nothing is rounded. Divided once, where they meet, by the likelihood, and scaled
again at the same steps, the passes keep Σ_k α_t(k) β_t(k) = 1 by themselves: the products are posteriors.

*It cannot underflow.* Every row of ``emission`` has been divided by its maximum, and the chain's probabilities are
raised to ``FLOOR``; so one step shrinks a sum by no more than FLOOR/K, and 1/TINY outweighs that. Sums before the
meeting therefore stay between TINY·FLOOR/K and K, and sums after it below K/(TINY·FLOOR²). What the floor adds to a
chain with zeros is found afterwards, and sessions where it counts are done again (:mod:`hiql.kernels.exact_smoother`).

*K is known to the compiler.* ``intentions`` is a tuple, whose length is part of its type: loops over it unroll, and
what they carry along stays in registers, several numbers in one. So does the only matrix of a bank, which is told by
``rows`` being None.
Indices are made unsigned where they are used, as numba would otherwise ask at every step whether they are negative.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hiql.kernels.compiling import packed
from hiql.kernels.registers import fma, inlined, matrix, vector

FLOOR = 1e-60
TINY = 2.0**-256
LOG_TINY = math.log(TINY)
MOST_UNROLLED = 9
"""Up to so many intentions all loops unroll. Beyond, the compiler unrolls the inner one of two loops only, and takes
several turns of the outer one at once: that one must then run along rows, or single numbers are gathered and scattered.
And products with a matrix must come in fours, as numbers written one by one and read several at once make the processor
wait (``benchmarks/growth.py`` has the curve)."""
MOST_PHASES = 100
"""Three matrices of this size fit into the stack of any thread; more phases are refused at the door."""


@inlined
def _row(rows, t):  # type: ignore[no-untyped-def]
    """The matrix that leads into step t."""
    return np.uintp(0) if rows is None else np.uintp(rows[np.uintp(t)])


@inlined
def _ahead(intentions, x, rows, t, bank, result):  # type: ignore[no-untyped-def]
    """``result`` = x A_t."""
    row, K = _row(rows, t), len(intentions)
    in_fours = K - K % 4 if K > MOST_UNROLLED else 0
    for k in range(0, in_fours, 4):
        first = second = third = fourth = 0.0
        for i in range(K):
            first = fma(x[i], bank[row, i, k], first)
            second = fma(x[i], bank[row, i, k + 1], second)
            third = fma(x[i], bank[row, i, k + 2], third)
            fourth = fma(x[i], bank[row, i, k + 3], fourth)
        result[k], result[k + 1], result[k + 2], result[k + 3] = first, second, third, fourth
    for k in range(in_fours, K):
        total = 0.0
        for i in range(K):
            total = fma(x[i], bank[row, i, k], total)
        result[k] = total


@inlined
def _back(intentions, x, rows, t, bank, turned, result):  # type: ignore[no-untyped-def]
    """``result`` = A_t x; ``turned`` is the only matrix of a bank, turned over."""
    if rows is None and len(intentions) > MOST_UNROLLED:
        _ahead(intentions, x, rows, t, turned, result)
    else:
        row = _row(rows, t)
        for i in range(len(intentions)):
            total = 0.0
            for k in range(len(intentions)):
                total = fma(bank[row, i, k], x[k], total)
            result[i] = total


@inlined
def _weigh(intentions, x, emission, pair, last_total, result):  # type: ignore[no-untyped-def]
    """``result`` = x e, scaled up if the total before this step was tiny."""
    for k in range(len(intentions)):
        result[k] = x[k] * emission[pair, k]
    if last_total < TINY:
        for k in range(len(intentions)):
            result[k] *= 1.0 / TINY


@inlined
def _store(intentions, x, work, t):  # type: ignore[no-untyped-def]
    """Write x down; its total is returned."""
    total = 0.0
    for k in range(len(intentions)):
        work[np.uintp(t), k] = x[k]
        total += x[k]
    return total


@inlined
def _load(intentions, work, t, x):  # type: ignore[no-untyped-def]
    """Read x as written down; its total is returned."""
    total = 0.0
    for k in range(len(intentions)):
        x[k] = work[np.uintp(t), k]
        total += x[k]
    return total


@inlined
def _settle(intentions, x, y, work, t, counts, pair):  # type: ignore[no-untyped-def]
    """The posterior of step t is x y."""
    for k in range(len(intentions)):
        posterior = x[k] * y[k]
        work[np.uintp(t), k] = posterior
        counts[pair, k] += posterior


@inlined
def _tally(intentions, alpha, v, rows, t, moves, bank_counts):  # type: ignore[no-untyped-def]
    """Count the transition into step t, but for the factor A_t."""
    many, row = len(intentions) > MOST_UNROLLED, _row(rows, t)
    for outer in range(len(intentions)):
        for inner in range(len(intentions)):
            i, j = (inner, outer) if many else (outer, inner)
            if rows is None:
                moves[0, i, j] = fma(alpha[i], v[j], moves[0, i, j])
            else:
                bank_counts[row, i, j] = fma(alpha[i], v[j], bank_counts[row, i, j])


@packed
@njit(nogil=True, cache=True, error_model="numpy")
def smooth_session(  # type: ignore[no-untyped-def]
    intentions, pairs, rows, begin, initial, bank, emission, work, initial_counts, bank_counts, counts
):
    """One session: ``work`` (T, K) receives p(z_t | session); counts are added to; the log-likelihood is returned.

    Step t emits ``emission[pairs[t]]`` (K,); z_{t-1} → z_t follows ``bank[rows[t]]`` (K, K), z_0 ``initial[begin]``
    (K,). ``rows`` None means that ``bank`` has one matrix. No probability of the chain is below ``FLOOR``.
    ``bank_counts`` lack the factor ``bank``, which the caller multiplies in once.
    """
    K, T, begin = len(intentions), pairs.shape[0], np.uintp(begin)
    n_left, n_right = (T + 1) // 2, T // 2
    alpha, predicted, v, beta = vector(intentions), vector(intentions), vector(intentions), vector(intentions)
    moves, only, turned = matrix(intentions), matrix(intentions), matrix(intentions)
    for i in range(K):
        for j in range(K):
            only[0, i, j] = turned[0, j, i] = bank[0, i, j]
    banked = only if rows is None else bank

    # From the ends to the middle: α of the left half and v of the right half are written down.
    for k in range(K):
        predicted[k] = initial[begin, k]
        beta[k] = 1.0
    _weigh(intentions, predicted, emission, pairs[0], 1.0, alpha)
    left_total, right_total, n_scaled = _store(intentions, alpha, work, 0), 1.0, 0
    if n_right > 0:
        _weigh(intentions, beta, emission, pairs[T - 1], 1.0, v)
        right_total = _store(intentions, v, work, T - 1)
    for left in range(1, n_left):
        n_scaled += left_total < TINY
        _ahead(intentions, alpha, rows, left, banked, predicted)
        _weigh(intentions, predicted, emission, pairs[np.uintp(left)], left_total, alpha)
        left_total = _store(intentions, alpha, work, left)
        if left < n_right:
            right = T - 1 - left
            n_scaled += right_total < TINY
            _back(intentions, v, rows, right + 1, banked, turned, beta)
            _weigh(intentions, beta, emission, pairs[np.uintp(right)], right_total, v)
            right_total = _store(intentions, v, work, right)

    # They meet: α A v is the likelihood. Divided by their totals first, the product cannot underflow.
    likelihood = 1.0
    if n_right > 0:
        for k in range(K):
            alpha[k] /= left_total
            v[k] /= right_total
        _ahead(intentions, alpha, rows, n_left, banked, predicted)
        _back(intentions, v, rows, n_left, banked, turned, beta)
        likelihood = 0.0
        for k in range(K):
            likelihood = fma(predicted[k], v[k], likelihood)
        for k in range(K):
            alpha[k] /= likelihood
            predicted[k] /= likelihood * right_total
        _tally(intentions, alpha, v, rows, n_left, moves, bank_counts)
    for k in range(K):
        beta[k] /= likelihood * left_total
    log_likelihood = math.log(likelihood * left_total) + math.log(right_total) + n_scaled * LOG_TINY

    # From the middle to the ends: what was written down becomes posteriors.
    left_alpha, right_v = vector(intentions), vector(intentions)
    _load(intentions, work, n_left - 1, left_alpha)
    _load(intentions, work, min(n_left, T - 1), right_v)
    for n in range(n_left):
        left, right = n_left - 1 - n, n_left + n
        _settle(intentions, left_alpha, beta, work, left, counts, pairs[np.uintp(left)])
        if right < T:
            _settle(intentions, predicted, right_v, work, right, counts, pairs[np.uintp(right)])
        if left > 0:
            left_total = _load(intentions, work, left - 1, left_alpha)
            _weigh(intentions, beta, emission, pairs[np.uintp(left)], left_total, v)
            _tally(intentions, left_alpha, v, rows, left, moves, bank_counts)
            _back(intentions, v, rows, left, banked, turned, beta)
        if right + 1 < T:
            right_total = _load(intentions, work, right + 1, right_v)
            _weigh(intentions, predicted, emission, pairs[np.uintp(right)], right_total, alpha)
            _tally(intentions, alpha, right_v, rows, right + 1, moves, bank_counts)
            _ahead(intentions, alpha, rows, right + 1, banked, predicted)

    for i in range(K):
        initial_counts[begin, i] += work[0, i]
        for j in range(K):
            bank_counts[0, i, j] += moves[0, i, j]
    return log_likelihood
