"""The compiled evidence of pooled rows against scipy and finite differences."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, polygamma, psi

from hiql.kernels.strengths import digammas, slopes, tables


def test_digamma_and_trigamma_are_those_of_scipy():
    for x in np.geomspace(1e-4, 1e5, 60):
        found = digammas(x)
        np.testing.assert_allclose(found, (psi(x), polygamma(1, x)), rtol=1e-10, atol=1e-11)


def evidence(s, around, counts, chance, any_chance):
    total = counts.sum(axis=-1)
    terms = chance * (gammaln(s * around + counts / chance) - gammaln(s * around))
    return terms.sum() - (any_chance * (gammaln(s + total / any_chance) - gammaln(s))).sum()


def test_slopes_are_the_derivatives_of_the_evidence():
    rng = np.random.default_rng(0)
    counts, around = rng.gamma(0.7, 2.0, (6, 1, 3)), rng.dirichlet(np.ones(3), (6, 1))
    chance, any_chance = 1 - np.exp(-counts), 1 - np.exp(-counts.sum(axis=-1))
    at = around, counts, chance, any_chance
    for s in (0.3, 5.0, 80.0):
        first, second = slopes(np.array([s]), *at)
        h = 1e-4 * s
        low, middle, high = (evidence(x, *at) for x in (s - h, s, s + h))
        np.testing.assert_allclose(first[0], (high - low) / (2 * h), rtol=1e-5)
        np.testing.assert_allclose(second[0], (high - 2 * middle + low) / h**2, rtol=1e-3)


def test_tables_are_those_of_the_formula_and_none_where_nothing_was_counted():
    rng = np.random.default_rng(1)
    counts, around, strength = rng.gamma(1.0, 2.0, (4, 2, 3)), rng.dirichlet(np.ones(3), (4, 2)), np.full((4, 2), 3.0)
    counts[0], chance = 0.0, 1 - np.exp(-np.maximum(counts, 1e-12))
    counts[0] = 0.0
    found = np.empty_like(counts)
    tables(strength, around, counts, chance, found)
    x = strength[..., None] * around
    np.testing.assert_allclose(found[1:], (x * chance * (psi(x + counts / chance) - psi(x)))[1:].clip(max=counts[1:]))
    assert (found[0] == 0).all()
