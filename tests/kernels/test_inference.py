"""Every inference routine against enumeration of all paths, its plain-numpy twin, and hmmlearn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hiql
from tests.kernels.plain import Chain, causal, expect, most_likely_path, smooth
from tests.oracles.forward_backward import enumerate_paths, forward_backward
from tests.problems import random_data, random_policy


def random_chain(rng, data, n_intentions, n_rows):
    return Chain(
        initial=rng.dirichlet(np.ones(n_intentions)),
        bank=rng.dirichlet(np.ones(n_intentions), (n_rows, n_intentions)),
        rows=rng.integers(n_rows, size=data.n_steps).astype(np.uint32),
        phases=np.arange(n_intentions),
    )


def by_session(data, chain, policy, oracle):
    return [
        oracle(data.pairs[at], chain.rows[at], chain.initial, chain.bank, policy)
        for at in map(data.session, range(data.n_sessions))
    ]


@pytest.mark.parametrize("n_intentions", [1, 2, 3, 4])
@pytest.mark.parametrize("n_rows", [1, 3])
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_all_routines_agree_with_enumeration_of_all_paths(n_intentions, n_rows, missing):
    rng = np.random.default_rng([n_intentions, n_rows, int(10 * missing)])
    data = random_data(rng, lengths=(5, 1, 2, 6), missing=missing)
    chain = random_chain(rng, data, n_intentions, n_rows)
    policy = random_policy(rng, n_intentions, data.n_states, data.n_actions)
    truth = by_session(data, chain, policy, enumerate_paths)

    result = expect(data, chain, np.log(policy))
    assert result.log_likelihood == pytest.approx(sum(t[0] for t in truth), rel=1e-12)
    np.testing.assert_allclose(smooth(data, chain, np.log(policy)), np.concatenate([t[1] for t in truth]), atol=1e-12)
    np.testing.assert_allclose(result.chain.transitions, sum(t[2] for t in truth), atol=1e-12)
    np.testing.assert_allclose(result.chain.initial, sum(t[1][0] for t in truth), atol=1e-12)
    np.testing.assert_array_equal(most_likely_path(data, chain, np.log(policy)), np.concatenate([t[3] for t in truth]))


@pytest.mark.parametrize(("n_intentions", "n_rows"), [(11, 3), (16, 1)])
def test_many_intentions_agree_with_the_numpy_twin(n_intentions, n_rows):
    """Beyond ``MOST_UNROLLED`` the loops are others."""
    rng = np.random.default_rng(0)
    data = random_data(rng, lengths=(40, 1, 7), missing=0.2)
    chain = random_chain(rng, data, n_intentions, n_rows)
    policy = random_policy(rng, n_intentions, data.n_states, data.n_actions)
    truth = by_session(data, chain, policy, forward_backward)
    posterior = smooth(data, chain, np.log(policy))
    result = expect(data, chain, np.log(policy))
    assert result.log_likelihood == pytest.approx(sum(t[0] for t in truth), rel=1e-12)
    np.testing.assert_allclose(posterior, np.concatenate([t[3] for t in truth]), atol=1e-12)
    first = np.isin(np.arange(data.n_steps), data.offsets[:-1])
    arrivals = result.chain.transitions.sum(axis=(0, 1))
    np.testing.assert_allclose(arrivals, posterior[~first].sum(axis=0), atol=1e-11)
    departures = result.chain.transitions.sum(axis=(0, 2))
    np.testing.assert_allclose(departures, posterior[np.flatnonzero(~first) - 1].sum(axis=0), atol=1e-11)


def test_expected_action_counts_are_sums_of_posteriors_over_observed_steps():
    rng = np.random.default_rng(0)
    data = random_data(rng, lengths=(40, 3, 17), missing=0.3)
    chain = random_chain(rng, data, 3, 2)
    log_policy = np.log(random_policy(rng, 3, data.n_states, data.n_actions))
    posterior = smooth(data, chain, log_policy)
    expected = np.zeros((3, data.n_states, data.n_actions))
    for t in range(data.n_steps):
        if data.states[t] >= 0 and data.actions[t] >= 0:
            expected[:, data.states[t], data.actions[t]] += posterior[t]
    np.testing.assert_allclose(expect(data, chain, log_policy).actions, expected, atol=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_kernels_agree_with_their_numpy_twin(seed, n_intentions, n_rows):
    rng = np.random.default_rng(seed)
    data = random_data(rng, lengths=rng.integers(1, 300, size=4), missing=0.1)
    chain = random_chain(rng, data, n_intentions, n_rows)
    policy = random_policy(rng, n_intentions, data.n_states, data.n_actions)
    truth = by_session(data, chain, policy, forward_backward)
    predicted, filtered = causal(data, chain, np.log(policy))
    assert expect(data, chain, np.log(policy)).log_likelihood == pytest.approx(sum(t[0] for t in truth), rel=1e-12)
    np.testing.assert_allclose(predicted, np.concatenate([t[1] for t in truth]), atol=1e-10)
    np.testing.assert_allclose(filtered, np.concatenate([t[2] for t in truth]), atol=1e-10)
    np.testing.assert_allclose(smooth(data, chain, np.log(policy)), np.concatenate([t[3] for t in truth]), atol=1e-10)


def test_phases_share_the_policy_of_their_intention():
    """Two phases of one intention behave like the two-intention chain whose policies are equal."""
    rng = np.random.default_rng(3)
    data = random_data(rng, lengths=(30, 20))
    chain = random_chain(rng, data, 3, 1)._replace(phases=np.array([0, 0, 1]))
    policy = random_policy(rng, 2, data.n_states, data.n_actions)
    spread = chain._replace(phases=np.arange(3))
    full = smooth(data, spread, np.log(policy[[0, 0, 1]]))
    merged = smooth(data, chain, np.log(policy))
    np.testing.assert_allclose(merged, np.stack([full[:, 0] + full[:, 1], full[:, 2]], axis=1), atol=1e-12)
    counts = expect(data, chain, np.log(policy)).actions
    assert counts.shape == policy.shape
    np.testing.assert_allclose(counts.sum(), data.n_observed)


def test_one_state_is_the_categorical_hmm_of_hmmlearn():
    hmm = pytest.importorskip("hmmlearn.hmm")
    rng = np.random.default_rng(1)
    data = random_data(rng, n_states=1, n_actions=4, lengths=(50, 1, 120), missing=0.0)
    chain = random_chain(rng, data, 3, 1)
    policy = random_policy(rng, 3, 1, 4)
    peer = hmm.CategoricalHMM(n_components=3, n_features=4)
    peer.startprob_, peer.transmat_, peer.emissionprob_ = chain.initial, chain.bank[0], policy[:, 0]
    observed = data.actions[:, None]
    log_likelihood, posterior = peer.score_samples(observed, data.lengths)
    assert expect(data, chain, np.log(policy)).log_likelihood == pytest.approx(log_likelihood, rel=1e-10)
    np.testing.assert_allclose(smooth(data, chain, np.log(policy)), posterior, atol=1e-9)
    path = most_likely_path(data, chain, np.log(policy))  # ties are common with one state, so compare probabilities
    first = np.isin(np.arange(data.n_steps), data.offsets[:-1])
    arrive = np.where(first, chain.initial[path], chain.bank[0][np.roll(path, 1), path])
    log_probability = np.log(arrive * policy[path, 0, data.actions]).sum()
    assert log_probability == pytest.approx(peer.decode(observed, data.lengths)[0], rel=1e-12)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_expected_counts_do_not_depend_on_the_number_of_threads(n_threads, monkeypatch):
    monkeypatch.setattr("hiql.engine.inference.STEPS_PER_CHUNK", 500)
    rng = np.random.default_rng(2)
    data = random_data(rng, lengths=rng.integers(1, 90, size=120))
    chain = random_chain(rng, data, 3, 2)
    log_policy = np.log(random_policy(rng, 3, data.n_states, data.n_actions))
    alone = expect(data, chain, log_policy, n_threads=1)
    together = expect(data, chain, log_policy, n_threads=n_threads)
    assert alone.log_likelihood == together.log_likelihood
    np.testing.assert_array_equal(alone.actions, together.actions)
    np.testing.assert_array_equal(alone.chain.transitions, together.chain.transitions)


def test_chunks_cover_every_session_once(monkeypatch):
    from hiql.engine.inference import chunks

    monkeypatch.setattr("hiql.engine.inference.STEPS_PER_CHUNK", 10)
    rng = np.random.default_rng(0)
    for _ in range(50):
        data = random_data(rng, lengths=rng.integers(1, 60, size=rng.integers(1, 30)))
        covered = [s for first, last in chunks(data) for s in range(first, last)]
        assert covered == list(range(data.n_sessions))


@pytest.mark.parametrize("tiny", [1e-12, 1e-100, 1e-300])
def test_tiny_probabilities_and_impossible_transitions_give_finite_answers(tiny):
    """Alternating actions that each intention all but excludes, under a chain that all but forbids switching."""
    n_steps = 500
    data = hiql.Trajectories.from_arrays([np.zeros(n_steps, int)], [np.arange(n_steps) % 2])
    log_policy = np.log([[[1 - tiny, tiny]], [[tiny, 1 - tiny]]])
    for stay in (1.0, 1 - 1e-16, 0.0):
        chain = Chain(
            np.array([1.0, 0.0]),
            np.array([[[stay, 1 - stay], [1 - stay, stay]]]),
            np.zeros(n_steps, np.uint32),
            np.arange(2),
        )
        result = expect(data, chain, log_policy)
        everything = (
            result.log_likelihood,
            result.actions,
            result.chain.transitions,
            smooth(data, chain, log_policy),
            *causal(data, chain, log_policy),
        )
        assert all(np.isfinite(part).all() for part in everything)
        np.testing.assert_allclose(smooth(data, chain, log_policy).sum(axis=1), 1.0, rtol=1e-9)
        assert set(most_likely_path(data, chain, log_policy)) <= {0, 1}


def test_a_long_session_stays_accurate():
    """β is never renormalised: after 200,000 steps the posteriors must still sum to one and match the twin."""
    rng = np.random.default_rng(5)
    data = random_data(rng, lengths=(200_000,), missing=0.05)
    chain = random_chain(rng, data, 2, 1)
    policy = random_policy(rng, 2, data.n_states, data.n_actions)
    posterior = smooth(data, chain, np.log(policy))
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-10)
    np.testing.assert_allclose(posterior, by_session(data, chain, policy, forward_backward)[0][3], atol=1e-9)


@pytest.mark.parametrize("n_steps", [1, 2, 3, 40, 41])
@pytest.mark.parametrize("n_rows", [1, 2])
def test_vanishing_emissions_are_scaled_back_exactly(n_steps, n_rows):
    """Every step all but excludes two of three intentions, in turn; the truth is summed in logarithms."""
    rng = np.random.default_rng([n_steps, n_rows])
    data = hiql.Trajectories.from_arrays([np.zeros(n_steps, int)], [np.arange(n_steps) % 3], n_actions=3)
    chain = random_chain(rng, data, 3, n_rows)
    chain = chain._replace(bank=np.maximum(chain.bank * np.where(np.eye(3) > 0, 1.0, 1e-50), 1e-59))
    log_policy = np.where(np.eye(3) > 0, 0.0, np.log(1e-300))[:, None]
    log_alpha = np.log(chain.initial) + log_policy[:, 0, data.actions[0]]
    for t in range(1, n_steps):
        joint = log_alpha[:, None] + np.log(chain.bank[chain.rows[t]])
        log_alpha = np.logaddexp.reduce(joint, axis=0) + log_policy[:, 0, data.actions[t]]
    result = expect(data, chain, log_policy)
    assert result.log_likelihood == pytest.approx(np.logaddexp.reduce(log_alpha), rel=1e-12)
    assert result.actions.sum() == pytest.approx(n_steps, rel=1e-12)
    assert result.chain.transitions.sum() == pytest.approx(n_steps - 1, rel=1e-12)
    np.testing.assert_allclose(smooth(data, chain, log_policy).sum(axis=1), 1.0, rtol=1e-12)
