"""How strongly subjects are held together: what their sessions say of one another, and where they say nothing."""

from __future__ import annotations

import numpy as np

import hiql
from hiql.engine import search
from hiql.engine.foretold import in_parts

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
