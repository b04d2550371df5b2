"""Rows pooled along a tree: what is learned from counts, whole, fractional, few, many and none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, psi

from hiql.errors import InvalidParameter
from hiql.priors import Tree, chance_of_any, first_guess, learn
from hiql.priors.pooled import SPREAD, STRONGEST, USUAL, WEAKEST

FLAT = np.full(3, 0.1)


def star_counts(rng, n, strength, per_context=8, middle=(0.6, 0.3, 0.1)):
    rows = rng.dirichlet(strength * np.array(middle), size=n)
    counts = np.array([rng.multinomial(rng.poisson(per_context), row) for row in rows], dtype=float)
    return np.concatenate([counts, np.zeros((1, 3))])[:, None]


def learned(tree, counts, visits=None, n_levels=1):
    return learn(tree, counts, counts if visits is None else visits, FLAT, np.ones((n_levels, counts.shape[1])))


@pytest.mark.parametrize("strength", [2.0, 20.0, 100.0])
def test_true_strengths_and_rows_are_found(strength):
    counts = star_counts(np.random.default_rng(0), 5000, strength, per_context=40)
    found = learned(Tree.star(5000), counts)
    assert found.strength[0, 0] == pytest.approx(strength, rel=0.12)
    np.testing.assert_allclose(found.rows[-1, 0], (0.6, 0.3, 0.1), atol=0.01)


def test_the_strength_is_where_the_evidence_is_highest():
    counts = star_counts(np.random.default_rng(1), 60, 6.0)
    found = learned(Tree.star(60), counts)
    around, n = found.rows[-1, 0], counts[:-1, 0]

    def loss(y):
        s = np.exp(y)
        terms = (gammaln(s * around + n) - gammaln(s * around)).sum() - (gammaln(s + n.sum(1)) - gammaln(s)).sum()
        return 0.5 * ((y - USUAL) / SPREAD) ** 2 - terms

    best = minimize_scalar(loss, bounds=(np.log(WEAKEST), np.log(STRONGEST)), method="bounded").x
    assert np.log(found.strength[0, 0]) == pytest.approx(best, abs=0.01)


def test_rows_are_shares_of_counts_and_of_the_parent():
    counts = star_counts(np.random.default_rng(2), 20, 5.0)
    rows, strength, pseudo_counts = learned(Tree.star(20), counts)
    np.testing.assert_allclose(pseudo_counts[:-1, 0], strength[0, 0] * np.tile(rows[-1, 0], (20, 1)), rtol=1e-9)
    raised = counts + pseudo_counts
    np.testing.assert_allclose(raised / raised.sum(-1, keepdims=True), rows, rtol=2e-2)


def test_a_hundredth_of_a_step_is_not_a_step():
    """Contexts that an intention has hardly met say next to nothing to their parent, however many they are."""
    met = star_counts(np.random.default_rng(3), 50, 5.0, middle=(0.98, 0.01, 0.01))
    hardly = np.zeros((2000, 1, 3))
    hardly[:, 0, 2] = 1e-5
    alone = learned(Tree.star(50), met)
    counts = np.concatenate([met[:-1], hardly, met[-1:]])
    visits = np.concatenate([met[:-1], np.full((2000, 1, 3), 5.0), met[-1:]])
    together = learned(Tree.star(2050), counts, visits)
    np.testing.assert_allclose(together.rows[-1], alone.rows[-1], atol=2e-3)
    x = together.strength[0, 0] * together.rows[-1, 0, 2]
    uncorrected = 2000 * x * (psi(x + 1e-5) - psi(x))
    handed_up = together.pseudo_counts[-1, 0, 2] - alone.pseudo_counts[-1, 0, 2]
    assert handed_up < 0.1 < uncorrected


def test_chances_are_those_of_binomial_draws():
    rng = np.random.default_rng(4)
    drawn = rng.binomial(7, 0.05, size=200_000)
    assert chance_of_any(np.array([7 * 0.05]), 7)[0] == pytest.approx((drawn > 0).mean(), abs=0.005)
    assert (chance_of_any(np.array([0.0, 3.0]), np.array([9.0, 3.0])) == [0.0, 1.0]).all()


def test_each_level_and_each_family_has_a_strength_of_its_own():
    rng = np.random.default_rng(5)
    middle, n_groups, n_children = np.array([0.5, 0.3, 0.2]), 300, 12
    counts = np.zeros((1 + n_groups * (1 + n_children), 2, 3))
    parent = np.r_[-1, np.zeros(n_groups, int), 1 + np.repeat(np.arange(n_groups), n_children)]
    for family, (upper, lower) in enumerate([(3.0, 40.0), (40.0, 3.0)]):
        rows = rng.dirichlet(upper * middle, n_groups)[np.repeat(np.arange(n_groups), n_children)]
        leaves = np.array([rng.multinomial(12, rng.dirichlet(lower * row + 1e-6)) for row in rows])
        counts[1 + n_groups :, family] = leaves
    found = learned(Tree.by_depth(parent), counts, n_levels=2)
    assert (np.abs(np.log(found.strength / [[3.0, 40.0], [40.0, 3.0]])) < np.log(2)).all()


def identical(n):
    return np.concatenate([np.tile([6.0, 3.0, 1.0], (n, 1)), np.zeros((1, 3))])[:, None]


@pytest.mark.parametrize(
    "counts",
    [
        np.zeros((4, 1, 3)),
        np.concatenate([[[[1.0, 0.0, 0.0]]], np.zeros((1, 1, 3))]),
        identical(1),
        identical(500),
        1e7 * identical(3),
        1e-8 * identical(3),
        np.concatenate([1e6 * np.eye(3)[:, None], np.zeros((1, 1, 3))]),
    ],
    ids=["nothing", "seen once", "one context", "identical", "many", "next to nothing", "opposite"],
)
def test_degenerate_counts_give_finite_rows_and_bounded_strengths(counts):
    found = learned(Tree.star(len(counts) - 1), counts)
    assert np.isfinite(found.pseudo_counts).all()
    assert (found.pseudo_counts >= 0).all()
    np.testing.assert_allclose(found.rows.sum(axis=-1), 1.0)
    assert ((found.strength >= WEAKEST) & (found.strength <= STRONGEST)).all()


def test_a_context_never_met_falls_to_its_parent():
    counts = star_counts(np.random.default_rng(6), 30, 5.0)
    counts[4] = 0.0
    found = learned(Tree.star(30), counts)
    np.testing.assert_allclose(found.rows[4], found.rows[-1], atol=1e-3)


def test_a_hundred_thousand_contexts():
    counts = star_counts(np.random.default_rng(7), 100_000, 8.0, per_context=2)
    assert learned(Tree.star(100_000), counts).strength[0, 0] == pytest.approx(8.0, rel=0.1)


def test_a_first_guess_has_the_average_at_the_root():
    counts = star_counts(np.random.default_rng(8), 10, 5.0)
    rows = first_guess(Tree.star(10), counts, FLAT, 1.0).rows
    np.testing.assert_allclose(rows[-1, 0], (counts.sum((0, 1)) + 0.1) / (counts.sum() + 0.3))


@pytest.mark.parametrize("parents", [[1, 0], [5, -1], [-2], []])
def test_what_is_no_tree_is_told(parents):
    with pytest.raises(InvalidParameter, match="parents"):
        Tree.by_depth(parents)
