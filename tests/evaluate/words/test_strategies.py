"""Strategies in three numbers, and their names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.data.histories import latest_trial
from hiql.errors import ShapeMismatch
from hiql.evaluate.animals.stages import new_model
from hiql.evaluate.words.strategies import (
    ARCHETYPES,
    in_order_of_archetypes,
    name_strategies,
    profile_of_policy,
    strategy_profile,
    sure_strategies,
)
from hiql.worlds.reversal_task import simulate_reversal


@pytest.fixture(scope="module")
def cohort():
    return simulate_reversal(3, 12, 60, 20)


@pytest.mark.parametrize("name", ARCHETYPES)
def test_an_archetype_has_its_own_name_even_with_lapses(name):
    win_stay, lose_switch = 0.9 * np.array(ARCHETYPES[name]) + 0.05
    assert name_strategies([[0.5, win_stay, lose_switch]]) == (name,)


def test_duplicates_are_numbered_and_sorted_by_archetype():
    profile = np.array([[1.0, 0.0, 1.0], [0.2, 0.9, 0.9], [0.2, 1.0, 1.0], [0.3, 0.9, 0.5]])
    assert name_strategies(profile) == ("exploration", "exploitation", "exploitation 2", "disengaged")
    assert in_order_of_archetypes(profile).tolist() == [1, 2, 3, 0]


def test_a_profile_of_the_wrong_shape_is_refused():
    with pytest.raises(ShapeMismatch, match="switch, win-stay and lose-switch"):
        name_strategies([[0.5, 0.5]])


def test_unknown_numbers_count_as_undecided():
    assert name_strategies([[np.nan, np.nan, np.nan]]) == ("random",)


@pytest.mark.parametrize("history", [1, 2, 3])
def test_the_profile_of_a_known_policy_does_not_depend_on_the_history(cohort, history):
    data = cohort.trajectories(history)
    profile = profile_of_policy(cohort.policy(data), np.ones((3, data.n_states)), data)
    np.testing.assert_allclose(profile[:, 1], cohort.stay[:, 1])
    np.testing.assert_allclose(profile[:, 2], 1.0 - cohort.stay[:, 0])


def test_switching_is_the_mean_over_wins_and_losses_by_their_visits(cohort):
    data = cohort.trajectories(1)
    won = latest_trial(data).reward > 0
    profile = profile_of_policy(cohort.policy(data), np.tile(np.where(won, 3.0, 1.0), (3, 1)), data)
    np.testing.assert_allclose(profile[:, 0], 0.75 * (1 - profile[:, 1]) + 0.25 * profile[:, 2])


def test_a_single_intention_switches_as_often_as_the_animals_did(cohort):
    data = cohort.trajectories(2)
    model = new_model(1, pseudo_count=1e-9).fit(data)
    choice = cohort.table["choice"].to_numpy()
    later = data.time > 0
    switched = np.mean(choice[later] != choice[np.flatnonzero(later) - 1])
    assert strategy_profile(model, data)[0, 0] == pytest.approx(switched, abs=1e-6)


def test_only_what_is_sure_is_named():
    points = [(0.97, 0.95), (0.95, 0.05), (0.05, 0.9), (0.97, 0.5), (0.5, 0.5), (0.8, 0.7)]
    profile = [(0.3, win_stay, lose_switch) for win_stay, lose_switch in points]
    assert sure_strategies(profile) == ["exploitation", "perseveration", "exploration", None, None, None]


def test_who_follows_rewards_is_neither_disengaged_nor_biased():
    """Stays after a win, does either after a loss, in a task that pays one side: mostly there, yet not biased."""
    rng = np.random.default_rng(0)
    rows = []
    for session in range(30):
        choice = 1
        for _ in range(100):
            reward = int(rng.random() < (0.9 if choice == 1 else 0.3))
            rows.append((session, choice, reward))
            choice = choice if reward and rng.random() < 0.97 else int(rng.integers(2))
    data = hiql.read_table(pd.DataFrame(rows, columns=["session", "choice", "reward"]))
    model = hiql.HIQL(1).fit(data)
    assert name_strategies(strategy_profile(model, data)) == ("disengaged",)
    assert np.mean(data.actions == 1) > 0.8
    assert hiql.evaluate.suggest_names(model, data) == ("intention 1",)


def test_a_side_bias_is_called_so_and_missing_outcomes_get_no_name():
    rng = np.random.default_rng(0)
    choices = np.where(rng.random((20, 60)) < 0.92, "R", "L")
    table = pd.DataFrame(
        {"session": np.repeat(range(20), 60), "choice": choices.ravel(), "reward": rng.integers(2, size=1200)}
    )
    data = hiql.bandit_trials(table, history=1, subject=None)
    model = hiql.HIQL(1).fit(data)
    assert hiql.evaluate.suggest_names(model, data) == ("bias to R",)
    only_wins = hiql.bandit_trials(table.assign(reward=1), history=1, subject=None)
    assert hiql.evaluate.suggest_names(hiql.HIQL(1).fit(only_wins), only_wins) == ("intention 1",)
