"""IQL: the kernel is Algorithm 2 step by step; both methods find the expert and, up to gauge, the same reward."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

import hiql
from hiql.errors import InvalidDiscount, InvalidParameter, UnequalLengths
from hiql.kernels.inverse_q_learning import iql_epoch
from hiql.rewards import StochasticIQL, zero_mean_gauge
from tests.oracles.algorithms import iql_epoch_as_printed
from tests.problems import random_data, random_mdp, random_policy


def well_sampled(rng, mdp, policy, n_steps=200_000):
    """One long walk of an expert with the given policy."""
    states, actions = np.empty(n_steps + 1, int), np.empty(n_steps, int)
    states[0] = 0
    u = rng.random((n_steps, 2))
    act, move = policy.cumsum(axis=-1), mdp.transitions.cumsum(axis=-1)
    for t in range(n_steps):
        actions[t] = np.searchsorted(act[states[t]], u[t, 0] * act[states[t], -1])
        row = move[states[t], actions[t]]
        states[t + 1] = np.searchsorted(row, u[t, 1] * row[-1])
    return hiql.Trajectories.from_arrays([states[:-1]], [actions], [states[1:]])


@pytest.mark.parametrize("weighted", [False, True])
def test_the_kernel_is_algorithm_2_step_by_step(weighted):
    rng = np.random.default_rng(0)
    data = random_data(rng, n_states=4, n_actions=3, lengths=(60, 1, 80), missing=0.1)
    weights = rng.random(data.n_steps) * (rng.random(data.n_steps) < 0.8) if weighted else np.ones(data.n_steps)
    tables = [np.full((4, 3), 1e-6), np.zeros((4, 3)), np.zeros((4, 3)), np.zeros((4, 3))]
    printed = [table.copy() for table in tables]
    demonstrations = list(zip(data.states, data.actions, data.next_states, strict=True))
    rates = (0.1, 0.2, 0.3)
    for _ in range(3):
        order = rng.permutation(data.n_steps)
        iql_epoch(order, data.states, data.actions, data.next_states, weights, 0.9, rates, *tables)
        iql_epoch_as_printed([demonstrations[i] for i in order], weights[order], 0.9, rates, *printed)
        for ours, theirs in zip(tables, printed, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def test_both_methods_find_the_expert_and_the_same_reward_up_to_gauge():
    rng = np.random.default_rng(1)
    mdp = random_mdp(rng, n_states=5, n_actions=3, discount=0.8)
    expert = random_policy(rng, 5, 3)
    data = well_sampled(rng, mdp, expert)
    expected = hiql.iql(data, 0.8)
    stochastic = hiql.iql(data, 0.8, method="stochastic", learning_rates=(0.01, 0.01, 0.01), epochs=40)
    truth = hiql.iavi(expert, mdp)
    for preference, tolerance in ((expected, 0.02), (stochastic, 0.03)):
        np.testing.assert_allclose(softmax(preference.q, axis=1), expert, atol=tolerance)
        np.testing.assert_allclose(zero_mean_gauge(preference.reward, mdp), truth.reward, atol=0.2)


def test_expected_iql_is_iavi_in_the_counted_world():
    rng = np.random.default_rng(2)
    mdp = random_mdp(rng, 4, 2, 0.9)
    data = well_sampled(rng, mdp, random_policy(rng, 4, 2), 5_000)
    counts = np.zeros((4, 2, 4))
    np.add.at(counts, (data.states, data.actions, data.next_states), 1.0)
    world = hiql.MDP(counts / counts.sum(axis=2, keepdims=True), 0.9)
    policy = data.pair_counts + 0.1
    by_hand = hiql.iavi(policy / policy.sum(axis=1, keepdims=True), world)
    for ours, theirs in zip(hiql.iql(data, 0.9, pseudo_count=0.1), by_hand, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_actions_never_taken_pin_the_reward_as_in_algorithm_2():
    """Three states, action 2 never taken in two of them: the algorithm as printed, run out, against its fixed point."""
    rng = np.random.default_rng(6)
    mdp = random_mdp(rng, 3, 3, 0.8)
    policy = np.array([[0.6, 0.4, 0.0], [0.2, 0.8, 0.0], [0.3, 0.3, 0.4]])
    data = well_sampled(rng, mdp, policy, 20_000)
    expected = hiql.iql(data, 0.8, pseudo_count=1e-2)
    stochastic = hiql.iql(data, 0.8, pseudo_count=1e-2 * 60, method="stochastic", learning_rates=(0.02,) * 3, epochs=60)
    for state in (0, 1):
        assert expected.reward[state, 2] == pytest.approx(0.0, abs=1e-9)
        np.testing.assert_allclose(expected.reward[state], stochastic.reward[state], atol=0.3)
    np.testing.assert_allclose(softmax(expected.q, axis=1)[:, :2], softmax(stochastic.q, axis=1)[:, :2], atol=0.03)


def test_heavy_weights_do_not_make_algorithm_2_diverge():
    data = random_data(np.random.default_rng(4), lengths=(100,), missing=0.0)
    for options in ({"method": "expected"}, {"method": "stochastic", "epochs": 5}):
        for weight in (50.0, 1e-310):
            preference = hiql.iql(data, weights=np.full(100, weight), **options)
            assert all(np.isfinite(part).all() for part in preference)


def test_weights_of_zero_remove_demonstrations():
    rng = np.random.default_rng(3)
    data = random_data(rng, n_states=4, n_actions=2, lengths=(50, 50), missing=0.0)
    first = hiql.iql(data.select([0]), 0.9)
    weighted = hiql.iql(data, 0.9, weights=np.repeat([1.0, 0.0], 50))
    for one, two in zip(first, weighted, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-12)


def test_states_never_seen_get_a_uniform_policy_and_finite_values():
    data = hiql.Trajectories.from_arrays([[0, 1, 0]], [[0, 1, 0]], n_states=5, n_actions=2)
    for method in ("expected", "stochastic"):
        preference = hiql.iql(data, method=method)
        assert all(np.isfinite(part).all() for part in preference)
        np.testing.assert_allclose(np.exp(preference.log_policy[2:]), 0.5)


def test_the_visiting_order_follows_the_random_state():
    data = random_data(np.random.default_rng(4), lengths=(100,), missing=0.0)
    runs = [hiql.iql(data, method="stochastic", random_state=seed, epochs=3).q for seed in (0, 0, 1, None)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
    assert not np.array_equal(runs[0], runs[3])


def test_bad_options_are_refused_by_name():
    data = random_data(np.random.default_rng(5))
    with pytest.raises(InvalidParameter, match="method is 'magic'; choose one of expected, stochastic"):
        hiql.iql(data, method="magic")
    with pytest.raises(InvalidDiscount, match="discount is 1.0"):
        hiql.iql(data, 1.0)
    with pytest.raises(UnequalLengths, match="weights"):
        hiql.iql(data, weights=np.ones(3))
    with pytest.raises(InvalidParameter, match="learning_rates"):
        StochasticIQL(learning_rates=(0.1, 0.0, 0.1))
    with pytest.raises(InvalidParameter, match="pseudo_count"):
        hiql.iql(data, pseudo_count=-1.0)
