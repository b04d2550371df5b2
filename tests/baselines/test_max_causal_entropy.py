"""Maximum causal entropy IRL recovers the agent it assumes, and reports what it could identify."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.baselines import CountPolicy, MaxCausalEntropyIRL
from hiql.errors import DataDoesNotFitModel, InvalidDiscount, InvalidParameter, ShapeMismatch
from tests.baselines.worlds import ring, soft_policy, sparse_twin, walk
from tests.problems import random_data

REWARD = np.array([0.0, 0.5, -1.0, 2.0, 0.3, -0.5])


@pytest.fixture(scope="module")
def seen():
    mdp = ring()
    return walk(mdp, [soft_policy(mdp, REWARD)], [50] * 200, np.random.default_rng(0))


@pytest.fixture(scope="module")
def fitted(seen):
    return MaxCausalEntropyIRL(mdp=ring(), l2=1e-6).fit(seen)


def test_recovers_policy_and_reward(fitted):
    np.testing.assert_allclose(fitted.policy_[0], soft_policy(ring(), REWARD), atol=0.03)
    found = fitted.reward_ - fitted.reward_.mean()
    np.testing.assert_allclose(found, REWARD - REWARD.mean(), atol=0.15)
    assert fitted.converged_
    assert fitted.notes_ == ()


def test_no_point_nearby_is_better(fitted, seen):
    """The gradient vanishes: expected and observed counts balance, up to the small penalty."""
    for shift in np.random.default_rng(1).normal(0, 0.05, (5, 6)):
        policy = soft_policy(ring(), fitted.reward_ + shift)
        assert (seen.pair_counts * np.log(policy)).sum() < fitted.log_likelihood_ + 1e-3


def test_the_sparse_world_gives_the_same_fit(fitted, seen):
    twin = MaxCausalEntropyIRL(mdp=sparse_twin(ring()), l2=1e-6).fit(seen)
    np.testing.assert_allclose(twin.log_policy_, fitted.log_policy_, atol=1e-3)


def test_state_action_rewards_can_express_any_policy(seen):
    model = MaxCausalEntropyIRL(mdp=ring(), reward="state_action", l2=1e-9).fit(seen)
    counted = CountPolicy(pseudo_count=0).fit(seen)
    assert model.reward_.shape == (6, 3)
    assert model.score(seen) == pytest.approx(counted.score(seen), abs=0.01)
    assert model.n_free_ == counted.n_free_ == 12


def test_discount_of_zero_is_a_policy_of_immediate_reward(seen):
    """With γ = 0 a reward of the state moves no choice."""
    model = MaxCausalEntropyIRL(mdp=ring(), discount=0.0).fit(seen)
    np.testing.assert_allclose(model.policy_, 1 / 3)
    assert model.n_free_ == 0


def test_features(seen, fitted):
    features = np.eye(6)[:, [3]]
    model = MaxCausalEntropyIRL(mdp=ring(), features=features).fit(seen)
    np.testing.assert_allclose(model.reward_, features @ model.coefficients_)
    assert model.coefficients_[0] > 1
    assert model.n_free_ == 1
    assert model.score(seen) < fitted.score(seen)
    by_action = MaxCausalEntropyIRL(mdp=ring(), features=features, reward="state_action").fit(seen)
    assert by_action.coefficients_.shape == (1, 3)
    assert by_action.score(seen) > model.score(seen)


def test_free_parameters_are_what_the_data_identify(fitted):
    assert fitted.n_free_ == 5  # six rewards, of which a constant changes nothing
    doubled = np.repeat(np.eye(6), 2, axis=1)
    few = random_data(np.random.default_rng(2), 6, 3, (3,), missing=0)
    assert MaxCausalEntropyIRL(mdp=ring(), features=doubled).fit(few).n_free_ <= 2


def test_a_fit_that_stops_early_says_so(seen):
    model = MaxCausalEntropyIRL(mdp=ring(), max_iter=1).fit(seen)
    assert not model.converged_
    assert "raise max_iter=1" in model.notes_[0]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"reward": "action"}, InvalidParameter, "reward is 'action'; choose one of state, state_action"),
        ({"l2": -1.0}, InvalidParameter, "l2 is -1.0; choose a number ≥ 0"),
        ({"l2": float("nan")}, InvalidParameter, "l2 is nan"),
        ({"max_iter": 0}, InvalidParameter, "max_iter is 0; choose a whole number ≥ 1"),
        ({"tol": "small"}, InvalidParameter, "tol is 'small'"),
        ({"discount": 1.0}, InvalidDiscount, "discount is 1.0"),
        ({"mdp": "maze"}, InvalidParameter, "mdp is 'str'; give an hiql.MDP"),
        ({"mdp": ring(7)}, DataDoesNotFitModel, "n_states = 6"),
        ({"features": np.ones((5, 2))}, ShapeMismatch, r"features has shape \(5, 2\) where \(6, F\)"),
        ({"features": np.full((6, 1), np.nan)}, InvalidParameter, r"features\[0\] is \[nan\]"),
    ],
)
def test_bad_parameters(seen, options, error, message):
    with pytest.raises(error, match=message):
        MaxCausalEntropyIRL(**{"mdp": ring(), **options}).fit(seen)
