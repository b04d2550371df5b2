"""The peers of the benchmarks: their policies are read off rightly, and those with our model end where we do."""

from __future__ import annotations

import numpy as np
import pytest

import hiql


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return hiql.Trajectories.from_arrays(rng.integers(3, size=(12, 10)), rng.integers(2, size=(12, 10)))


def test_a_policy_is_read_off_joint_probabilities(module):
    joint = np.array([[0.1, 0.3, 0.6, 0.0, 0.0, 0.0]])
    policy = module("peer_fits").given_state(joint, 3)
    np.testing.assert_allclose(policy, [[[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]]])


def test_scores_are_those_of_our_model(module, data):
    model = hiql.HIQL(2, random_state=0).fit(data)
    found = module("peer_fits").Parameters(model.initial_, model.transition_, model.policy_)
    assert module("peer_fits").score(data, found) == pytest.approx(model.score(data, per="step"), rel=1e-9)


def test_hmmlearn_normalised_per_state_is_our_model(module, data):
    pytest.importorskip("hmmlearn")
    fits, peers = module("fits"), module("peer_fits")
    start = fits.random_start(data, 0)
    ours = fits.plain_em(data, start)
    theirs = peers.hmmlearn_fit(data, fits.ITERATIONS, per_state=True)(start)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-8)


def test_hmmlearn_as_it_comes_gives_a_policy(module, data):
    pytest.importorskip("hmmlearn")
    found = module("peer_fits").hmmlearn_fit(data, 1000, 1e-2, per_state=False)(module("fits").random_start(data, 0))
    np.testing.assert_allclose(found.policy.sum(axis=-1), 1.0)


@pytest.mark.filterwarnings("ignore")  # of what dynamax imports
@pytest.mark.parametrize("name", ["dynamax_pairs_fit", "dynamax_glm_fit"])
def test_dynamax_starts_where_it_is_told_and_climbs(module, data, name):
    pytest.importorskip("dynamax")
    fits, peers = module("fits"), module("peer_fits")
    start = fits.random_start(data, 0)
    make = getattr(peers, name)
    few, more = (make(data, fits.N_INTENTIONS, n_iter)(start) for n_iter in (1, 30))
    assert all(np.allclose(p.sum(axis=-1), 1.0) for p in more)
    assert peers.score(data, start) < peers.score(data, few) < peers.score(data, more)


def test_sessions_are_cut_to_one_length_and_dealt_into_halves(module):
    fits = module("fits")
    codes = [np.arange(5) % 2, np.arange(2) % 2, np.arange(4) % 2, np.arange(3) % 2]
    data = fits.cut(hiql.Trajectories.from_arrays(codes, codes, n_states=4, n_actions=3), 3)
    assert data.lengths.tolist() == [3, 3, 3]
    assert (data.n_states, data.n_actions) == (4, 3)
    assert [half.n_sessions for half in fits.halves(data)] == [2, 1]
