"""What sessions foretell of one another: how strongly subjects are held together, which of two optima is taken."""

from __future__ import annotations

import numpy as np

import hiql
from hiql.engine import search
from hiql.engine.foretold import foretold, foretold_anew, in_parts

QUICK = {"n_init": 1, "patience": 0, "progress": False}


def animals(by_animal, by_session, n_animals=6, n_sessions=4, n_steps=100, seed=0):
    """One state, two actions; log-odds that vary with these deviations between animals, and between sessions of one."""
    rng = np.random.default_rng(seed)
    odds = by_animal * rng.normal(size=(n_animals, 1)) + by_session * rng.normal(size=(n_animals, n_sessions))
    actions = (rng.random((*odds.shape, n_steps)) < 1 / (1 + np.exp(-odds))[..., None]).astype(int)
    subjects = np.repeat([f"m{n}" for n in range(n_animals)], n_sessions).tolist()
    return hiql.Trajectories.from_arrays(None, list(actions.reshape(-1, n_steps)), subjects=subjects, n_actions=2)


def strengths(data, monkeypatch, k=1):
    """Of animals: by the evidence, and as the sessions foretell one another."""
    foretold = hiql.HIQL(k, pool="subjects", **QUICK).fit(data)
    with monkeypatch.context() as patch:
        patch.setattr(search, "held_as_foretold", lambda _, point: point)
        evident = hiql.HIQL(k, pool="subjects", **QUICK).fit(data)
    return evident.policy_strength_[:, 0], foretold.policy_strength_[:, 0]


def test_sessions_that_differ_are_no_animals_that_differ(monkeypatch):
    """Each session is its own, the animals are alike: steps as witnesses of their own tell of animals that differ."""
    by_evidence, by_sessions = strengths(animals(0.0, 1.0), monkeypatch)
    assert by_evidence < 100
    assert by_sessions > 10 * by_evidence


def test_animals_that_differ_stay_apart(monkeypatch):
    by_evidence, by_sessions = strengths(animals(1.0, 0.0), monkeypatch)
    np.testing.assert_array_equal(by_sessions, by_evidence)


def test_one_session_says_nothing_of_others(monkeypatch):
    by_evidence, by_sessions = strengths(animals(1.0, 1.0, n_sessions=1), monkeypatch)
    np.testing.assert_array_equal(by_sessions, by_evidence)


def test_new_sessions_are_foretold_no_worse_than_by_all_animals_alike():
    """Where sessions differ and animals do not. By the evidence alone five such herds lose 110 nats."""
    gain = 0.0
    for seed in range(5):
        data, late = animals(0.0, 1.0, n_sessions=6, seed=seed), np.arange(36) % 6 >= 4
        fits = [hiql.HIQL(1, pool=pool, **QUICK).fit(data.select(~late)) for pool in ("subjects", None)]
        pooled, common = (fit.score(data.select(late)) for fit in fits)
        gain += pooled - common
    assert gain > -5.0


def test_the_parts_hold_every_session_once_and_every_animal_in_turn():
    model = hiql.HIQL(1, pool="subjects", **QUICK)
    data = animals(1.0, 0.0, n_sessions=7, n_steps=5)
    parts = in_parts(model._problem(data, model.fit(data).coding_))
    assert [part.data.n_sessions for part in parts] == [12, 12, 6, 6, 6]
    assert sorted(name for part in parts for name in part.data.session_names) == sorted(data.session_names)
    assert all(set(part.data.subjects) == set(data.subjects) for part in parts)


def pooled_over_histories(n_sessions):
    """A problem of two intentions over histories of three trials, and the point that a fit found."""
    mice = hiql.worlds.simulate_reversal(n_mice=2, n_sessions=n_sessions, random_state=3)
    data = mice.trajectories(history=3)
    model = hiql.HIQL(2, prior="pooled", **QUICK).fit(data)
    return model._problem(data, model.coding_), model._point


def test_sessions_left_out_are_likelier_under_a_fit_than_by_chance_and_less_so_than_those_it_saw():
    problem, fitted = pooled_over_histories(10)
    by_chance = problem.start(np.random.default_rng(0))
    found, worse = foretold_anew(problem, [fitted, by_chance])
    assert worse < found < problem.expect(fitted).log_likelihood


def test_priors_are_learned_without_the_sessions_left_out():
    problem, fitted = pooled_over_histories(10)
    parts = in_parts(problem)
    as_fitted = foretold(problem, fitted, parts, [part.expect(fitted) for part in parts])
    assert foretold_anew(problem, [fitted]) != [as_fitted]


def test_single_sessions_leave_the_choice_to_the_evidence():
    problem, fitted = pooled_over_histories(2)
    assert foretold_anew(problem, [fitted]) is None
