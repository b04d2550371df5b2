"""Rows around their parents' rows, learned in plain numpy and scipy: the twin of ``kernels/strengths.py``."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, polygamma, psi

WEAKEST, STRONGEST, USUAL, SPREAD = 0.1, 1e4, np.log(10.0), 3.0


def evidence(s, around, counts, chance, any_chance):
    """Σ_c {Σ_a p [log Γ(s m_a + n_a/p) − log Γ(s m_a)] − P [log Γ(s + N/P) − log Γ(s)]} of one family."""
    total = counts.sum(axis=-1)
    terms = chance * (gammaln(s * around + counts / chance) - gammaln(s * around))
    return terms.sum() - (any_chance * (gammaln(s + total / any_chance) - gammaln(s))).sum()


def tables(x, counts, chance):
    """x·p·(ψ(x + n/p) − ψ(x)), and at most n."""
    met = (counts > 0) & (chance > 0)
    p = np.where(met, chance, 1.0)
    return np.where(met, np.minimum(x * p * (psi(x + counts / p) - psi(x)), counts), 0.0)


def handed_up(parents, level, strength, rows, counts, chance, any_chance):
    """Counts and chances of all nodes with the tables of their children; children are numbered after parents."""
    counts, nothing, empty = counts.copy(), 1 - chance, 1 - any_chance
    for c in range(len(parents) - 1, 0, -1):
        above = parents[c]
        x = strength[level[c]][:, None] * rows[above]
        counts[above] += tables(x, counts[c], 1 - nothing[c])
        nothing[above] *= nothing[c]
        empty[above] *= empty[c]
    return counts, 1 - nothing, 1 - empty


def handed_down(parents, level, strength, root, counts):
    rows = np.empty_like(counts)
    for c, above in enumerate(parents):
        raised = counts[c] + (root if above < 0 else strength[level[c]][:, None] * rows[above])
        rows[c] = raised / raised.sum(axis=-1, keepdims=True)
    return rows


def newton(s, around, counts, chance, any_chance):
    """The likeliest strength of one family."""
    y, n, p, m = np.log(s), counts, chance, around
    for _ in range(60):
        s = np.exp(y)
        total = n.sum(-1) / any_chance
        q = n / p
        first = (p * m * (psi(s * m + q) - psi(s * m))).sum() - (any_chance * (psi(s + total) - psi(s))).sum()
        second = (p * m**2 * (polygamma(1, s * m + q) - polygamma(1, s * m))).sum()
        second -= (any_chance * (polygamma(1, s + total) - polygamma(1, s))).sum()
        slope = s * first - (y - USUAL) / SPREAD**2
        curvature = s * first + s**2 * second - 1 / SPREAD**2
        step = -slope / curvature if curvature < 0 else np.sign(slope)
        y = np.clip(y + np.clip(step, -2, 2), np.log(WEAKEST), np.log(STRONGEST))
    return np.exp(y)


def learn(parents, level, counts, chance, any_chance, root, strength, n_sweeps=60):
    """Rows, strengths and gathered counts after so many sweeps; every count is above 0."""
    rows, gathered = handed_down(parents, level, strength, root, counts), counts
    for _ in range(n_sweeps):
        gathered, some, any_of_it = handed_up(parents, level, strength, rows, counts, chance, any_chance)
        rows, before = handed_down(parents, level, strength, root, gathered), strength
        strength = before.copy()
        for i, f in np.ndindex(*strength.shape):
            at = np.flatnonzero((level == i) & (parents >= 0))
            own = gathered[at, f], some[at, f], any_of_it[at, f]
            strength[i, f] = newton(before[i, f], rows[parents[at], f], *own)
    return rows, strength, gathered
