"""The compiled evidence of pooled rows against scipy, finite differences and a twin in plain numpy."""

from __future__ import annotations

import numpy as np
from scipy.special import polygamma, psi

from hiql.kernels.strengths import digammas, handed_up
from hiql.priors import Tree, chance_of_any, learn
from tests.oracles import pooled as oracle

PARENTS = np.r_[-1, np.zeros(4, int), 1 + np.repeat(np.arange(4), 3)]


def test_digamma_and_trigamma_are_those_of_scipy():
    for x in np.geomspace(1e-4, 1e5, 60):
        found = digammas(x)
        np.testing.assert_allclose(found, (psi(x), polygamma(1, x)), rtol=1e-10, atol=1e-11)


def some_counts(seed, n_families=2):
    rng = np.random.default_rng(seed)
    counts = rng.gamma(0.7, 4.0, (len(PARENTS), n_families, 3)) + 1e-3
    return counts, counts.sum(axis=1, keepdims=True)


def chances(counts, visits):
    return chance_of_any(counts, visits), chance_of_any(counts.sum(-1), visits.max(-1))


def test_slopes_are_the_derivatives_of_the_evidence():
    counts, visits = some_counts(0, 1)
    chance, any_chance = chances(counts, visits)
    rows = np.random.default_rng(1).dirichlet(np.ones(3), (len(PARENTS), 1))
    star = np.where(PARENTS >= 0, 0, -1)
    order, level, free = np.arange(len(star)), np.zeros(len(star), dtype=np.int64), np.ones((1, 1), dtype=bool)
    at = rows[star[1:]], counts[1:], chance[1:], any_chance[1:]
    for s in (0.3, 5.0, 80.0):
        strength = np.array([[s]])
        told = counts.copy(), chance.copy(), any_chance.copy()
        first, second = handed_up(order, star, level, strength, free, rows, *told)
        h = 1e-4 * s
        low, middle, high = (oracle.evidence(x, *at) for x in (s - h, s, s + h))
        np.testing.assert_allclose(first[0, 0], (high - low) / (2 * h), rtol=1e-5)
        np.testing.assert_allclose(second[0, 0], (high - 2 * middle + low) / h**2, rtol=1e-3)


def test_what_is_handed_up_is_that_of_the_formula_and_nothing_where_nothing_was_counted():
    counts, visits = some_counts(2)
    counts[5:9] = 0.0
    own = chances(counts, visits)
    tree, rows = Tree.by_depth(PARENTS), np.random.default_rng(3).dirichlet(np.ones(3), (len(PARENTS), 2))
    strength = np.array([[3.0, 0.5], [20.0, 2.0]])
    found = counts.copy(), own[0].copy(), own[1].copy()
    handed_up(tree.order, tree.parent, tree.level, strength, np.ones((2, 2), dtype=bool), rows, *found)
    expected = oracle.handed_up(PARENTS, tree.level, strength, rows, counts, *own)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    np.testing.assert_array_equal(found[0][5:9], 0.0)


def test_rows_and_strengths_are_those_of_the_twin():
    counts, visits = some_counts(4)
    tree, root = Tree.by_depth(PARENTS), np.full(3, 0.1)
    found = learn(tree, counts, visits, root, np.ones((2, 2)))
    own = chances(counts, visits)
    rows, strength, _ = oracle.learn(PARENTS, tree.level, counts, *own, root, np.ones((2, 2)))
    np.testing.assert_allclose(np.log(found.strength), np.log(strength), atol=0.02)
    np.testing.assert_allclose(found.rows, rows, atol=2e-3)
