r"""Expectations over one entry of a Dirichlet row, and the evidence of pooled rows (docs/theory/evidence.md).

An entry m of a row Dirichlet(u) is Beta(a, b), a = u_a, b = Σu − u_a. With m = 1/(1 + e^{−y}) its density in y is
∝ m^a (1 − m)^b: smooth, with one mode, falling like e^{ay} and e^{−by}. So the trapezoidal rule between the two places
where it has fallen by e^{−DEEP} converges exponentially, also where a is 0.1 and the density of m has no bound.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True, error_model="numpy")
DEEP = 32.0
"""What lies farther out has a share of e⁻³² of the whole."""
FEWEST = 40
WIDEST = 1.0
"""Nodes are at least so many, and at most so far apart: singularities in y are π away from the real line."""


@compiled
def _log_density(y, a, b):  # type: ignore[no-untyped-def]
    """a log m + b log(1 − m)."""
    low = max(y, 0.0) + math.log1p(math.exp(-abs(y)))  # log(1 + e^y)
    return a * (y - low) - b * low


@compiled
def _end(middle, a, b, direction):  # type: ignore[no-untyped-def]
    """How far from the mode the density has fallen by e^−DEEP, on one side."""
    top, far = _log_density(middle, a, b), 1e-3
    while top - _log_density(middle + direction * far, a, b) < DEEP:
        far *= 2.0
    near = 0.5 * far
    for _ in range(6):
        between = 0.5 * (near + far)
        if top - _log_density(middle + direction * between, a, b) < DEEP:
            near = between
        else:
            far = between
    return far


@compiled
def expected_log_rise(a, b, strength, n):  # type: ignore[no-untyped-def]
    """E log Γ(s m + n) / Γ(s m) for m ~ Beta(a, b), s = ``strength``; for n < 0 E log Γ(s m). m is 1 where b is 0."""
    if not b > 0.0:
        low = math.lgamma(strength)
        return low if n < 0.0 else math.lgamma(strength + n) - low
    middle = math.log(a / b)
    left, right = _end(middle, a, b, -1.0), _end(middle, a, b, 1.0)
    n_nodes = max(FEWEST, math.ceil((left + right) / WIDEST))
    step, top = (left + right) / n_nodes, _log_density(middle, a, b)
    total = whole = 0.0
    for i in range(n_nodes + 1):
        y = middle - left + i * step
        weight = math.exp(_log_density(y, a, b) - top)
        x = strength * (1.0 / (1.0 + math.exp(-y)) if y > 0.0 else math.exp(y) / (1.0 + math.exp(y)))
        low = math.lgamma(x)
        total += weight * (low if n < 0.0 else math.lgamma(x + n) - low)
        whole += weight
    return total / whole


@compiled
def leaves_around(nodes, parent, level, counts, strength, beliefs):  # type: ignore[no-untyped-def]
    """(F,) Σ over leaves of E log B(s m + n) / B(s m), m ~ Dirichlet(the parent's ``beliefs``)."""
    result = np.zeros(counts.shape[1])
    for c in nodes:
        for f in range(counts.shape[1]):
            total = whole = 0.0
            for a in range(counts.shape[2]):
                total += counts[c, f, a]
                whole += beliefs[parent[c], f, a]
            if not total > 0.0:
                continue
            s = strength[level[c], f]
            result[f] -= math.lgamma(s + total) - math.lgamma(s)
            for a in range(counts.shape[2]):
                if counts[c, f, a] > 0.0:
                    u = beliefs[parent[c], f, a]
                    rest = 0.0
                    for other in range(counts.shape[2]):
                        rest += beliefs[parent[c], f, other] if other != a else 0.0
                    result[f] += expected_log_rise(u, rest, s, counts[c, f, a])
    return result


@compiled
def normalisers_around(nodes, parent, level, strength, beliefs):  # type: ignore[no-untyped-def]
    """(F,) Σ over nodes of −E log B(s m), m ~ Dirichlet(the parent's ``beliefs``)."""
    result = np.zeros(beliefs.shape[1])
    for c in nodes:
        for f in range(beliefs.shape[1]):
            s = strength[level[c], f]
            result[f] += math.lgamma(s)
            for a in range(beliefs.shape[2]):
                rest = 0.0
                for other in range(beliefs.shape[2]):
                    rest += beliefs[parent[c], f, other] if other != a else 0.0
                result[f] -= expected_log_rise(beliefs[parent[c], f, a], rest, s, -1.0)
    return result
