"""The simulated expert, rule by rule (paper, §5.1, Appendix C.1, and what its authors ran).

Rates are judged by their binomial standard error: five of them, at fixed seeds.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hiql.errors import InvalidParameter
from hiql.worlds import simulate_two_goals
from hiql.worlds.gridworld import MOVES
from hiql.worlds.planning import value_iteration

GOAL, ABANDON = 0, 1
ORIGIN, DESTINATION = 0, 24
BARRIERS = (2, 7, 12, 11, 10)


@pytest.fixture(scope="module")
def simulated():
    return simulate_two_goals(20_000, random_state=1)


@pytest.fixture(scope="module")
def data(simulated):
    return simulated.data


@pytest.fixture(scope="module", params=[None, 10.0, 1.0], ids=["greedy", "determined", "wandering"])
def switches(request):
    """Of every step but the first of a session: time, on a barrier?, and the intentions before and now."""
    data = simulate_two_goals(20_000, inverse_temperature=request.param, random_state=1).data
    now = np.flatnonzero(data.time > 0)
    barrier = np.isin(data.states[now], BARRIERS)
    return data.time[now], barrier, data.intentions[now - 1], data.intentions[now]


def assert_rate(events, rate):
    assert len(events) > 100
    assert abs(events.mean() - rate) < 5 * np.sqrt(rate * (1 - rate) / len(events))


def test_sessions_start_at_the_origin_with_the_goal_in_mind(data):
    first = data.offsets[:-1]
    assert_array_equal(data.states[first], ORIGIN)
    assert_array_equal(data.intentions[first], GOAL)


def test_sessions_end_on_reaching_the_destination_or_the_origin_from_elsewhere_and_nowhere_earlier(data):
    home = (data.next_states == ORIGIN) & (data.states != ORIGIN)
    assert_array_equal(np.flatnonzero(home | (data.next_states == DESTINATION)), data.offsets[1:] - 1)
    bumps = (data.next_states == ORIGIN) & (data.states == ORIGIN)
    assert bumps.sum() > 100  # they stay at the start, and go on
    assert data.lengths.min() > 1


def test_next_states_are_the_states_that_follow(data):
    within = data.session_of_step[1:] == data.session_of_step[:-1]
    assert_array_equal(data.next_states[:-1][within], data.states[1:][within])


def test_one_action_in_ten_is_replaced_by_any_of_the_five(data):
    here = np.stack([data.states % 5, data.states // 5], axis=1)
    there = np.stack([data.next_states % 5, data.next_states // 5], axis=1)
    inside = ((here > 0) & (here < 4)).all(axis=1)  # away from the walls every direction leads elsewhere
    moved, meant = (there - here)[inside], MOVES[data.actions[inside]]
    for action in range(4):
        chosen = data.actions[inside] == action
        assert_rate((moved[chosen] != meant[chosen]).any(axis=1), 0.1 * 4 / 5)
        for instead in set(range(5)) - {action}:
            assert_rate((moved[chosen] == MOVES[instead]).all(axis=1), 0.1 / 5)


def test_the_expert_is_greedy(simulated, data):
    best = simulated.policy.argmax(axis=2)
    assert set(simulated.policy.ravel()) == {0.0, 1.0}
    assert_array_equal(data.actions, best[data.intentions, data.states])
    for intention in (GOAL, ABANDON):
        q = value_iteration(simulated.world, simulated.arrival_reward[intention])
        assert_allclose(q[np.arange(25), best[intention]], q.max(axis=1), atol=1e-8)


def test_with_a_temperature_actions_follow_the_softmax():
    simulated = simulate_two_goals(20_000, inverse_temperature=10.0, random_state=1)
    data = simulated.data
    for intention, state in [(GOAL, 6), (GOAL, 18), (ABANDON, 6), (ABANDON, 7)]:
        chosen = data.actions[(data.intentions == intention) & (data.states == state)]
        shares = np.bincount(chosen, minlength=5) / len(chosen)
        assert len(chosen) > 500
        assert_allclose(shares, simulated.policy[intention, state], atol=5 * 0.5 / np.sqrt(len(chosen)))


@pytest.mark.parametrize("intention", [GOAL, ABANDON])
def test_a_barrier_changes_the_mind_three_times_in_ten_both_ways_and_at_any_time(switches, intention):
    time, barrier, before, now = switches
    there = barrier & (before == intention)
    assert_rate((now != before)[there], 0.3)
    assert_rate((now != before)[there & (time != 8)], 0.3)


@pytest.mark.parametrize("switches", [1.0], indirect=True)  # the determined are rarely there at that time
def test_a_barrier_takes_precedence_at_the_eighth_step(switches):
    time, barrier, before, now = switches
    for intention in (GOAL, ABANDON):
        assert_rate((now != before)[barrier & (time == 8) & (before == intention)], 0.3)


def test_elsewhere_half_give_up_at_the_eighth_step(switches):
    time, barrier, before, now = switches
    assert_rate((now == ABANDON)[~barrier & (time == 8) & (before == GOAL)], 0.5)


def test_nothing_else_changes_the_mind(switches):
    time, barrier, before, now = switches
    elsewhere = ~barrier & ((time != 8) | (before == ABANDON))
    assert_array_equal(now[elsewhere], before[elsewhere])


def test_sessions_take_about_eight_steps(data):
    assert data.lengths.mean() == pytest.approx(8, abs=1)


def test_the_truth_is_kept(simulated, data):
    assert (data.n_sessions, data.n_states, data.n_actions) == (20_000, 25, 5)
    assert data.intentions.shape == data.states.shape
    assert simulated.intentions == ("goal", "abandon")
    assert_array_equal(simulated.reward, np.eye(25)[[DESTINATION, ORIGIN]])
    assert_allclose(simulated.arrival_reward[GOAL, 23, 3], 0.92)  # right, from beside the destination
    assert simulated.policy.shape == (2, 25, 5)
    assert simulated.barriers == BARRIERS
    assert simulated.world.discount == 0.9


def test_the_seed_decides():
    first, again, other = (simulate_two_goals(50, random_state=seed).data for seed in (3, 3, 4))
    assert_array_equal(first.states, again.states)
    assert_array_equal(first.intentions, again.intentions)
    assert not np.array_equal(first.states, other.states)


def test_fewer_sessions_are_the_first_of_more():
    few, many = (simulate_two_goals(n).data for n in (24, 124))
    assert_array_equal(few.actions, many.select(range(24)).actions)
    assert_array_equal(few.next_states, many.select(range(24)).next_states)


def test_a_generator_is_used_as_it_is():
    draws = [simulate_two_goals(20, random_state=np.random.default_rng(5)).data.states for _ in range(2)]
    assert_array_equal(*draws)


def plain_authors_session(random, expert):
    """One session, written down from the description of what the authors did: cells (x, y), one draw after another."""
    moves, names = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)], ["stay", "right", "left", "up", "down"]
    walls = {(2, 0), (2, 1), (2, 2), (1, 2), (0, 2)}
    x, y, intention, t, steps = 0, 0, GOAL, 0, []

    def towards(move):
        to = x + move[0], y + move[1]
        return to if min(to) >= 0 and max(to) <= 4 else (x, y)

    while True:
        if (x, y) in walls:
            intention = 1 - intention if random.random_sample() < 0.3 else intention
        elif t == 8:
            intention = ABANDON if random.random_sample() < 0.5 else intention
        preferred = expert.world.action_names[expert.policy[intention, x + 5 * y].argmax()]
        action = random.choice(5, p=np.eye(5)[names.index(preferred)])
        chances = np.zeros(25)
        for move in moves:
            chances[np.dot(towards(move), [5, 1])] += 0.02
        chances[np.dot(towards(moves[action]), [5, 1])] += 0.9
        arrived = divmod(int(random.choice(25, p=chances)), 5)
        steps.append((x + 5 * y, arrived[0] + 5 * arrived[1], intention))
        over = arrived == (4, 4) or (arrived == (0, 0) != (x, y))
        (x, y), t = arrived, t + 1
        if over:
            return steps


def test_the_default_is_the_authors_expert_draw_by_draw():
    expert = simulate_two_goals(100)
    random = np.random.RandomState(10015)
    steps = np.array([step for _ in range(100) for step in plain_authors_session(random, expert)])
    assert_array_equal(expert.data.states, steps[:, 0])
    assert_array_equal(expert.data.next_states, steps[:, 1])
    assert_array_equal(expert.data.intentions, steps[:, 2])


def test_the_rules_can_be_set():
    steadfast = simulate_two_goals(300, random_state=0, switch_at_barrier=0.0, give_up=0.0).data
    assert_array_equal(steadfast.intentions, GOAL)
    fickle = simulate_two_goals(300, random_state=0, barriers=((1, 3), (2, 2), (3, 1)), switch_at_barrier=1.0).data
    at_barrier = np.flatnonzero(np.isin(fickle.states, (16, 12, 8)))
    assert len(at_barrier) > 100
    assert_array_equal(fickle.intentions[at_barrier], 1 - fickle.intentions[at_barrier - 1])
    late = simulate_two_goals(300, random_state=0, switch_at_barrier=1.0, give_up=0.0, on_leaving=True).data
    later = np.flatnonzero(late.time > 0)
    assert_array_equal(np.diff(late.intentions)[later - 1] != 0, np.isin(late.states[later - 1], BARRIERS))
    early = simulate_two_goals(300, random_state=0, switch_at_barrier=0.0, give_up=1.0, give_up_step=1).data
    assert_array_equal(early.intentions[early.time > 0], ABANDON)


def test_at_least_one_session():
    with pytest.raises(InvalidParameter, match="n_sessions is 0; simulate at least 1"):
        simulate_two_goals(0)


def test_barriers_lie_on_the_grid():
    with pytest.raises(InvalidParameter, match=r"barriers is \(5, 0\)"):
        simulate_two_goals(1, barriers=((5, 0),))
