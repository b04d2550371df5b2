"""The reversal task and its mice, rule by rule (paper, §5.3 and Appendix C.3).

Rates are judged by their binomial standard error: five of them, at fixed seeds.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.baselines import CountPolicy, KnownExpert
from hiql.errors import InvalidParameter
from hiql.worlds import simulate_reversal
from hiql.worlds.reversal_task import REACTIVE_TRANSITION, TRANSITION

EXPLOITATION, DISENGAGED, EXPLORATION = range(3)


@pytest.fixture(scope="module")
def cohort():
    return simulate_reversal(random_state=0)


@pytest.fixture(scope="module")
def many():
    """Enough sessions for rates."""
    return simulate_reversal(20, 600, random_state=1, concentration=50.0)


def before(table, column):
    """The column's value in the trial before, NaN in a session's first."""
    return table.groupby("session", sort=False)[column].shift()


def assert_rate(events, rate):
    assert len(events) > 100
    assert abs(np.mean(events) - rate) <= 5 * np.sqrt(rate * (1 - rate) / len(events))


# --- the cohort ---------------------------------------------------------------------------------------------------


def test_the_paper_s_cohort(cohort):
    sessions = cohort.table.groupby("subject")["session"].nunique()
    assert (len(sessions), sessions.sum(), sessions.min()) == (9, 64, 7)
    assert abs(cohort.table.groupby("session").size().mean() - 87) < 5 * np.sqrt(87 / 64)
    assert list(cohort.table.columns) == [
        "subject", "session", "trial", "block", "correct_side", "choice", "reward", "intention",
    ]  # fmt: skip
    assert (cohort.table["trial"] == cohort.table.groupby("session").cumcount() + 1).all()


def test_about_three_quarters_of_the_trials_are_correct(many):
    correct = many.table["choice"] == many.table["correct_side"]
    assert correct.mean() == pytest.approx(0.74, abs=0.02)
    by_intention = correct.groupby(many.table["intention"]).mean()
    assert by_intention[EXPLOITATION] > by_intention[DISENGAGED] > by_intention[EXPLORATION]


def test_same_seed_same_data(cohort):
    pd.testing.assert_frame_equal(simulate_reversal(random_state=0).table, cohort.table)
    np.testing.assert_array_equal(simulate_reversal(random_state=0).transition, cohort.transition)
    assert not simulate_reversal(random_state=1).table["choice"].equals(cohort.table["choice"])
    pd.testing.assert_frame_equal(simulate_reversal(random_state=np.random.default_rng(0)).table, cohort.table)


# --- the task -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [{}, {"criterion": 0.6, "window": 10, "min_block": 12}, {"window": 25}])
def test_the_side_flips_exactly_when_it_is_mastered(rules):
    criterion, window, min_block = ({"criterion": 0.75, "window": 15, "min_block": 20} | rules).values()
    table = simulate_reversal(3, 40, random_state=2, **rules).table
    n_flips = 0
    for _, session in table.groupby("session"):
        side, correct = session["correct_side"].to_numpy(), (session["choice"] == session["correct_side"]).to_numpy()
        start = 0
        for t in range(len(side) - 1):
            in_block = t + 1 - start
            recent = correct[max(t + 1 - window, 0) : t + 1]
            flip = in_block >= max(min_block, window) and recent.mean() >= criterion
            assert (side[t + 1] != side[t]) == flip
            start = t + 1 if flip else start
            n_flips += flip
        blocks = session["block"].to_numpy()
        np.testing.assert_array_equal(np.diff(blocks), np.diff(side) != 0)
        assert blocks[0] == 0
    assert n_flips > 80


def test_the_first_side_is_random(many):
    first = many.table.groupby("session").head(1)
    assert_rate(first["correct_side"], 0.5)
    assert_rate(first["choice"], 0.5)


def test_reward_is_certain_on_the_correct_side_only(cohort):
    assert (cohort.table["reward"] == (cohort.table["choice"] == cohort.table["correct_side"])).all()


def test_other_reward_probabilities():
    table = simulate_reversal(9, 100, random_state=3, reward_probability=0.8, reward_probability_wrong=0.1).table
    correct = table["choice"] == table["correct_side"]
    assert_rate(table["reward"][correct], 0.8)
    assert_rate(table["reward"][~correct], 0.1)


# --- the mice -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("intention", "after_loss", "after_win"),
    [(EXPLOITATION, 0.05, 0.95), (DISENGAGED, 0.5, 0.8), (EXPLORATION, 0.05, 0.05)],
)
def test_each_strategy(many, intention, after_loss, after_win):
    table = many.table
    stayed = table["choice"] == before(table, "choice")
    for reward, rate in ((0, after_loss), (1, after_win)):
        assert_rate(stayed[(before(table, "reward") == reward) & (table["intention"] == intention)], rate)
        assert many.stay[intention, reward] == pytest.approx(rate)


def test_without_lapses_strategies_are_pure():
    table = simulate_reversal(random_state=4, lapse=0.0).table
    stayed, won = table["choice"] == before(table, "choice"), before(table, "reward")
    exploits = (table["intention"] == EXPLOITATION) & won.notna()
    assert (stayed[exploits] == won[exploits].astype(bool)).all()
    assert not stayed[(table["intention"] == EXPLORATION) & won.notna()].any()
    assert stayed[(table["intention"] == DISENGAGED) & (won == 1)].all()


def test_lapses_alone_are_coin_flips():
    table = simulate_reversal(random_state=5, lapse=1.0).table
    assert_rate((table["choice"] == before(table, "choice"))[table["trial"] > 1], 0.5)


def test_each_mouse_follows_its_own_chain(many):
    intention = before(many.table, "intention")
    for mouse, name in enumerate(many.subjects[:4]):
        mine = many.table["subject"] == name
        for z in range(3):
            following = many.table["intention"][mine & (intention == z)]
            for other in range(3):
                assert_rate(following == other, many.transition[mouse, z, other])


def test_sessions_begin_with_the_initial_distribution():
    same = simulate_reversal(9, 800, n_trials=2, random_state=6, concentration=np.inf)
    first = same.table.groupby("session").head(1)["intention"]
    for z in range(3):
        assert_rate(first == z, same.common_initial[z])


def test_concentration_sets_how_alike_the_mice_are():
    spread = []
    for concentration in (10.0, 100.0, 1000.0):
        cohort = simulate_reversal(300, 300, 1, random_state=7, concentration=concentration)
        np.testing.assert_allclose(cohort.transition.sum(axis=2), 1.0)
        common = np.array(TRANSITION)
        np.testing.assert_allclose(cohort.transition.mean(axis=0), common, atol=0.05)
        expected = np.sqrt(common * (1 - common) / (concentration + 1))
        np.testing.assert_allclose(cohort.transition.std(axis=0), expected, rtol=0.3)
        spread.append(cohort.transition.std(axis=0).mean())
    assert spread[0] > spread[1] > spread[2]
    alike = simulate_reversal(concentration=np.inf)
    assert (alike.transition == np.array(TRANSITION)).all()


def test_exploration_is_unstable(many):
    assert (many.transition[:, EXPLORATION, EXPLORATION] < many.transition[:, EXPLOITATION, EXPLOITATION]).mean() > 0.9


def test_other_strategies_and_impossible_switches():
    cohort = simulate_reversal(
        2, 8, stay=[[0, 1], [1, 1]], lapse=(0.1, 0.0), initial=(1, 0), transition=[[0.9, 0.1], [0, 1]]
    )
    assert cohort.intentions == ("0", "1")
    assert (cohort.transition[:, 1] == [0, 1]).all()
    assert (cohort.table.groupby("session")["intention"].diff().dropna() >= 0).all()


# --- mice that react to the loss of reward ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reactive():
    return simulate_reversal(20, 600, random_state=1, concentration=np.inf, transition=REACTIVE_TRANSITION)


def test_a_reacting_mouse_follows_one_chain_after_a_loss_and_another_after_a_win(reactive):
    intention, reward = before(reactive.table, "intention"), before(reactive.table, "reward")
    assert reactive.transition.shape == (20, 2, 3, 3)
    for won, z in ((0, EXPLOITATION), (1, EXPLOITATION), (0, DISENGAGED), (1, DISENGAGED), (0, EXPLORATION)):
        following = reactive.table["intention"][(intention == z) & (reward == won)]
        for other in range(3):
            assert_rate(following == other, reactive.transition[0, won, z, other])


def explored_after(cohort, lag):
    """How often exploration rules ``lag`` trials after a change of blocks."""
    table = cohort.table
    changes = np.flatnonzero((before(table, "block") != table["block"]) & (table["trial"] > 1))
    shown = changes[changes + lag < len(table)] + lag
    return (table["intention"].to_numpy()[shown] == EXPLORATION).mean()


def test_exploration_follows_changes_of_blocks_only_in_mice_that_react(many, reactive):
    assert explored_after(reactive, 1) > 5 * explored_after(reactive, -1)
    assert explored_after(many, 1) < 2.5 * explored_after(many, -1)


def test_reacting_mice_are_correct_as_often(reactive):
    correct = reactive.table["choice"] == reactive.table["correct_side"]
    assert correct.mean() == pytest.approx(0.74, abs=0.02)


def test_the_same_chain_after_losses_and_wins_is_a_chain_that_does_not_react(cohort):
    twice = simulate_reversal(random_state=0, transition=[TRANSITION, TRANSITION], concentration=np.inf)
    once = simulate_reversal(random_state=0, concentration=np.inf)
    pd.testing.assert_frame_equal(twice.table, once.table)


# --- on to the models ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("history", [0, 1, 3])
def test_bandit_trials_with_the_true_intentions(cohort, history):
    data = cohort.trajectories(history)
    plain = hiql.bandit_trials(cohort.table, history=history)
    np.testing.assert_array_equal(data.states, plain.states)
    np.testing.assert_array_equal(data.actions, cohort.table["choice"])
    np.testing.assert_array_equal(data.intentions, cohort.table["intention"])
    assert set(data.by_subject()) == set(cohort.subjects)
    assert (data.n_sessions, data.n_actions) == (64, 2)


def test_the_true_policies_are_the_ceiling(many):
    data = many.trajectories(2)
    policy = many.policy(data)
    np.testing.assert_allclose(policy.sum(axis=2), 1.0)
    np.testing.assert_allclose(policy[:, 0], 0.5)
    for z in range(3):
        chosen = data.intentions == z
        counts = np.zeros((data.n_states, 2))
        np.add.at(counts, (data.states[chosen], data.actions[chosen]), 1)
        enough = counts.sum(axis=1) > 300
        found = counts[enough, 1] / counts[enough].sum(axis=1)
        np.testing.assert_allclose(found, policy[z, enough, 1], atol=0.1)
    assert KnownExpert(policy).fit(data).score(data) > CountPolicy(0.0).fit(data).score(data)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_mice": 0}, "n_mice is 0; choose a whole number ≥ 1"),
        ({"n_mice": 9, "n_sessions": 8}, "n_sessions is 8; choose a whole number ≥ 9, one for each mouse"),
        ({"n_trials": 0}, "n_trials is 0; choose a number > 0"),
        ({"n_trials": np.inf}, "n_trials is inf"),
        ({"concentration": 0}, "concentration is 0"),
        ({"concentration": np.nan}, "concentration is nan"),
        ({"lapse": 1.5}, "lapse is 1.5"),
        ({"lapse": (0.1, 0.1)}, "one for each of 3 strategies"),
        ({"stay": [0.1, 0.2]}, "stay is"),
        ({"stay": [[0.1, 2.0]]}, "stay is"),
        ({"initial": (0.5, 0.5)}, r"initial is \[0.5, 0.5\]; give probabilities of shape \(3,\)"),
        ({"transition": np.ones((3, 3))}, "whose rows have sum 1"),
        ({"reward_probability": 1.1}, "reward_probability is 1.1"),
        ({"reward_probability_wrong": -0.1}, "reward_probability_wrong is -0.1"),
        ({"criterion": 75}, "criterion is 75"),
        ({"window": 0}, "window is 0"),
        ({"min_block": 2.5}, "min_block is 2.5"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        simulate_reversal(**parameters)
