"""Simulation: how often each course of a session comes, against enumeration, for every environment and clock."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import hiql
from hiql.choices import Policies
from hiql.data.bandit import history_labels
from hiql.data.codes import Codes
from hiql.data.coding import Coding
from hiql.dynamics import MarkovChain
from hiql.dynamics.markov import ChainParameters
from hiql.engine.problem import Point
from hiql.worlds import Bandit, ObservedSchedule, ReversalTask, Stimuli
from tests.dynamics.clocks import SwitchingAfterReward, SwitchingByPlace, SwitchingByPlaceLeft
from tests.oracles.tasks import Replayed, Reversing, Tones, TwoSpouts, Walk, enumerate_sessions
from tests.problems import random_policy

RNG = np.random.default_rng(4)
TRANSITIONS = RNG.dirichlet(np.ones(3), (3, 2))
CHANCES = ((0.7, 0.2), (0.1, 0.6))
SCHEDULE = hiql.Trajectories.from_arrays([[0, 2, 1]], [[0, 0, 0]], n_states=3, n_actions=2)
PAYS = [[0.9, 0.2], [0.5, 0.5], [0.0, 1.0]]
PLACES = (1, 2)
MATRICES = np.array([[[0.9, 0.1], [0.3, 0.7]], [[0.2, 0.8], [0.6, 0.4]]])
INITIAL = np.array([0.7, 0.3])
TWO = Codes(np.zeros(1, dtype=int), None, 2)
HISTORIES = Coding(5, 2, history_labels(TWO, TWO, 1))


def as_shown(shown, course):
    return shown


def last_trial(shown, course):
    """bandit_trials(history=1): nothing yet, or 1 + outcome · 2 + choice."""
    return 1 + 2 * course[-1][3] + course[-1][2] if course else 0


ENVIRONMENTS = {
    "mdp": (hiql.MDP(TRANSITIONS, 0.9), Walk(TRANSITIONS), Coding(3, 2), as_shown),
    "bandit": (Bandit(CHANCES, (1, 2)), TwoSpouts(CHANCES, False), HISTORIES, last_trial),
    "baited bandit": (Bandit(CHANCES, (1, 2), baited=True), TwoSpouts(CHANCES, True), HISTORIES, last_trial),
    "reversal": (ReversalTask(0.0, 0.8, 1.0, 2, 1), Reversing(2, 0.8), HISTORIES, last_trial),
    "stimuli": (Stimuli((-1.0, 0.0, 1.0), (0.8, 0.2), (2, 2)), Tones(), Coding(3, 2, (-1.0, 0.0, 1.0)), as_shown),
    "observed": (ObservedSchedule(SCHEDULE, PAYS), Replayed([0, 2, 1], PAYS), Coding(3, 2), as_shown),
}
CLOCKS = {
    "markov": (MarkovChain(), lambda course, s: MATRICES[0]),
    "place entered": (SwitchingByPlace(places=PLACES), lambda course, s: MATRICES[int(s in PLACES)]),
    "place left": (SwitchingByPlaceLeft(places=PLACES), lambda course, s: MATRICES[int(course[-1][0] in PLACES)]),
    "reward": (SwitchingAfterReward(), lambda course, s: MATRICES[int(course[-1][3] == 1)]),
}


def told(policy, clock, coding):
    """A model that was told its parameters."""
    model = hiql.HIQL(2, dynamics=clock, progress=False)
    matrices = MATRICES[:1] if type(clock) is MarkovChain else MATRICES
    model._set_parameters(Point(ChainParameters(np.log(INITIAL)[None], np.log(matrices)), Policies(np.log(policy))))
    _, model.n_states_, model.n_actions_ = policy.shape
    model.coding_ = coding
    return model


def courses(data):
    """How often each course came."""
    outcomes = np.full(data.n_steps, np.nan) if data.outcomes is None else data.outcomes
    columns = zip(data.states, data.intentions, data.actions, outcomes, strict=True)
    steps = [(int(s), int(z), int(a), None if np.isnan(o) else int(o)) for s, z, a, o in columns]
    return Counter(tuple(steps[start:end]) for start, end in zip(data.offsets[:-1], data.offsets[1:], strict=True))


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_course_is_as_frequent_as_it_is_likely(name, clock):
    environment, task, coding, state_of = ENVIRONMENTS[name]
    dynamics, matrix_of = CLOCKS[clock]
    policy = random_policy(np.random.default_rng(7), 2, coding.n_states, 2)
    exact = enumerate_sessions(task, state_of, INITIAL, matrix_of, policy, 3)
    assert sum(exact.values()) == pytest.approx(1.0)
    n = 30_000
    counts = courses(told(policy, dynamics, coding).sample(environment, n, 3, random_state=1))
    assert set(counts) <= set(exact)
    expected = n * np.array(list(exact.values()))
    found = np.array([counts[course] for course in exact])
    often = expected > 8
    assert (np.abs(found - expected)[often] < 5.5 * np.sqrt(expected[often])).all()
    chi_square = ((found - expected)[often] ** 2 / expected[often]).sum()
    assert chi_square < often.sum() + 5 * np.sqrt(2 * often.sum())
    assert abs(found[~often].sum() - expected[~often].sum()) < 5.5 * np.sqrt(expected[~often].sum() + 1)
