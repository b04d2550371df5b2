"""One intention for a whole animal, wherever its sessions stand in the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

import hiql
from hiql.data.joined import apart, joined
from hiql.dynamics import SessionWise
from hiql.errors import InvalidParameter
from tests.contract.pairs import more_data

HERDS = {"together": ("ada", "ada", "ben"), "mixed": ("ada", "ben", "cyd", "ada"), "one": ("ada",)}


@pytest.fixture(params=HERDS)
def data(request):
    return more_data(subjects=HERDS[request.param])


@pytest.fixture
def model(data):
    quick = {"n_init": 2, "patience": 0, "max_iter": 20, "progress": False}
    return hiql.HIQL(2, dynamics=SessionWise(unit="subject"), **quick).fit(data)


def posterior_of(model, data):
    """(subjects, K) by Bayes' rule, and the log-likelihood: sums over the steps of each animal."""
    seen = data.observed
    log_taken = np.where(seen[:, None], model.log_policy_[:, data.states, data.actions].T, 0.0)
    owner = np.repeat(data.subjects, data.lengths)
    names = list(dict.fromkeys(data.subjects))
    log_joint = np.array([np.log(model.initial_) + log_taken[owner == name].sum(axis=0) for name in names])
    total = logsumexp(log_joint, axis=1)
    return {name: np.exp(one - all_) for name, one, all_ in zip(names, log_joint, total, strict=True)}, total.sum()


def test_posteriors_and_score_are_those_of_whole_animals(model, data):
    posterior, log_likelihood = posterior_of(model, data)
    owner = np.repeat(data.subjects, data.lengths)
    expected = np.array([posterior[name] for name in owner])
    np.testing.assert_allclose(model.smooth_proba(data), expected, atol=1e-9)
    np.testing.assert_array_equal(model.decode(data), expected.argmax(axis=1))
    assert model.score(data) == pytest.approx(log_likelihood)
    assert model.log_likelihood_ == pytest.approx(log_likelihood)
    np.testing.assert_array_equal(model.transition_, np.eye(2))
    last = {name: np.flatnonzero(owner == name)[-1] for name in posterior}
    filtered = model.filter_proba(data)
    np.testing.assert_allclose([filtered[t] for t in last.values()], [posterior[name] for name in last], atol=1e-9)
    assert np.isfinite(model.predict_action_proba(data)).all()


def test_the_order_of_sessions_does_not_matter(model, data):
    order = np.random.default_rng(0).permutation(data.n_sessions)
    steps = np.concatenate([np.arange(data.offsets[n], data.offsets[n + 1]) for n in order])
    np.testing.assert_allclose(model.smooth_proba(data.select(order)), model.smooth_proba(data)[steps], atol=1e-9)


def test_a_file_keeps_the_unit(model, data, tmp_path):
    model.save(tmp_path / "model.hiql")
    again = hiql.load(tmp_path / "model.hiql")
    assert again.dynamics.unit == "subject"
    np.testing.assert_array_equal(again.smooth_proba(data), model.smooth_proba(data))


def test_the_sessions_of_an_animal_are_simulated_with_one_intention(model, data):
    world = hiql.MDP(np.full((3, 2, 3), 1 / 3), discount=0.9).like(data)
    played = model.sample(world, random_state=1)
    owner = np.repeat(played.subjects, played.lengths)
    for name in set(played.subjects):
        assert len(np.unique(played.intentions[owner == name])) == 1


def test_every_session_by_itself_unless_told(data):
    assert joined(data, SessionWise().units(data)) is data


def test_joined_steps_come_back_to_their_places(data):
    units = SessionWise(unit="subject").units(data)
    whole = joined(data, units)
    assert whole.n_sessions == len(set(data.subjects))
    for name in ("states", "actions", "next_states"):
        np.testing.assert_array_equal(apart(getattr(whole, name), data, units), getattr(data, name))


def test_other_units_are_refused():
    with pytest.raises(InvalidParameter, match="'herd'"):
        SessionWise(unit="herd")
