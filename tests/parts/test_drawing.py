"""Rows drawn from Dirichlet distributions, and walks through the weights of regressions, against what is known."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.parts.dirichlet import log_dirichlet_draw
from hiql.parts.newton_walk import Terrain, newton_walk


def test_rows_have_the_moments_of_their_dirichlet():
    rng, a = np.random.default_rng(0), np.array([0.3, 2.0, 5.0])
    rows = np.exp(log_dirichlet_draw(np.tile(a, (40_000, 1)), rng))
    np.testing.assert_allclose(rows.sum(axis=-1), 1.0, rtol=1e-12)
    mean = a / a.sum()
    np.testing.assert_allclose(rows.mean(axis=0), mean, atol=0.005)
    np.testing.assert_allclose(rows.var(axis=0), mean * (1 - mean) / (a.sum() + 1), rtol=0.05)


def test_tiny_concentrations_give_logarithms_and_no_holes():
    rows = log_dirichlet_draw(np.array([[1e-3, 1e-3, 1.0], [1e-300, 0.0, 1e-5]]), np.random.default_rng(1))
    assert np.isfinite(rows).all()
    assert rows.min() < -745  # no number for the probability itself
    np.testing.assert_allclose(np.exp(rows).sum(axis=-1), 1.0, rtol=1e-12)


def normal(mean, precision):
    def surveyed(x):
        away = x - mean
        bent = np.einsum("kij,kj->ki", precision, away)
        return Terrain(-0.5 * (away * bent).sum(axis=1), -bent, precision)

    return surveyed


def test_every_step_is_taken_where_the_density_is_normal():
    rng, n = np.random.default_rng(0), 4000
    root = rng.normal(size=(3, 3))
    precision, mean = root @ root.T + np.eye(3), rng.normal(size=3)
    x = np.zeros((n, 3))
    for _ in range(12):
        after = newton_walk(x, normal(mean, np.broadcast_to(precision, (n, 3, 3))), rng)
        assert (after != x).all()
        x = after
    cov = np.linalg.inv(precision)
    np.testing.assert_allclose(x.mean(axis=0), mean, atol=4.5 * np.sqrt(np.diag(cov).max() / n))
    np.testing.assert_allclose(np.cov(x.T), cov, atol=0.1 * np.abs(cov).max())


@pytest.mark.parametrize("trust", [1.0, 3.0])
def test_a_skewed_density_is_met_exactly(trust):
    """log p = a x − b exp(x), a log-Gamma variable; a wrong Hessian only costs refusals."""
    a, b, rng, n = 2.0, 3.0, np.random.default_rng(2), 10_000

    def surveyed(x):
        e = b * np.exp(x)
        return Terrain((a * x - e).sum(axis=1), a - e, trust * e[:, :, None])

    x = np.zeros((n, 1))
    for _ in range(60):
        x = newton_walk(x, surveyed, rng)
    g = np.exp(x)
    np.testing.assert_allclose([g.mean(), g.var()], [a / b, a / b**2], rtol=0.06)
