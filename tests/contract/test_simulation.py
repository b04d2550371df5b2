"""What a model simulates leads back to that model: sampled, fitted anew, aligned and compared, for every pair."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.data.coding import Coding
from hiql.engine.problem import Point
from hiql.worlds import ObservedSchedule
from tests.contract.pairs import forgets, given_prior, identified, pairs, some_data

LENGTHS = (60,) * 99 + (1,) * 99


@pytest.fixture(scope="module")
def schedule():
    """States, inputs and subjects to be presented; now and then a trial is missed."""
    return some_data(5, LENGTHS, 0.02, subjects=("ada", "ben", "cyd"))


@pytest.fixture
def told(pair, schedule):
    """A model that was told its parameters."""
    model = pair.model(n_init=4, max_iter=200, tol=1e-8)
    model._set_parameters(Point(pair.clock.known, pair.way.known))
    model.n_states_, model.n_actions_ = schedule.n_states, schedule.n_actions
    model.coding_ = Coding.of(schedule)
    return model


def followed(data, rows, kinds, bank=None):
    """How each intention followed each, or as a bank (M, 2, 2) expects it to: shares (kinds, 2, 2), and visits."""
    later = np.setdiff1d(np.arange(data.n_steps), data.offsets[:-1])
    before, now = data.intentions[later - 1], data.intentions[later]
    each = np.eye(2)[now] if bank is None else bank[rows[later], before]
    total = np.zeros((kinds.max() + 1, 2, 2))
    np.add.at(total, (kinds[rows[later]], before), each)
    visits = total.sum(axis=-1, keepdims=True)
    return total / np.maximum(visits, 1.0), np.maximum(visits, 1.0)


def begun(data, timeline):
    """(R, 2) how often sessions began with each intention, row by row."""
    rows = timeline.begins.between(0, data.n_sessions)
    total = np.zeros((timeline.begins.size, 2))
    np.add.at(total, (rows, data.intentions[data.offsets[:-1]]), 1.0)
    return total / total.sum(axis=-1, keepdims=True)


@pairs()
def test_simulation_presents_what_the_schedule_does_and_repeats_itself(told, schedule):
    one, again = (told.sample(ObservedSchedule(schedule), random_state=7) for _ in range(2))
    np.testing.assert_array_equal(one.actions, again.actions)
    np.testing.assert_array_equal(one.intentions, again.intentions)
    np.testing.assert_array_equal(one.states, schedule.states)
    np.testing.assert_array_equal(one.inputs, schedule.inputs)
    np.testing.assert_array_equal(one.observed, schedule.observed)
    assert one.subjects == schedule.subjects
    assert np.isfinite(told.score(one))


@pairs(forgets)
def test_what_was_simulated_leads_back_to_the_model(pair, told, schedule):
    data = told.sample(ObservedSchedule(schedule), random_state=8)
    fitted = told.fit(data)._point
    truth = Point(pair.clock.known, pair.way.known)
    problem = pair.problem(data, 2)
    steps, everything = np.arange(data.n_steps), (0, data.n_sessions)

    def acts(point):
        return problem.choice.proba(point.choice, data, steps)

    orders = [problem.permute(fitted, np.array(order)) for order in ((0, 1), (1, 0))]
    aligned = min(orders, key=lambda point: np.abs(acts(point) - acts(truth)).mean())
    np.testing.assert_allclose(acts(aligned), acts(truth), atol=0.08)
    found, meant = (problem.dynamics.chain(p.dynamics, problem.timeline)(everything) for p in (aligned, truth))
    initial, rows = begun(data, problem.timeline), problem.timeline.moves.between(*everything)
    np.testing.assert_allclose(initial, meant.initial, atol=0.2)  # 66 sessions of each subject
    np.testing.assert_allclose(found.initial, initial, atol=0.1)
    kinds = np.unique((2 * meant.bank).round(), axis=0, return_inverse=True)[1].ravel()  # of matrices of one kind
    moved, visits = followed(data, rows, kinds)
    expected, told_so = (followed(data, rows, kinds, bank)[0] for bank in (meant.bank, found.bank))
    near = 0.8 / np.sqrt(visits)
    assert (np.abs(moved - expected) < np.maximum(0.05, near)).all()
    assert (np.abs(moved - told_so) < np.maximum(0.1, 2 * near)).all()
    worth = problem.objective if given_prior(*pair) else lambda _, expectation: expectation.log_likelihood
    assert worth(fitted, problem.expect(fitted)) >= worth(truth, problem.expect(truth))


@pairs(identified)
def test_the_true_intentions_are_decoded(told, schedule):
    data = told.sample(ObservedSchedule(schedule), random_state=9)
    assert (told.decode(data) == data.intentions).mean() > 0.8
