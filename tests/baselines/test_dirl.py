"""DIRL: gradients, its limits, ragged sessions, and the totals published for mice in the labyrinth."""

from __future__ import annotations

import os

import numpy as np
import pytest

import hiql
from hiql.baselines import DIRL, MaxCausalEntropyIRL, TimedCountPolicy
from hiql.baselines.dirl_posterior import DIRLPosterior
from hiql.baselines.timed import timed_counts
from hiql.errors import InvalidParameter
from hiql.experiments.labyrinth.config import DIRL_PUBLISHED, dirl_settings
from hiql.worlds.soft_planning import SoftPlanner
from tests.baselines.worlds import drifting_agent, numerical_gradient, ring, sparse_twin

WORLD = ring()
FAST = {("restricted", 1), ("restricted", 2)}
"""Fits that do not take minutes, from one start."""


@pytest.fixture(scope="module")
def drift():
    return drifting_agent(WORLD, np.random.default_rng(0))


@pytest.fixture(scope="module")
def fitted(drift):
    return DIRL(2, mdp=WORLD, sigma=0.5, init_states=(0, 3)).fit(drift)


@pytest.mark.parametrize("sigma", [0.3, 0.0])
@pytest.mark.parametrize("penalty", [0.7, 0.0])
@pytest.mark.parametrize("mdp", [WORLD, sparse_twin(WORLD)], ids=["dense", "sparse"])
def test_gradient_agrees_with_finite_differences(drift, mdp, sigma, penalty):
    counts = timed_counts(drift) if sigma else drift.pair_counts[None]
    posterior = DIRLPosterior(SoftPlanner(mdp), counts, 2, sigma, penalty)
    rng = np.random.default_rng(1)
    point = posterior.pack(rng.normal(size=(2, 6)), rng.normal(size=(2, len(counts))))
    _, gradient = posterior(point)
    np.testing.assert_allclose(gradient, numerical_gradient(lambda p: posterior(p)[0], point), rtol=1e-5, atol=1e-5)


def test_posterior_is_the_documented_sum(drift):
    counts, rng = timed_counts(drift), np.random.default_rng(2)
    posterior = DIRLPosterior(SoftPlanner(WORLD), counts, 2, 0.3, 0.7)
    maps, weights = rng.normal(size=(2, 6)), rng.normal(size=(2, 8))
    point = posterior.pack(maps, weights)
    np.testing.assert_allclose(posterior.unpack(point)[0], maps)
    np.testing.assert_allclose(posterior.unpack(point)[1], weights)
    steps = weights - np.column_stack([np.zeros(2), weights[:, :-1]])
    likelihood = posterior.planner.likelihood(weights.T @ maps, counts).total
    expected = likelihood - 0.5 * (steps**2).sum() / 0.3**2 - 0.7 * (maps**2).sum()
    assert posterior(point)[0] == pytest.approx(expected)


def test_one_constant_map_is_maximum_causal_entropy(drift):
    dirl = DIRL(1, mdp=WORLD, sigma=0, tol=1e-12).fit(drift)
    single = MaxCausalEntropyIRL(mdp=WORLD, tol=1e-12).fit(drift)
    np.testing.assert_allclose(dirl.maps_[0], single.reward_, atol=1e-4)
    assert dirl.objective_ == pytest.approx(single.objective_, rel=1e-9)
    assert dirl.score(drift) == pytest.approx(single.score(drift), rel=1e-6)
    assert dirl.n_free_ == single.n_free_ == 5


def test_time_matters_to_an_agent_whose_goal_moves(drift, fitted):
    fresh = drifting_agent(WORLD, np.random.default_rng(1))
    constant = DIRL(1, mdp=WORLD, sigma=0).fit(drift)
    assert fitted.score(fresh) > constant.score(fresh) + 10
    assert fitted.score(fresh) > TimedCountPolicy().fit(drift).score(fresh)
    away, towards = fitted.reward_[0], fitted.reward_[-1]
    assert (away - towards).argmax() == 0
    assert (towards - away).argmax() == 3


def test_shapes_and_report(fitted, drift):
    assert fitted.maps_.shape == (2, 6)
    assert fitted.weights_.shape == (2, 8)
    assert fitted.reward_.shape == (8, 6)
    assert fitted.policy_.shape == (8, 6, 3)
    assert fitted.converged_
    assert fitted.log_likelihood_ == pytest.approx(fitted.score(drift))
    assert fitted.objectives_.tolist() == [fitted.objective_]


def test_later_steps_use_the_last_weights(fitted):
    longer = hiql.Trajectories.from_arrays([[2] * 12], [[0] * 12], n_states=6, n_actions=3)
    proba = fitted.predict_action_proba(longer)
    np.testing.assert_array_equal(proba[8:], np.tile(fitted.policy_[7, 2], (4, 1)))
    assert not np.allclose(proba[0], proba[7])


