"""The regression: its moments against finite differences and plain numpy, its steps, and scikit-learn's answer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from hiql.kernels.regression import log_likely
from hiql.parts.regression import (
    Moments,
    contrasts,
    damped,
    free,
    hessian,
    known,
    log_ridge,
    moments,
    of_actions,
    symmetric,
)
from tests.oracles import regression as plain


def some_steps(n_actions=3, n_groups=2, n_intentions=2, n_steps=60, n_inputs=3, seed=0):
    rng = np.random.default_rng(seed)
    inputs = np.column_stack([rng.normal(size=(n_steps, n_inputs)), np.ones(n_steps)])
    groups = rng.integers(n_groups, size=n_steps).astype(np.uint32)
    actions = rng.integers(-1, n_actions, size=n_steps).astype(np.int32)
    counts = rng.dirichlet(np.ones(n_intentions), size=n_steps)
    weights = rng.normal(size=(n_groups, n_intentions, n_actions, n_inputs + 1))
    return inputs, groups, actions, counts, weights - weights.mean(axis=2, keepdims=True)


def found_at(inputs, groups, actions, counts, weights):
    counts = np.where(actions[:, None] >= 0, counts, 0.0)
    return moments(inputs, groups, counts, weights, of_actions(inputs, groups, actions, counts, weights.shape))


@pytest.mark.parametrize("n_actions", [2, 3])
def test_the_loops_do_what_plain_numpy_does(n_actions):
    steps = some_steps(n_actions)
    inputs, groups, actions, _, weights = steps
    result = np.empty((len(inputs), weights.shape[1]))
    log_likely(inputs, groups, actions, weights, known(weights), result)
    np.testing.assert_allclose(result, plain.log_likely(inputs, groups, actions, weights), atol=1e-12)
    first, second = plain.slopes_and_hessian(*steps)
    found = found_at(*steps)
    np.testing.assert_allclose(found.slopes, first, atol=1e-10)
    c = contrasts(n_actions)
    reduced = np.einsum("ia,gkadbe,jb->gkidje", c, -second, c).reshape(2, 2, *[4 * (n_actions - 1)] * 2)
    np.testing.assert_allclose(hessian(found.curvature, n_actions), reduced, atol=1e-10)


@pytest.mark.parametrize("n_actions", [2, 4])
def test_slopes_and_hessian_are_those_of_finite_differences(n_actions):
    inputs, groups, actions, counts, weights = some_steps(n_actions, n_groups=1, n_intentions=1)

    def objective(theta):
        return plain.expected_log_likelihood(inputs, groups, actions, counts, symmetric(theta[None, None], n_actions))

    def slopes(theta):
        return free(found_at(inputs, groups, actions, counts, symmetric(theta[None, None], n_actions)).slopes)[0, 0]

    theta = free(weights)[0, 0]
    found = found_at(inputs, groups, actions, counts, weights)
    np.testing.assert_allclose(slopes(theta), approx_fprime(theta, objective, 1e-7), atol=1e-4)
    numerical = np.array([(slopes(theta + h) - slopes(theta - h)) / 2e-5 for h in 1e-5 * np.eye(len(theta))])
    np.testing.assert_allclose(-hessian(found.curvature, n_actions)[0, 0], numerical, atol=1e-6)


def test_moments_of_parts_add_up_and_can_be_packed():
    steps = some_steps()
    whole = found_at(*steps)
    parts = [found_at(*(each[half] for each in steps[:4]), steps[4]) for half in (slice(0, 25), slice(25, None))]
    added = Moments.unpacked(parts[0].packed() + parts[1].packed(), steps[4].shape)
    for ours, theirs in zip(added, whole, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("ridge", [1e-6, 0.1, 10.0])
@pytest.mark.parametrize("start", [0.0, 5.0, 40.0])
def test_no_step_overshoots_wherever_it_begins(ridge, start):
    inputs, groups, actions, counts, weights = some_steps(3, n_groups=1, n_intentions=1, seed=1)
    inputs[:, 1] *= 20.0
    weights, precision = start * weights, np.full(4, ridge)

    def objective():
        fit = plain.expected_log_likelihood(inputs, groups, actions, counts, weights)
        return fit + log_ridge(weights, precision)

    before = objective()
    for _ in range(50):
        weights = damped(weights, found_at(inputs, groups, actions, counts, weights), precision)
        after = objective()
        assert after >= before - 1e-9 * abs(before)
        before = after
    np.testing.assert_allclose(weights.sum(axis=2), 0.0, atol=1e-9)


@pytest.mark.parametrize(("n_actions", "factor"), [(2, 2.0), (3, 1.0)])
def test_one_regression_is_scikit_learns_at_the_same_penalty(n_actions, factor):
    """λ here is 1/C there, and 2/C with two classes: for these it penalises W_1 − W_0, whose square is 2 Σ W²."""
    inputs, groups, actions, _, weights = some_steps(n_actions, 1, 1, n_steps=300)
    counts = np.random.default_rng(1).random((300, 1))
    weights, ridge = 0.0 * weights, 0.7
    for _ in range(60):
        weights = damped(weights, found_at(inputs, groups, actions, counts, weights), np.array([ridge] * 3 + [0.0]))
    kept = actions >= 0
    theirs = LogisticRegression(C=factor / ridge, tol=1e-12, max_iter=10_000)
    theirs.fit(inputs[kept, :-1], actions[kept], sample_weight=counts[kept, 0])
    w = np.column_stack([theirs.coef_, theirs.intercept_])
    w = np.concatenate([-w / 2, w / 2]) if n_actions == 2 else w - w.mean(axis=0)
    np.testing.assert_allclose(weights[0, 0], w, atol=1e-6)
