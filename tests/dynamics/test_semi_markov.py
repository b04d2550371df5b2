"""Durations of their own: what they are, that they are found again, and what happens at the edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hiql
from hiql.choices import Policies, TableChoice
from hiql.dynamics import SemiMarkov
from hiql.dynamics.durations import duration_proba, mean_duration, survival_proba
from hiql.dynamics.semi_markov import PhaseParameters
from hiql.engine.climb import climb
from hiql.engine.inference import smooth
from hiql.engine.problem import Point, Problem
from hiql.errors import InvalidParameter
from hiql.evaluate.measures.alignment import match_policies
from hiql.evaluate.words.dwell import find_runs
from hiql.worlds import ObservedSchedule
from hiql.worlds.draws import draw

ENTRY, STAY = np.array([[0.5, 0.2, 0.3], [0.0, 0.0, 1.0]]), np.array([0.6, 0.9])
POLICIES = np.array([[[0.95, 0.05]], [[0.1, 0.9]]])
QUICK = {"n_init": 2, "patience": 4, "progress": False}


def lasting(n_sessions, n_steps, durations, seed=0):
    """Two intentions in one state that take turns; ``durations`` (2,) draw how long each lasts, after a warm-up."""
    rng, actions, intentions = np.random.default_rng(seed), [], []
    for _ in range(n_sessions):
        path, z = np.zeros(0, dtype=int), rng.integers(2)
        while len(path) < n_steps + 200:
            path, z = np.r_[path, np.full(durations[z](rng), z)], 1 - z
        path = path[200 : 200 + n_steps]
        actions.append((rng.random(n_steps) < POLICIES[path, 0, 1]).astype(int))
        intentions.append(path)
    return hiql.Trajectories.from_arrays(None, actions, n_actions=2, intentions=intentions)


def regular(rng):
    return 10 + rng.poisson(5.0)


def geometric(rng):
    return rng.geometric(0.1)


@pytest.fixture(scope="module")
def turns():
    return lasting(60, 100, (regular, regular))


@pytest.fixture(scope="module")
def model(turns):
    return hiql.HIQL(2, dynamics=SemiMarkov(n_phases=4), **QUICK).fit(turns)


# --- what durations are -----------------------------------------------------------------------------------------


def test_durations_are_what_many_draws_last():
    rng, n = np.random.default_rng(0), 200_000
    proba, survival, mean = duration_proba(ENTRY, STAY, 60), survival_proba(ENTRY, STAY, 60), mean_duration(ENTRY, STAY)
    for i in range(2):
        phases = 3 - rng.choice(3, p=ENTRY[i], size=n)
        drawn = phases + rng.negative_binomial(phases, 1 - STAY[i])
        share = np.bincount(drawn, minlength=61)[1:61] / n
        np.testing.assert_allclose(proba[i], share, atol=0.004)
        np.testing.assert_allclose(survival[i], 1 - np.r_[0.0, np.cumsum(proba[i])[:-1]], atol=1e-12)
        assert mean[i] == pytest.approx(drawn.mean(), rel=0.01)


def test_without_staying_any_distribution_is_possible():
    np.testing.assert_allclose(duration_proba(ENTRY, np.zeros(2), 3), ENTRY[:, ::-1])


def test_the_transition_matrix_has_the_mean_durations_and_the_followers():
    params = PhaseParameters(*(np.log(np.maximum(t, 1e-300)) for t in (
        np.full((1, 2), 0.5), ENTRY, ENTRY, np.stack([STAY, 1 - STAY], axis=1), 1.0 - np.eye(2)
    )))  # fmt: skip
    shown, mean = SemiMarkov(n_phases=3).summary(params), mean_duration(ENTRY, STAY)
    np.testing.assert_allclose(1 / (1 - np.diag(shown["transition"])), mean)
    np.testing.assert_allclose(shown["transition"].sum(axis=1), 1.0)
    np.testing.assert_allclose(shown["mean_duration"], mean)
    assert (shown["durations"].sum(axis=1) >= 0.999).all()


# --- that they are found ----------------------------------------------------------------------------------------


def test_regular_turns_are_found_and_decoded_better_than_by_a_markov_chain(turns, model):
    markov = hiql.HIQL(2, **QUICK).fit(turns)
    assert model.log_likelihood_ > markov.log_likelihood_ + 100
    np.testing.assert_allclose(model.mean_duration_, 15.0, rtol=0.1)
    decoded = (each.decode(turns) for each in (model, markov))
    agreed = [max((z == turns.intentions).mean(), (z != turns.intentions).mean()) for z in decoded]
    assert agreed[0] > agreed[1]


def test_geometric_turns_are_described_as_well_as_by_a_markov_chain():
    data = lasting(60, 100, (geometric, geometric))
    semi, markov = (hiql.HIQL(2, dynamics=d, **QUICK).fit(data) for d in (SemiMarkov(n_phases=4), "markov"))
    assert semi.log_likelihood_ > markov.log_likelihood_ - 1.0
    np.testing.assert_allclose(semi.transition_, markov.transition_, atol=0.03)


def test_what_was_simulated_is_found_again(model, turns):
    played = model.sample(ObservedSchedule(turns), random_state=1)
    runs = find_runs(played, played.intentions)
    whole = ~runs.cut & ~np.isin(np.cumsum(np.r_[0, runs.length[:-1]]), played.offsets)
    assert runs.length[whole].std() / runs.length[whole].mean() < 0.7  # of geometric ones it is near 1
    again = hiql.HIQL(2, dynamics=SemiMarkov(n_phases=4), **QUICK).fit(played)
    np.testing.assert_allclose(np.sort(again.mean_duration_), np.sort(model.mean_duration_), rtol=0.15)


# --- edges ------------------------------------------------------------------------------------------------------


def test_sessions_shorter_than_any_duration_are_fitted(turns):
    short = lasting(80, 3, (regular, regular), seed=1)
    fitted = hiql.HIQL(2, dynamics=SemiMarkov(n_phases=4), **QUICK).fit(short)
    assert np.isfinite(fitted.log_likelihood_)
    assert np.isfinite(fitted.transition_).all()


@pytest.mark.slow  # one more smoother to compile
def test_ten_intentions_of_regular_durations_are_found():
    """Turns of 15 to 24 steps, and ten tables: told apart, and timed, better than by a Markov chain."""
    rng, k = np.random.default_rng(0), 10
    policy, sessions = rng.dirichlet(np.full(4, 0.3), size=(k, 6)), []
    for _ in range(40):
        order = np.cumsum(np.r_[rng.integers(k), rng.integers(1, k, size=25)]) % k
        meant = np.repeat(order, rng.integers(15, 25, size=26))[:300]
        states = rng.integers(6, size=300)
        sessions.append((states, draw(policy[meant, states], rng), meant))
    states, actions, meant = (list(column) for column in zip(*sessions, strict=True))
    data = hiql.Trajectories.from_arrays(states, actions, intentions=meant, n_states=6, n_actions=4)
    search = {"n_init": 4, "patience": 4, "progress": False}
    markov, turns = (hiql.HIQL(k, dynamics=clock, **search).fit(data) for clock in ("markov", "semi-markov"))
    assert turns.log_likelihood_ > markov.log_likelihood_ + 0.02 * data.n_steps
    names = np.argsort(match_policies(turns.policy_, policy).order)
    assert (names[turns.decode(data)] == data.intentions).mean() > 0.9
    assert np.abs(turns.mean_duration_ - 19.5).max() < 3.0


@pytest.mark.slow  # one more smoother to compile
def test_one_intention_follows_itself(turns):
    alone = hiql.HIQL(1, dynamics=SemiMarkov(n_phases=4), **QUICK).fit(turns)
    assert alone.log_likelihood_ == pytest.approx(hiql.HIQL(1, **QUICK).fit(turns).log_likelihood_)
    averaged = (hiql.HIQL(1, dynamics=d, estimate="bayes", **QUICK) for d in (SemiMarkov(n_phases=4), "markov"))
    one, other = (model.fit(turns).evidence_ for model in averaged)
    assert one == pytest.approx(other, rel=1e-12)


def test_evidence_climbs_and_knows_which_turns_are_regular(turns):
    problem = Problem(turns, SemiMarkov(n_phases=4), TableChoice(0.1), 2).estimating("bayes")
    run = climb(problem, problem.start(np.random.default_rng(0)), 40, 0.0)
    assert np.diff(run.trace).min() >= -1e-9 * abs(run.objective)
    for data, regularly in ((turns, True), (lasting(60, 100, (geometric, geometric)), False)):
        clocks = SemiMarkov(n_phases=4), "markov"
        own, chain = (hiql.HIQL(2, dynamics=d, estimate="bayes", **QUICK).fit(data).evidence_ for d in clocks)
        assert own > chain + 100 if regularly else own < chain - 3


def test_a_long_session_and_vanishing_probabilities_keep_their_precision(turns):
    """Choices that all but exclude each other, in turn: the fast pass is exact, or knows that it is not."""
    data = hiql.Trajectories.from_arrays(None, [np.arange(600) // 7 % 2])
    for tiny in (1e-3, 1e-40, 1e-290):
        policy = np.log([[[1.0 - tiny, tiny]], [[tiny, 1.0 - tiny]]])
        problem = Problem(data, SemiMarkov(n_phases=4), TableChoice(0.1), 2)
        start = problem.start(np.random.default_rng(0))
        chunk = problem.read(Point(start.dynamics, Policies(policy))).all_sessions
        dense, posteriors = chunk._replace(chain=chunk.chain.dense()), np.empty((2, 600, 2))
        ours, theirs = (each.smoothed(room) for each, room in zip((chunk, dense), posteriors, strict=True))
        assert ours.log_likelihood == pytest.approx(theirs.log_likelihood, rel=1e-10)
        np.testing.assert_allclose(*posteriors, atol=1e-9)
        np.testing.assert_allclose(ours.moved.stays.sum(), 599.0, rtol=1e-9)


def test_impossible_turns_are_impossible():
    """Durations of three steps exactly, and choices that exclude each other: a run of four cannot be."""
    with np.errstate(divide="ignore"):
        exactly = np.log([[0.0, 1.0, 0.0, 0.0]] * 2)
        params = PhaseParameters(
            np.log([[1.0, 0.0]]), exactly, exactly, np.log([[0.0, 1.0]] * 2), np.log([[0.0, 1.0], [1.0, 0.0]])
        )
        policies = Policies(np.log([[[1.0, 0.0]], [[0.0, 1.0]]]))
    for actions, possible in (([0, 0, 0, 1, 1, 1, 0, 0], True), ([0, 0, 0, 0, 1, 1, 1, 0], False)):
        data = hiql.Trajectories.from_arrays(None, [np.array(actions)])
        problem = Problem(data, SemiMarkov(n_phases=4, pseudo_count=0), TableChoice(0), 2)
        point = Point(params, policies)
        assert (problem.expect(point).log_likelihood == 0.0) is possible
        assert (problem.expect(point).log_likelihood == -np.inf) is not possible
        posterior = smooth(problem.read(point))
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
        path = problem.read(point).all_sessions.best_path()
        assert path.tolist() == [0, 0, 0, 1, 1, 1, 0, 0]


def test_live_is_the_filter(model, turns):
    live, filtered = model.live(), model.filter_proba(turns)
    for t in range(*turns.offsets[:2]):
        np.testing.assert_allclose(live.step(state=0, action=int(turns.actions[t])), filtered[t], atol=1e-9)


@pytest.mark.parametrize("n_phases", [0, -1, 2.5, True, 10**6, "many"])
def test_numbers_of_phases_that_are_none(n_phases):
    with pytest.raises(InvalidParameter, match="n_phases"):
        SemiMarkov(n_phases=n_phases)


def test_too_many_phases_in_all(turns):
    with pytest.raises(InvalidParameter, match="for 2 intentions"):
        hiql.HIQL(2, dynamics=SemiMarkov(n_phases=900), **QUICK).fit(turns)


def test_an_intention_that_follows_itself_is_refused(model, turns):
    params = model.dynamics_parameters_
    wrong = replace(params, log_following=np.log([[0.5, 0.5], [0.999, 0.001]]))
    with pytest.raises(InvalidParameter, match="follow itself"):
        SemiMarkov(n_phases=4).check_params(wrong, turns, 2)
