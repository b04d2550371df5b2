"""R̂ and effective sample sizes against sequences whose worth is known."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.engine.mixing import mixing


def autoregressive(rng, rho, n_chains, n, quantities=20):
    x = np.zeros((n_chains, n, quantities))
    x[:, 0] = rng.normal(size=(n_chains, quantities))
    for t in range(1, n):
        x[:, t] = rho * x[:, t - 1] + np.sqrt(1 - rho**2) * rng.normal(size=(n_chains, quantities))
    return x


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_draws_are_worth_what_their_correlation_says(rho):
    x = autoregressive(np.random.default_rng(0), rho, 4, 1000)
    found = mixing(x.reshape(4000, 4, 5), 4)
    assert found.worth.shape == found.r_hat.shape == (4, 5)
    assert found.worth.mean() == pytest.approx(4000 * (1 - rho) / (1 + rho), rel=0.15)
    assert found.r_hat.mean() < 1.03


def test_chains_that_tell_different_stories_are_seen():
    x = autoregressive(np.random.default_rng(1), 0.3, 4, 200)
    x[0] += 2.0
    found = mixing(x.reshape(800, -1), 4)
    assert found.r_hat.min() > 1.2
    assert found.worth.max() < 60


def test_a_chain_that_drifts_is_seen_though_it_is_alone():
    x = np.random.default_rng(2).normal(size=(1000, 1)) + np.linspace(0, 4, 1000)[:, None]
    assert mixing(x, 1).r_hat > 1.5


def test_scale_does_not_matter_and_neither_do_infinities():
    x = autoregressive(np.random.default_rng(3), 0.5, 2, 300, 1).reshape(600, 1)
    wild = np.where(x > 2.0, np.inf, np.exp(5 * x))
    assert mixing(wild, 2).worth == pytest.approx(mixing(x, 2).worth, rel=0.05)


def test_what_never_changes_is_known():
    found = mixing(np.ones((100, 3)), 4)
    assert (found.r_hat == 1.0).all()
    assert (found.worth == 100).all()
