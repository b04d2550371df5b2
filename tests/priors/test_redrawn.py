"""Rows of a tree and strengths drawn together: the joint distribution, seen from two sides."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.parts.dirichlet import log_dirichlet_draw
from hiql.priors import Redrawn, Tree, redrawn
from hiql.priors.pooled import SPREAD, STRONGEST, USUAL, WEAKEST
from hiql.priors.redrawn import sliced

ROOT = np.full(2, 0.5)


def prior_strength(rng, shape):
    """log s ~ Normal, cut off at its bounds, by throwing away what lies outside."""
    drawn = np.full(shape, np.inf)
    while (out := (drawn > np.log(STRONGEST)) | (drawn < np.log(WEAKEST))).any():
        drawn = np.where(out, rng.normal(USUAL, SPREAD, shape), drawn)
    return np.exp(drawn)


def prior(tree, rng, n_families):
    strength = prior_strength(rng, (tree.n_levels, n_families))
    rows = np.zeros((len(tree.parent), n_families, 2))
    for depth, nodes in enumerate(tree.generations):
        above = strength[tree.level[nodes]][..., None] * np.exp(rows[tree.parent[nodes]]) if depth else 1.0 + ROOT
        rows[nodes] = log_dirichlet_draw(np.broadcast_to(above, rows[nodes].shape), rng)
    return Redrawn(rows, strength)


@pytest.mark.parametrize(
    "tree", [Tree.star(3), Tree.by_depth([3, 3, 4, 5, 5, -1])], ids=["places", "histories, with nodes between"]
)
def test_data_drawn_from_the_rows_and_rows_from_the_data_leave_the_prior_as_it_is(tree):
    """Geweke (2004): many families at once, each from the prior; counts given rows, rows given counts, in turn."""
    rng, n_families = np.random.default_rng(0), 4000
    now = prior(tree, rng, n_families)
    before = now
    for _ in range(3):
        counts = rng.binomial(6, np.exp(now.log_rows[..., 0]))[..., None]
        counts = np.concatenate([counts, 6 - counts], axis=-1).astype(np.float64)
        now = redrawn(tree, counts, 1.0 + ROOT, now, rng, rounds=1)
    levels = np.unique(tree.level[tree.parent >= 0])

    def told(drawn):
        parts = [np.log(drawn.strength[levels]), np.exp(drawn.log_rows[..., 0])]
        child = np.abs(np.exp(drawn.log_rows[0, :, 0]) - np.exp(drawn.log_rows[tree.parent[0], :, 0]))
        return np.concatenate([*parts, child[None], np.log(drawn.strength[tree.level[0]])[None] * child])

    one, other = told(before), told(now)
    for power in (1, 2):
        x, y = one**power, other**power
        z = (x.mean(axis=1) - y.mean(axis=1)) / np.sqrt((x.var(axis=1) + y.var(axis=1)) / n_families)
        assert np.abs(z).max() < 4.2
    assert (np.abs(one - other) > 1e-6).mean() > 0.9  # something has moved


def test_slices_have_the_odds_of_the_density():
    rng = np.random.default_rng(1)
    x = rng.uniform(-1.0, 2.0, 20_000)
    for _ in range(30):
        x = sliced(lambda y: 3.0 * y - np.exp(y), x, np.array([-1.0, 2.0]), rng)
    grid = np.linspace(-1.0, 2.0, 4001)
    weight = np.exp(3.0 * grid - np.exp(grid))
    assert abs(x.mean() - (grid * weight).sum() / weight.sum()) < 0.02
    assert -1.0 <= x.min() < x.max() <= 2.0


def test_rows_without_counts_lie_around_their_parents():
    rng, tree = np.random.default_rng(2), Tree.star(1)
    counts = np.zeros((2, 500, 2))
    counts[1, :, 0] = 1000.0
    now = Redrawn(np.log(np.full((2, 500, 2), 0.5)), np.full((1, 500), 1e4))
    drawn = redrawn(tree, counts, 1.0 + ROOT, now, rng)
    assert np.exp(drawn.log_rows[1, :, 0]).mean() > 0.99
    held = drawn.around(tree, ROOT)
    np.testing.assert_allclose(held[0], drawn.strength[0][:, None] * np.exp(drawn.log_rows[1]), rtol=1e-12)
    np.testing.assert_array_equal(held[1], np.broadcast_to(ROOT, (500, 2)))