def test_missing_steps_are_no_evidence(drift):
    """An action that is missing, and one whose state is, leave the same posterior as each other."""
    states, actions = drift.states.copy(), drift.actions.copy()
    states[::5] = -1
    actions[::5] = -1
    models = [
        DIRL(1, mdp=WORLD, max_iter=20, tol=1e-3).fit(_with(drift, **codes))
        for codes in ({"states": states}, {"actions": actions}, {"states": states, "actions": actions})
    ]
    assert models[0].objective_ == models[1].objective_ == models[2].objective_
    assert models[0].objective_ > DIRL(1, mdp=WORLD, max_iter=20, tol=1e-3).fit(drift).objective_


def _with(data, states=None, actions=None):
    flat = (data.states if states is None else states, data.actions if actions is None else actions)
    cut = [[codes[data.session(i)] for i in range(data.n_sessions)] for codes in flat]
    return hiql.Trajectories.from_arrays(*cut, n_states=6, n_actions=3)


def test_free_parameters_are_those_of_rewards_of_rank_m():
    """With everything observed, M·(T + S − 1 − M): a (T, S) matrix of rank M whose row means do not count."""
    rng = np.random.default_rng(3)
    every = [(s, a) for s in range(6) for a in range(3)] * 2
    states, actions = (np.array([[pair[i]] * 5 for pair in every]) for i in (0, 1))
    data = hiql.Trajectories.from_arrays(states, rng.permuted(actions, axis=0), n_states=6, n_actions=3)
    full = _with(data, actions=actions.ravel())
    for n_maps in (1, 2, 3):
        model = DIRL(n_maps, mdp=WORLD, max_iter=3).fit(full)
        assert model.n_free_ == n_maps * (5 + 6 - 1 - n_maps)


def test_free_parameters_are_at_most_the_observed_log_odds(drift):
    few = drift.select([0, 1])
    assert DIRL(4, mdp=WORLD, max_iter=3).fit(few).n_free_ == TimedCountPolicy().fit(few).n_free_


def test_best_of_several_starts_and_reproducible(drift):
    options = {"mdp": WORLD, "max_iter": 40, "tol": 1e-4}
    several = DIRL(2, n_init=3, random_state=4, **options).fit(drift)
    assert several.objective_ == several.objectives_.max()
    assert len(set(several.objectives_)) == 3
    again = DIRL(2, n_init=3, random_state=4, **options).fit(drift)
    np.testing.assert_array_equal(several.maps_, again.maps_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_maps": 0}, "n_maps is 0; choose a whole number ≥ 1"),
        ({"n_maps": 1.5}, "n_maps is 1.5"),
        ({"sigma": -0.1}, "sigma is -0.1; choose a number ≥ 0"),
        ({"l2": np.inf}, "l2 is inf"),
        ({"n_init": 0}, "n_init is 0"),
        ({"max_iter": True}, "max_iter is True"),
        ({"init_states": (6,)}, r"init_states is 6; choose states 0…5"),
        ({"init_states": -1}, r"init_states is -1; choose a whole number ≥ 0"),
        ({"init_states": (0.5,)}, r"init_states is 0.5"),
        ({"mdp": None}, "mdp is 'NoneType'; give an hiql.MDP"),
    ],
)
def test_bad_parameters(drift, options, message):
    with pytest.raises(InvalidParameter, match=message):
        DIRL(**{"mdp": WORLD, **options}).fit(drift)


PUBLISHED = [
    pytest.param(cohort, n_maps, total, 1)
    if (cohort, n_maps) in FAST
    else pytest.param(cohort, n_maps, total, 4, marks=pytest.mark.slow)
    for cohort, totals in DIRL_PUBLISHED.items()
    for n_maps, total in totals.items()
]


@pytest.mark.skipif(not os.environ.get("HIQL_DATA_DIR"), reason="needs the labyrinth data: set HIQL_DATA_DIR")
@pytest.mark.parametrize(("cohort", "n_maps", "published", "n_init"), PUBLISHED)
def test_published_totals_on_held_out_mice(cohort, n_maps, published, n_init):
    """As good as the authors' own fits, within 2 %, on their split and with their settings.

    Theirs are no maxima, but where 20 rounds of 100 steps of Adam ended, the best of two to four seeds by held-out
    likelihood. Ours is the best of four converged maxima by posterior, which may predict a little worse.
    """
    mice = hiql.datasets.labyrinth(cohort)
    model = DIRL(n_maps, mdp=mice.mdp, **dirl_settings(cohort, n_maps, n_init=n_init)).fit(mice.train)
    assert model.converged_
    assert model.score(mice.test) > 1.02 * published


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("HIQL_DATA_DIR"), reason="needs the labyrinth data: set HIQL_DATA_DIR")
def test_one_map_of_unrestricted_mice_needs_its_own_sigma_and_more_than_one_start():
    """Published: −463.8. With σ = 0.08, that of two maps, or from one unlucky start it falls far short."""
    mice = hiql.datasets.labyrinth("unrestricted")
    quickly = {"tol": 1e-5}
    model = DIRL(1, mdp=mice.mdp, **dirl_settings("unrestricted", 1) | quickly).fit(mice.train)
    assert model.score(mice.test) > 1.005 * -463.8
    assert np.ptp(model.objectives_) > 50
