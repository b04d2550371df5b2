"""Chains and policies with zeros: exact answers, judged by enumeration of all paths and by sums in logarithms."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from tests.kernels.plain import Chain, causal, expect, most_likely_path, smooth
from tests.oracles.forward_backward import emissions, enumerate_paths, log_forward_backward
from tests.problems import random_data, random_policy

KINDS = ("identity", "absorbing", "left to right", "cycle", "sparse")


def matrix(kind, rng, n_intentions):
    """A transition matrix with structural zeros."""
    allowed = {
        "identity": np.eye(n_intentions),
        "absorbing": np.vstack([np.ones((n_intentions - 1, n_intentions)), np.eye(n_intentions)[-1]]),
        "left to right": np.triu(np.ones((n_intentions, n_intentions))),
        "cycle": np.roll(np.eye(n_intentions), 1, axis=1),
        "sparse": np.maximum(np.eye(n_intentions), rng.random((n_intentions, n_intentions)) < 0.4),
    }[kind]
    weights = allowed * rng.random((n_intentions, n_intentions))
    return weights / weights.sum(axis=1, keepdims=True)


def chain_of(kind, rng, data, n_intentions, n_rows, initial):
    bank = np.stack([matrix(kind, rng, n_intentions) for _ in range(n_rows)])
    rows = rng.integers(n_rows, size=data.n_steps).astype(np.uint32)
    return Chain(initial, bank, rows, np.arange(n_intentions))


def policy_with_zeros(rng, n_intentions, n_states, n_actions):
    """Every action is possible for some intention."""
    policy = random_policy(rng, n_intentions, n_states, n_actions)
    policy[:, :, 1:][rng.random(policy[:, :, 1:].shape) < 0.4] = 0.0
    policy[0] = np.maximum(policy[0], 0.1)
    return policy / policy.sum(axis=-1, keepdims=True)


def logs(policy):
    with np.errstate(divide="ignore"):
        return np.log(policy)


def by_session(data, chain, policy, oracle):
    sessions = [data.session(i) for i in range(data.n_sessions)]
    return [oracle(data.pairs[at], chain.rows[at], chain.initial, chain.bank, policy) for at in sessions]


def assert_exact(data, chain, policy, atol=1e-11):
    """Every routine against sums in logarithms."""
    truth = by_session(data, chain, policy, log_forward_backward)
    result, posterior = expect(data, chain, logs(policy)), smooth(data, chain, logs(policy))
    predicted, filtered = causal(data, chain, logs(policy))
    assert result.log_likelihood == pytest.approx(sum(t.log_likelihood for t in truth), rel=1e-12, abs=1e-12)
    for found, name in ((posterior, "smoothed"), (predicted, "predicted"), (filtered, "filtered")):
        np.testing.assert_allclose(found, np.concatenate([getattr(t, name) for t in truth]), atol=atol, err_msg=name)
    np.testing.assert_allclose(result.chain.transitions, sum(t.transitions for t in truth), atol=atol * data.n_steps)
    np.testing.assert_array_equal(result.chain.transitions[chain.bank == 0], 0.0)
    np.testing.assert_array_equal(result.chain.initial[chain.initial == 0], 0.0)
    assert result.actions.sum() == pytest.approx(data.n_observed, rel=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_intentions", [2, 3])
@pytest.mark.parametrize("n_rows", [1, 3])
def test_short_sessions_agree_with_enumeration_of_all_paths(kind, n_intentions, n_rows):
    rng = np.random.default_rng([n_intentions, n_rows, KINDS.index(kind)])
    data = random_data(rng, lengths=(5, 1, 2, 6), missing=0.2)
    initial = np.append(rng.dirichlet(np.ones(n_intentions - 1)), 0.0) if n_intentions > 2 else np.array([0.3, 0.7])
    chain = chain_of(kind, rng, data, n_intentions, n_rows, initial)
    for policy in (
        policy_with_zeros(rng, n_intentions, data.n_states, data.n_actions),
        random_policy(rng, n_intentions, data.n_states, data.n_actions),
    ):
        sessions = [data.select([i]) for i in range(data.n_sessions)]
        for one, at in zip(sessions, map(data.session, range(data.n_sessions)), strict=True):
            alone = chain._replace(rows=chain.rows[at])
            with np.errstate(divide="ignore", invalid="ignore"):
                truth = enumerate_paths(one.pairs, alone.rows, alone.initial, alone.bank, policy)
            result = expect(one, alone, logs(policy))
            assert result.log_likelihood == pytest.approx(truth[0], rel=1e-12)
            if truth[0] > -np.inf:
                np.testing.assert_allclose(smooth(one, alone, logs(policy)), truth[1], atol=1e-12)
                np.testing.assert_allclose(result.chain.transitions, truth[2], atol=1e-12)
                path = most_likely_path(one, alone, logs(policy))
                assert log_probability(path, one, alone, policy) == pytest.approx(truth[4], rel=1e-12)


def log_probability(path, data, chain, policy):
    e = emissions(data.pairs, policy)[np.arange(len(path)), path]
    moves = chain.bank[chain.rows[1:], path[:-1], path[1:]]
    return np.log(np.concatenate([[chain.initial[path[0]]], moves, e])).sum()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_rows", [1, 5])
def test_sessions_of_any_length_with_unlike_parts(kind, n_rows):
    """Halves, thirds and quarters that speak for different intentions: what was lost early decides late."""
    rng = np.random.default_rng([n_rows, KINDS.index(kind)])
    policy = np.array([[[0.9, 0.1]], [[0.1, 0.9]], [[0.5, 0.5]]])
    lengths = (1, 2, 3, 40, 599, 600, 601, 1200, 2000)
    actions = [(np.arange(n) * parts // n + (rng.random(n) < 0.05)) % 2 for n in lengths for parts in (1, 2, 3, 4)]
    data = hiql.Trajectories.from_arrays([np.zeros(len(a), int) for a in actions], actions, n_actions=2)
    chain = chain_of(kind, rng, data, 3, n_rows, np.array([0.5, 0.3, 0.2]))
    assert_exact(data, chain, policy)


def test_both_ends_lose_what_the_middle_decides():
    """Each of the two passes forgets the right intention before they meet: no product vanishes, yet all is wrong."""
    actions = np.repeat([0, 2, 0], [700, 1300, 700])
    policy = np.array([[[0.9, 0.09, 0.01]], [[0.01, 0.09, 0.9]]])
    data = hiql.Trajectories.from_arrays([np.zeros(2700, int)], [actions], n_actions=3)
    chain = Chain(np.array([0.5, 0.5]), np.eye(2)[None], np.zeros(2700, np.uint32), np.arange(2))
    assert_exact(data, chain, policy)


def test_one_intention_a_session_is_a_mixture_of_sessions():
    """The example that came out as −201.8: two halves of 200 steps, 0.9 and 0.1."""
    rng = np.random.default_rng(0)
    actions = (np.arange(400) >= 200).astype(int) ^ (rng.random(400) < 0.1)
    data = hiql.Trajectories.from_arrays([np.zeros(400, int)], [actions])
    policy = np.array([[[0.99, 0.01]], [[0.01, 0.99]]])
    chain = Chain(np.array([0.5, 0.5]), np.eye(2)[None], np.zeros(400, np.uint32), np.arange(2))
    each = np.log(policy[:, 0, actions]).sum(axis=1) + np.log(0.5)
    assert expect(data, chain, np.log(policy)).log_likelihood == pytest.approx(np.logaddexp.reduce(each), rel=1e-13)


@pytest.mark.parametrize("n_rows", [1, 2])
def test_an_impossible_session_has_no_likelihood_and_no_nan(n_rows):
    """Step 2 needs a switch that the chain forbids: it is passed over; so is an action that nobody ever takes."""
    policy = np.array([[[0.5, 0.0, 0.5, 0.0]], [[0.0, 0.5, 0.5, 0.0]]])
    rows = np.arange(6) % n_rows
    chain = Chain(np.array([0.5, 0.5]), np.eye(2)[None].repeat(n_rows, 0), rows.astype(np.uint32), np.arange(2))
    for actions in ([0, 2, 1, 2, 0, 2], [0, 2, 3, 2, 0, 2]):
        data = hiql.Trajectories.from_arrays([np.zeros(6, int)], [actions], n_actions=4)
        result = expect(data, chain, logs(policy))
        assert result.log_likelihood == -np.inf
        np.testing.assert_allclose(smooth(data, chain, logs(policy)), [[1.0, 0.0]] * 6, atol=1e-30)
        np.testing.assert_array_equal(causal(data, chain, logs(policy))[1], [[1.0, 0.0]] * 6)
        np.testing.assert_array_equal(most_likely_path(data, chain, logs(policy)), 0)
        assert result.actions.sum() == pytest.approx(6)
        assert np.isfinite(result.chain.transitions).all()


def test_an_impossible_session_leaves_the_others_as_they_are():
    rng = np.random.default_rng(1)
    policy = policy_with_zeros(rng, 2, 3, 3)
    data = random_data(rng, lengths=(50,) * 40, missing=0.0)
    chain = chain_of("identity", rng, data, 2, 1, np.array([0.0, 1.0]))
    posterior = smooth(data, chain, logs(policy))
    np.testing.assert_allclose(posterior, [[0.0, 1.0]] * data.n_steps, atol=1e-30)
    assert expect(data, chain, logs(policy)).log_likelihood == -np.inf


def test_only_chains_with_zeros_are_looked_at_again():
    from hiql.kernels.exact_smoother import has_raised

    assert not has_raised(np.array([[[1 - 1e-60, 1e-60], [0.5, 0.5]]]))
    assert has_raised(np.array([[[1.0, 0.0], [0.5, 0.5]]]))


def test_only_chains_that_never_leave_an_intention_are_summed():
    from hiql.kernels.kept import never_leaves

    assert never_leaves(np.eye(3)[None].repeat(2, 0))
    assert not never_leaves(np.stack([np.eye(2), [[1.0, 0.0], [1e-300, 1.0]]]))


def test_sums_hold_where_one_factor_is_next_to_nothing():
    """Emissions of 1e-300, a hundred in a row, and an intention that no session may begin with."""
    policy = np.array([[[1.0, 1e-300]], [[1e-300, 1.0]], [[0.5, 0.5]]])
    data = hiql.Trajectories.from_arrays([np.zeros(200, int)], [np.repeat([0, 1], 100)])
    chain = Chain(np.array([0.25, 0.75, 0.0]), np.eye(3)[None], np.zeros(200, np.uint32), np.arange(3))
    log_likelihood = expect(data, chain, np.log(policy)).log_likelihood
    assert log_likelihood == pytest.approx(100 * np.log(1e-300), rel=1e-13)
    np.testing.assert_allclose(smooth(data, chain, np.log(policy)), [[0.25, 0.75, 0.0]] * 200, atol=1e-12)
