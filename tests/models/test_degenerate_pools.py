"""Pooled models where there is next to nothing to pool: finite numbers, bounded strengths, and a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.dynamics import ByState
from hiql.priors.pooled import STRONGEST, WEAKEST

QUICK = {"n_init": 1, "patience": 0, "progress": False}
MANY = 100_000


def some_data(n_sessions=1, n_steps=40, n_states=3, seed=0):
    """Choices of one habit; one session of one animal unless there are more."""
    rng = np.random.default_rng(seed)
    states = rng.integers(n_states, size=(n_sessions, n_steps))
    actions = (rng.random(states.shape) < 0.8).astype(int)
    days, subjects = np.arange(n_sessions, dtype=float), ["m"] * n_sessions
    names = {"n_states": n_states, "n_actions": 2, "subjects": subjects, "session_days": days}
    return hiql.Trajectories.from_arrays(list(states), list(actions), **names)


def is_sound(model, data):
    for name, array in {**vars(model.dynamics_parameters_), **vars(model.choice_parameters_)}.items():
        assert not np.isnan(array).any(), name
        if name.endswith("strength"):
            assert ((array >= 0.99 * WEAKEST) & (array <= 1.01 * STRONGEST)).all(), name
    assert np.isfinite(model.score(data))
    return all(isinstance(note, str) for note in model.notes_)


@pytest.mark.parametrize(
    "options", [{"pool": "subjects"}, {"pool": "days"}, {"dynamics": "by-state"}, {"prior": "pooled"}]
)
@pytest.mark.parametrize("n_steps", [2, 40])
def test_one_animal_in_one_session(options, n_steps):
    data = some_data(n_steps=n_steps)
    assert is_sound(hiql.HIQL(2, **options, **QUICK).fit(data), data)


def test_one_animal_is_told():
    model = hiql.HIQL(1, pool="subjects", **QUICK).fit(some_data(3))
    assert any("one subject" in note for note in model.notes_)


def test_a_place_seen_once_switches_as_any_other():
    """A state that was entered once has nearly the common matrix; one that never was has it."""
    states = [np.arange(60) % 2 for _ in range(6)]
    states[0][30] = 2
    actions = [np.repeat([0, 1], 30) for _ in states]
    data = hiql.Trajectories.from_arrays(states, actions, n_states=4, n_actions=2)
    model = hiql.HIQL(2, dynamics=ByState(context="state entered"), **QUICK).fit(data)
    assert is_sound(model, data)
    common = model.transition_by_context_[-1]
    np.testing.assert_allclose(model.transition_at(3), common)
    assert np.abs(model.transition_at(2) - common).max() < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"dynamics": ByState(context="state entered")}, {"prior": "pooled"}])
def test_a_hundred_thousand_places_seen_once(options):
    rng = np.random.default_rng(0)
    states, actions = rng.permutation(MANY).reshape(100, -1), rng.integers(2, size=(100, MANY // 100))
    data = hiql.Trajectories.from_arrays(list(states), list(actions), n_states=MANY, n_actions=2)
    model = hiql.HIQL(2, **options, max_iter=5, **QUICK).fit(data)
    assert is_sound(model, data)
