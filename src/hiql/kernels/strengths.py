"""Rows around their parents' rows: counts up the tree, rows down it, and strengths (docs/theory/pooling.md).

Arrays are (n, F, A): nodes, families that share nothing, outcomes. ``order`` lists the nodes, parents first.
``tests/oracles/pooled.py`` is the twin in plain numpy.
"""

from __future__ import annotations

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True, error_model="numpy")
FEW = 1e-9
"""A count below this has come from nothing."""


@compiled
def digammas(x):  # type: ignore[no-untyped-def]
    """ψ(x) and ψ'(x) of a positive number: to x ≥ 6 by recurrence, two steps at once, then by the asymptotic series."""
    first = second = 0.0
    while x < 6.0:
        both, sum_of_both = x * (x + 1.0), 2.0 * x + 1.0
        r = 1.0 / both
        first -= sum_of_both * r
        second += (sum_of_both * sum_of_both - 2.0 * both) * r * r
        x += 2.0
    r = 1.0 / x
    q = r * r
    first += np.log(x) - 0.5 * r
    first -= q * (1 / 12 - q * (1 / 120 - q * (1 / 252 - q * (1 / 240 - q * (1 / 132 - q * (691 / 32760 - q / 12))))))
    second += r + 0.5 * q
    second += q * r * (1 / 6 - q * (1 / 30 - q * (1 / 42 - q * (1 / 30 - q * (5 / 66 - q * (691 / 2730 - q * 7 / 6))))))
    return first, second


@compiled
def handed_up(order, parent, level, strength, free, rows, counts, chance, any_chance):  # type: ignore[no-untyped-def]
    """Adds to every node's counts and chances, in place, the tables that its children's counts came from.

    On the way, (L, F) twice: the first and second derivative, by each ``free`` strength s, of the evidence of its level

    Σ_c {Σ_a p [log Γ(s m_a + n_a/p) − log Γ(s m_a)] − P [log Γ(s + N/P) − log Γ(s)]}.
    """
    nothing, empty = 1.0 - chance, 1.0 - any_chance
    first, second = np.zeros(strength.shape), np.zeros(strength.shape)
    at_zero = np.empty((2, *strength.shape))
    for i in range(strength.shape[0]):
        for f in range(strength.shape[1]):
            at_zero[0, i, f], at_zero[1, i, f] = digammas(strength[i, f])
    for at in range(len(order) - 1, -1, -1):
        c = order[at]
        above, i = parent[c], level[c]
        if above < 0:
            continue
        for f in range(counts.shape[1]):
            if not empty[c, f] < 1.0:
                continue
            s, whole, total = strength[i, f], 1.0 - empty[c, f], 0.0
            for a in range(counts.shape[2]):
                n, p, m = counts[c, f, a], 1.0 - nothing[c, f, a], rows[above, f, a]
                total += n
                if n >= FEW and p >= FEW and s * m > 0.0:
                    high, low = digammas(s * m + n / p), digammas(s * m)
                    rise = p * m * (high[0] - low[0])
                    counts[above, f, a] += min(s * rise, n)
                    first[i, f] += rise
                    second[i, f] += p * m * m * (high[1] - low[1])
                nothing[above, f, a] *= nothing[c, f, a]
            if free[i, f] and total >= FEW and whole >= FEW:
                high = digammas(s + total / whole)
                first[i, f] -= whole * (high[0] - at_zero[0, i, f])
                second[i, f] -= whole * (high[1] - at_zero[1, i, f])
            empty[above, f] *= empty[c, f]
    chance[:], any_chance[:] = 1.0 - nothing, 1.0 - empty
    return first, second


@compiled
def handed_down(order, parent, level, strength, root, counts, rows):  # type: ignore[no-untyped-def]
    """``rows``: shares of counts and of the parent's row times the strength; equal where there is neither."""
    n_outcomes = counts.shape[2]
    for c in order:
        above = parent[c]
        for f in range(counts.shape[1]):
            total = 0.0
            for a in range(n_outcomes):
                around = strength[level[c], f] * rows[above, f, a] if above >= 0 else root[a]
                rows[c, f, a] = counts[c, f, a] + around
                total += rows[c, f, a]
            for a in range(n_outcomes):
                rows[c, f, a] = rows[c, f, a] / total if total > 0.0 else 1.0 / n_outcomes


@compiled
def stepped(y, free, first, second, belief, bounds):  # type: ignore[no-untyped-def]
    """(L, F) a step of Newton's method on y = log s for each ``free`` strength; uphill where that is not concave.

    ``belief`` are mean and deviation of log s, ``bounds`` its least and greatest.
    """
    after = y.copy()
    for i in range(y.shape[0]):
        for f in range(y.shape[1]):
            if not free[i, f]:
                continue
            s = np.exp(y[i, f])
            slope = s * first[i, f] - (y[i, f] - belief[0]) / belief[1] ** 2
            curvature = s * (first[i, f] + s * second[i, f]) - 1.0 / belief[1] ** 2
            step = -slope / curvature if curvature < 0.0 else np.sign(slope)
            after[i, f] = min(max(y[i, f] + min(max(step, -2.0), 2.0), bounds[0]), bounds[1])
    return after


@compiled
def settle(  # type: ignore[no-untyped-def]
    order, parent, level, own, chance, any_chance, root, rows, strength, free, belief, bounds, tol, most
):
    """From ``rows`` and strengths on to where counts up, rows down and strengths stand still: all three, with chances.

    A sweep is one way up, which tells where strengths go, and one way down; there are at most so many. ``tol`` is how
    much a probability, and a log-strength, may still move.
    """
    rows, y = rows.copy(), np.log(strength)
    counts, some, any_of_it = own.copy(), chance.copy(), any_chance.copy()
    for _ in range(most):
        before, last = rows.copy(), y
        counts, some, any_of_it = own.copy(), chance.copy(), any_chance.copy()
        s = np.exp(y)
        first, second = handed_up(order, parent, level, s, free, rows, counts, some, any_of_it)
        handed_down(order, parent, level, s, root, counts, rows)
        y = stepped(y, free, first, second, belief, bounds)
        if np.abs(rows - before).max() < tol[0] and np.abs(y - last).max() < tol[1]:
            break
    return rows, np.exp(y), counts, some, any_of_it
