"""Chance, counts and the known expert, against sums done by hand."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.baselines import CountPolicy, KnownExpert, RandomPolicy, TimedCountPolicy
from hiql.errors import EmptyData, ImpossibleSession, InvalidParameter, ShapeMismatch
from tests.problems import switching_data

DATA = hiql.Trajectories.from_arrays([[0, 0, 1], [0, 1]], [[0, 1, 1], [0, -1]], n_states=2, n_actions=2)


def test_random_policy_is_chance():
    assert RandomPolicy().fit(DATA).score(DATA) == pytest.approx(4 * np.log(0.5))
    assert RandomPolicy().fit(DATA).n_free_ == 0


def test_counts():
    model = CountPolicy(pseudo_count=1.0).fit(DATA)
    np.testing.assert_allclose(model.policy_, [[[3 / 5, 2 / 5], [1 / 3, 2 / 3]]])
    assert model.n_free_ == 1


def test_timed_counts():
    model = TimedCountPolicy(pseudo_count=1.0).fit(DATA)
    assert model.policy_.shape == (3, 2, 2)
    np.testing.assert_allclose(model.policy_[0], [[3 / 4, 1 / 4], [1 / 2, 1 / 2]])
    np.testing.assert_allclose(model.policy_[1], [[1 / 3, 2 / 3], [1 / 2, 1 / 2]])
    assert model.n_free_ == 0
    longer = hiql.Trajectories.from_arrays([[1] * 5], [[1] * 5], n_states=2, n_actions=2)
    np.testing.assert_allclose(model.predict_action_proba(longer)[2:, 1], 2 / 3)


def test_counts_without_pseudo_count_say_what_they_rule_out():
    other = hiql.Trajectories.from_arrays([[1]], [[0]], n_states=2, n_actions=2)
    model = CountPolicy(pseudo_count=0).fit(DATA)
    with pytest.warns(ImpossibleSession, match=r"1 of 1 sessions .* session '0', step 0 \(state 1, action 0\)"):
        assert model.score(other) == -np.inf


def test_known_expert_is_the_ceiling():
    data, _, policy = switching_data(np.random.default_rng(0))
    expert = KnownExpert(policy).fit(data)
    steps = zip(data.intentions, data.states, data.actions, strict=True)
    assert expert.score(data) == pytest.approx(sum(np.log(policy[z, s, a]) for z, s, a in steps))
    assert expert.score(data) > CountPolicy().fit(data).score(data)


def test_known_expert_needs_intentions():
    policy = np.full((2, 2, 2), 0.5)
    with pytest.raises(EmptyData, match="no true intentions; use simulated data"):
        KnownExpert(policy).fit(DATA).score(DATA)
    unknown = hiql.Trajectories.from_arrays([[0, 1]], [[0, 1]], intentions=[[0, 2]])
    with pytest.raises(InvalidParameter, match=r"session '0', step 1, is 2; the expert knows intentions 0…1"):
        KnownExpert(policy).fit(unknown).score(unknown)


def test_bad_parameters():
    with pytest.raises(InvalidParameter, match="pseudo_count is -1"):
        CountPolicy(pseudo_count=-1).fit(DATA)
    with pytest.raises(ShapeMismatch, match="pseudo_count has shape"):
        TimedCountPolicy(pseudo_count=np.ones(3)).fit(DATA)
    with pytest.raises(ShapeMismatch, match=r"policies has shape \(2, 2\)"):
        KnownExpert(np.full((2, 2), 0.5)).fit(DATA)
    with pytest.raises(InvalidParameter, match=r"policies\[0, 1\] is \[0.5, 0.6\]"):
        KnownExpert([[[0.5, 0.5], [0.5, 0.6]]]).fit(DATA)
    nothing = hiql.Trajectories.from_arrays([[-1]], [[0]], n_states=2, n_actions=2)
    with pytest.raises(EmptyData, match="no step has both"):
        CountPolicy().fit(nothing)
