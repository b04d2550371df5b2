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
    """ψ(x) and ψ'(x) of a positive number: up to x ≥ 8 by recurrence, then by the asymptotic series."""
    first = second = 0.0
    while x < 8.0:
        r = 1.0 / x
        first -= r
        second += r * r
        x += 1.0
    r = 1.0 / x
    q = r * r
    first += np.log(x) - 0.5 * r - q * (1 / 12 - q * (1 / 120 - q * (1 / 252 - q * (1 / 240 - q / 132))))
    second += r + 0.5 * q + q * r * (1 / 6 - q * (1 / 30 - q * (1 / 42 - q * (1 / 30 - q * 5 / 66))))
    return first, second


@compiled
def handed_up(order, parent, level, strength, rows, counts, chance, any_chance):  # type: ignore[no-untyped-def]
    """Adds to every node's counts and chances, in place, the tables that its children's counts came from."""
    nothing, empty = 1.0 - chance, 1.0 - any_chance
    for at in range(len(order) - 1, -1, -1):
        c = order[at]
        above = parent[c]
        if above < 0:
            continue
        for f in range(counts.shape[1]):
            if not empty[c, f] < 1.0:
                continue
            s = strength[level[c], f]
            for a in range(counts.shape[2]):
                n, p, x = counts[c, f, a], 1.0 - nothing[c, f, a], s * rows[above, f, a]
                if n >= FEW and p >= FEW and x > 0.0:
                    counts[above, f, a] += min(x * p * (digammas(x + n / p)[0] - digammas(x)[0]), n)
                nothing[above, f, a] *= nothing[c, f, a]
            empty[above, f] *= empty[c, f]
    chance[:], any_chance[:] = 1.0 - nothing, 1.0 - empty


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
def all_slopes(order, parent, level, strength, active, rows, counts, chance, any_chance):  # type: ignore[no-untyped-def]
    """(L, F) twice: the first and second derivative, by each ``active`` strength s, of the evidence of its level

    Σ_c {Σ_a p [log Γ(s m_a + n_a/p) − log Γ(s m_a)] − P [log Γ(s + N/P) − log Γ(s)]}.
    """
    first, second = np.zeros(strength.shape), np.zeros(strength.shape)
    at_zero = np.empty((2, *strength.shape))
    for i in range(strength.shape[0]):
        for f in range(strength.shape[1]):
            at_zero[0, i, f], at_zero[1, i, f] = digammas(strength[i, f])
    for c in order:
        above, i = parent[c], level[c]
        if above < 0:
            continue
        for f in range(counts.shape[1]):
            whole, s, total = any_chance[c, f], strength[i, f], 0.0
            if not active[i, f] or not whole > 0.0:
                continue
            for a in range(counts.shape[2]):
                n, p, m = counts[c, f, a], chance[c, f, a], rows[above, f, a]
                total += n
                if n >= FEW and p >= FEW and m > 0.0:
                    high, low = digammas(s * m + n / p), digammas(s * m)
                    first[i, f] += p * m * (high[0] - low[0])
                    second[i, f] += p * m * m * (high[1] - low[1])
            if total >= FEW and whole >= FEW:
                high = digammas(s + total / whole)
                first[i, f] -= whole * (high[0] - at_zero[0, i, f])
                second[i, f] -= whole * (high[1] - at_zero[1, i, f])
    return first, second


@compiled
def most_likely(  # type: ignore[no-untyped-def]
    order, parent, level, start, free, rows, counts, chance, any_chance, belief, bounds, tol, most
):
    """(L, F) Newton's method on log s, each to convergence; where the evidence is not concave, a step uphill.

    Only ``free`` ones (L, F) move. ``belief`` are mean and deviation of log s, ``bounds`` its least and greatest.
    """
    y, active = np.log(start), free.copy()
    for _ in range(most):
        if not active.any():
            break
        s = np.exp(y)
        first, second = all_slopes(order, parent, level, s, active, rows, counts, chance, any_chance)
        for i in range(y.shape[0]):
            for f in range(y.shape[1]):
                if not active[i, f]:
                    continue
                slope = s[i, f] * first[i, f] - (y[i, f] - belief[0]) / belief[1] ** 2
                curvature = s[i, f] * (first[i, f] + s[i, f] * second[i, f]) - 1.0 / belief[1] ** 2
                step = -slope / curvature if curvature < 0.0 else np.sign(slope)
                after = min(max(y[i, f] + min(max(step, -2.0), 2.0), bounds[0]), bounds[1])
                active[i, f] = abs(after - y[i, f]) >= tol
                y[i, f] = after
    return np.exp(y)


@compiled
def settle(  # type: ignore[no-untyped-def]
    order, parent, level, own, chance, any_chance, root, strength, free, belief, bounds, tol, most
):
    """Rows, strengths, and gathered counts and chances, where counts up, rows down and strengths stand still.

    ``most`` is how many sweeps there are at most, and how many steps of Newton's method in each.
    """
    rows = np.empty(own.shape)
    handed_down(order, parent, level, strength, root, own, rows)
    counts, some, any_of_it = own.copy(), chance.copy(), any_chance.copy()
    for _ in range(most):
        before, weaker = rows.copy(), strength
        counts, some, any_of_it = own.copy(), chance.copy(), any_chance.copy()
        handed_up(order, parent, level, strength, rows, counts, some, any_of_it)
        handed_down(order, parent, level, strength, root, counts, rows)
        strength = most_likely(
            order, parent, level, strength, free, rows, counts, some, any_of_it, belief, bounds, tol / 10, most
        )
        if np.abs(rows - before).max() < tol and np.abs(np.log(strength / weaker)).max() < tol:
            break
    return rows, strength, counts, some, any_of_it
