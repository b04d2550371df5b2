"""The slopes of the evidence of pooled rows, and the tables that their counts came from (docs/theory/pooling.md)."""

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
def tables(strength, around, counts, chance, result):  # type: ignore[no-untyped-def]
    """``result`` (n, F, A): x·p·(ψ(x + n/p) − ψ(x)) for x = strength (n, F) · around (n, F, A) and p = P(n > 0)."""
    for c in range(counts.shape[0]):
        for f in range(counts.shape[1]):
            for a in range(counts.shape[2]):
                n, p, x = counts[c, f, a], chance[c, f, a], strength[c, f] * around[c, f, a]
                if n < FEW or p < FEW or not x > 0.0:
                    result[c, f, a] = 0.0
                else:
                    result[c, f, a] = min(x * p * (digammas(x + n / p)[0] - digammas(x)[0]), n)


@compiled
def slopes(strength, around, counts, chance, any_chance):  # type: ignore[no-untyped-def]
    """(F,) twice: the first and second derivative, by each family's strength s, of its evidence

    Σ_c {Σ_a p [log Γ(s m_a + n_a/p) − log Γ(s m_a)] − P [log Γ(s + N/P) − log Γ(s)]}.
    """
    first, second = np.zeros(strength.shape[0]), np.zeros(strength.shape[0])
    for c in range(counts.shape[0]):
        for f in range(counts.shape[1]):
            total, whole, s = 0.0, any_chance[c, f], strength[f]
            for a in range(counts.shape[2]):
                n, p, m = counts[c, f, a], chance[c, f, a], around[c, f, a]
                total += n
                if n < FEW or p < FEW or not m > 0.0:
                    continue
                high, low = digammas(s * m + n / p), digammas(s * m)
                first[f] += p * m * (high[0] - low[0])
                second[f] += p * m * m * (high[1] - low[1])
            if total >= FEW and whole >= FEW:
                high, low = digammas(s + total / whole), digammas(s)
                first[f] -= whole * (high[0] - low[0])
                second[f] -= whole * (high[1] - low[1])
    return first, second
