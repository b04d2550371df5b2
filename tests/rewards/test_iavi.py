"""IAVI: closed form = the paper's iteration; softmax(Q) = policy; dense = sparse; gauge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import softmax

import hiql
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.rewards import zero_mean_gauge
from tests.oracles.algorithms import iavi_iterated
from tests.problems import random_mdp, random_policy


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("discount", [0.0, 0.5, 0.9])
def test_closed_form_is_the_fixed_point_of_algorithm_1(seed, discount):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, n_states=5, n_actions=2 + seed, discount=discount)
    policy = random_policy(rng, 5, 2 + seed)
    reward, q = iavi_iterated(policy, mdp.transitions, discount, threshold=1e-10)
    preference = hiql.iavi(policy, mdp)
    np.testing.assert_allclose(preference.reward, reward, atol=1e-8)
    np.testing.assert_allclose(preference.q, q, atol=1e-8)


def test_the_difference_to_algorithm_1_falls_with_its_threshold():
    rng = np.random.default_rng(0)
    mdp = random_mdp(rng, n_states=6, n_actions=3)
    policy = random_policy(rng, 6, 3)
    exact = hiql.iavi(policy, mdp).q
    errors = [
        np.abs(iavi_iterated(policy, mdp.transitions, mdp.discount, threshold)[1] - exact).max()
        for threshold in (1e-2, 1e-4, 1e-8)
    ]
    assert errors[0] > 20 * errors[1] > 400 * errors[2]


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(2, 5), st.floats(0.0, 0.999))
def test_what_a_preference_promises(seed, n_states, n_actions, discount):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, n_states, n_actions, discount)
    policy = random_policy(rng, 2, n_states, n_actions)
    preference = hiql.iavi(policy, mdp)
    np.testing.assert_allclose(softmax(preference.q, axis=-1), policy, rtol=1e-9)
    np.testing.assert_allclose(preference.value, preference.q.max(axis=-1), rtol=1e-9, atol=1e-9)
    bellman = preference.reward + discount * mdp.expect(preference.value)
    np.testing.assert_allclose(preference.q, bellman, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(preference.reward.mean(axis=-1), 0.0, atol=1e-6)


def test_dense_and_sparse_worlds_agree():
    rng = np.random.default_rng(1)
    dense = random_mdp(rng, 20, 4, 0.95)
    other = hiql.MDP([sparse.csr_array(dense.transitions[:, a]) for a in range(4)], 0.95)
    policy = random_policy(rng, 3, 20, 4)
    for one, two in zip(hiql.iavi(policy, dense), hiql.iavi(policy, other), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-10)


def test_the_gauge_removes_exactly_the_potential():
    rng = np.random.default_rng(2)
    mdp = random_mdp(rng, 7, 3, 0.9)
    preference = hiql.iavi(random_policy(rng, 7, 3), mdp)
    potential = rng.normal(size=7)
    shaped = preference.reward + potential[:, None] - mdp.discount * mdp.expect(potential)
    np.testing.assert_allclose(zero_mean_gauge(shaped, mdp), preference.reward, atol=1e-10)


def test_bad_policies_are_refused_by_name():
    mdp = random_mdp(np.random.default_rng(0), 3, 2)
    with pytest.raises(InvalidParameter, match=r"policy\[1\].*pseudo-count"):
        hiql.iavi([[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]], mdp)
    with pytest.raises(InvalidParameter, match=r"policy\[2\].*sum 1"):
        hiql.iavi([[0.5, 0.5], [0.5, 0.5], [0.5, 0.6]], mdp)
    with pytest.raises(ShapeMismatch, match=r"\(2, 2\)"):
        hiql.iavi(np.full((2, 2), 0.5), mdp)
