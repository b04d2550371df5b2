"""The simulated expert, rule by rule (paper, §5.1 and the pseudo-code of Appendix C.1).

Rates are judged by their binomial standard error: five of them, at fixed seeds.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hiql.errors import InvalidParameter
from hiql.worlds import simulate_two_goals
from hiql.worlds.gridworld import MOVES

GOAL, ABANDON = 0, 1
ORIGIN, DESTINATION = 0, 24


@pytest.fixture(scope="module")
def simulated():
    return simulate_two_goals(20_000, random_state=1)


@pytest.fixture(scope="module")
def data(simulated):
    return simulated.data


@pytest.fixture(scope="module", params=[10.0, 1.0], ids=["determined", "wandering"])
def switches(request):
    """Of every step but the last of a session: time, at a barrier?, and the intentions before and after."""
    simulated = simulate_two_goals(20_000, inverse_temperature=request.param, random_state=1)
    data = simulated.data
    within = np.flatnonzero(data.session_of_step[1:] == data.session_of_step[:-1])
    barrier = np.isin(data.next_states[within], simulated.barriers)
    return data.time[within], barrier, data.intentions[within], data.intentions[within + 1]


def assert_rate(events, rate):
    assert len(events) > 100
    assert abs(events.mean() - rate) < 5 * np.sqrt(rate * (1 - rate) / len(events))


def test_sessions_start_at_the_origin_with_the_goal_in_mind(data):
    first = data.offsets[:-1]
    assert_array_equal(data.states[first], ORIGIN)
    assert_array_equal(data.intentions[first], GOAL)


def test_sessions_end_at_the_origin_or_the_destination_and_nowhere_earlier(data):
    ends = np.isin(data.next_states, [ORIGIN, DESTINATION])
    assert_array_equal(np.flatnonzero(ends), data.offsets[1:] - 1)
    assert {ORIGIN, DESTINATION} == set(data.next_states[ends])


def test_next_states_are_the_states_that_follow(data):
    within = data.session_of_step[1:] == data.session_of_step[:-1]
    assert_array_equal(data.next_states[:-1][within], data.states[1:][within])


def test_one_move_in_ten_slips_in_a_random_direction(data):
    here = np.stack([data.states % 5, data.states // 5], axis=1)
    there = np.stack([data.next_states % 5, data.next_states // 5], axis=1)
    inside = ((here > 0) & (here < 4)).all(axis=1)  # away from the walls every direction leads elsewhere
    moved, meant = (there - here)[inside], MOVES[data.actions[inside]]
    for action in range(4):
        chosen = data.actions[inside] == action
        assert_rate((moved[chosen] != meant[chosen]).any(axis=1), 0.1 * 3 / 4)
        for direction in set(range(4)) - {action}:
            assert_rate((moved[chosen] == MOVES[direction]).all(axis=1), 0.1 / 4)


def test_actions_follow_the_policy_of_the_intention(simulated, data):
    for intention, state in [(GOAL, 6), (GOAL, 18), (ABANDON, 6), (ABANDON, 12)]:
        chosen = data.actions[(data.intentions == intention) & (data.states == state)]
        shares = np.bincount(chosen, minlength=5) / len(chosen)
        assert len(chosen) > 500
        assert_allclose(shares, simulated.policy[intention, state], atol=5 * 0.5 / np.sqrt(len(chosen)))


@pytest.mark.parametrize("intention", [GOAL, ABANDON])
def test_a_barrier_changes_the_mind_three_times_in_ten_both_ways_and_at_any_time(switches, intention):
    time, barrier, before, after = switches
    there = barrier & (before == intention)
    assert_rate((after != before)[there], 0.3)
    assert_rate((after != before)[there & (time != 8)], 0.3)


@pytest.mark.parametrize("switches", [1.0], indirect=True)  # the determined are rarely there at that time
def test_a_barrier_takes_precedence_at_the_eighth_step(switches):
    time, barrier, before, after = switches
    for intention in (GOAL, ABANDON):
        assert_rate((after != before)[barrier & (time == 8) & (before == intention)], 0.3)


def test_elsewhere_half_give_up_at_the_eighth_step(switches):
    time, barrier, before, after = switches
    assert_rate((after == ABANDON)[~barrier & (time == 8) & (before == GOAL)], 0.5)


def test_nothing_else_changes_the_mind(switches):
    time, barrier, before, after = switches
    elsewhere = ~barrier & ((time != 8) | (before == ABANDON))
    assert_array_equal(after[elsewhere], before[elsewhere])


def test_sessions_take_about_eight_steps(data):
    assert data.lengths.mean() == pytest.approx(8, abs=1)


def test_the_truth_is_kept(simulated, data):
    assert (data.n_sessions, data.n_states, data.n_actions) == (20_000, 25, 5)
    assert data.intentions.shape == data.states.shape
    assert simulated.intentions == ("goal", "abandon")
    assert_array_equal(simulated.reward, np.eye(25)[[DESTINATION, ORIGIN]])
    assert simulated.policy.shape == (2, 25, 5)
    assert simulated.barriers == (16, 12, 8)
    assert simulated.world.discount == 0.9


def test_the_seed_decides():
    first, again, other = (simulate_two_goals(50, random_state=seed).data for seed in (3, 3, 4))
    assert_array_equal(first.states, again.states)
    assert_array_equal(first.intentions, again.intentions)
    assert not np.array_equal(first.states, other.states)


def test_the_rates_can_be_set():
    steadfast = simulate_two_goals(300, random_state=0, switch_at_barrier=0.0, give_up=0.0).data
    assert_array_equal(steadfast.intentions, GOAL)
    fickle = simulate_two_goals(300, random_state=0, switch_at_barrier=1.0).data
    at_barrier = np.flatnonzero(np.isin(fickle.states, (16, 12, 8)))
    assert len(at_barrier) > 100
    assert_array_equal(fickle.intentions[at_barrier], 1 - fickle.intentions[at_barrier - 1])
    early = simulate_two_goals(300, random_state=0, switch_at_barrier=0.0, give_up=1.0, give_up_step=0).data
    elsewhere = (early.time > 0) & (early.states != ORIGIN)
    assert_array_equal(early.intentions[elsewhere], ABANDON)


def test_at_least_one_session():
    with pytest.raises(InvalidParameter, match="n_sessions is 0; simulate at least 1"):
        simulate_two_goals(0)
