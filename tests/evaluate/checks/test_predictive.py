"""Predictive checks: statistics by hand, data of the model itself, and data that are not."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.errors import InvalidParameter, UnequalLengths
from hiql.evaluate import name_intentions, predictive_check
from hiql.evaluate.checks.statistics import input_statistics, trial_statistics
from tests.dynamics.clocks import SwitchingByPlace, SwitchingByPlaceLeft
from tests.evaluate.known import LEFT, RIGHT, corridor, known_model

WORLD = corridor()
MODEL = known_model(WORLD, [LEFT, RIGHT], transition=[[0.9, 0.1], [0.2, 0.8]])
OWN = MODEL.sample(WORLD, 50, 30, random_state=5)


def test_by_hand():
    """The policies say what is decoded: LLLRR and RRL have 2 switches in 6 steps, runs of 3, 1 and 2, 2."""
    data = hiql.Trajectories.from_arrays([[3] * 5, [3] * 3], [[0, 0, 0, 1, 1], [1, 1, 0]], n_states=7, n_actions=3)
    table = predictive_check(MODEL, WORLD, data, n_samples=20, names=["l", "r"])
    assert list(table.columns) == ["real", "simulated", "low", "high", "inside"]
    expected = {"rate of 0": 0.5, "rate of 1": 0.5, "rate of 2": 0.0, "switch rate": 1 / 3}
    expected |= {"dwell time, l": 2.0, "dwell time, r": 2.0}
    assert table["real"].drop("occupancy distance").to_dict() == pytest.approx(expected)
    assert table.loc["occupancy distance", "real"] > 0.3


def test_data_of_the_model_itself_lie_inside():
    table = predictive_check(MODEL, WORLD, OWN, n_samples=200, level=0.99)
    assert table["inside"].all(), table
    assert (table["low"] <= table["simulated"]).all()
    assert (table["simulated"] <= table["high"]).all()


@pytest.mark.slow
def test_a_range_of_95_percent_holds_95_percent():
    """20 data sets of the model × 7 statistics: about 7 of 140 outside."""
    tables = [
        predictive_check(MODEL, WORLD, MODEL.sample(WORLD, 50, 30, random_state=seed, start=3), 50, seed)
        for seed in range(20)
    ]
    assert 0.88 <= np.mean([table["inside"].mean() for table in tables]) <= 0.99


def test_shuffled_steps_lie_outside():
    """Shuffling the steps of each session keeps occupancy and rates, and breaks the spells."""
    order = np.lexsort((np.random.default_rng(0).random(OWN.n_steps), OWN.session_of_step))
    shuffled = replace(OWN, states=OWN.states[order], actions=OWN.actions[order], next_states=OWN.next_states[order])
    inside = predictive_check(MODEL, WORLD, shuffled, n_samples=100, level=0.99)["inside"]
    assert not inside["switch rate"]
    assert not inside["dwell time, intention 1"]
    assert inside["rate of 0"]
    assert inside["occupancy distance"]


def test_data_from_another_place_lie_outside():
    elsewhere = known_model(WORLD, [[0.2, 0.6, 0.2]] * 2).sample(WORLD, 50, 30)
    table = predictive_check(MODEL, WORLD, elsewhere, n_samples=100)
    assert not table.loc["occupancy distance", "inside"]
    assert not table.loc["rate of 1", "inside"]


def test_an_intention_that_never_occurs():
    model = known_model(WORLD, [LEFT, RIGHT], np.eye(2) * (1 - 2e-12) + 1e-12, initial=[1 - 1e-12, 1e-12])
    table = predictive_check(model, WORLD, model.sample(WORLD, 5, 10), n_samples=5)
    assert np.isnan(table.loc["dwell time, intention 2", "real"])
    assert table.loc["dwell time, intention 2", "inside"]


def test_the_seed_decides_and_the_number_of_jobs_does_not():
    tables = [predictive_check(MODEL, WORLD, OWN, 10, random_state=s, n_jobs=n) for s, n in ((0, 1), (0, 2), (1, 1))]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])


def test_wrong_questions():
    with pytest.raises(UnequalLengths, match="names has length 1"):
        predictive_check(MODEL, WORLD, OWN, names=["l"])
    with pytest.raises(InvalidParameter, match="level is 95"):
        predictive_check(MODEL, WORLD, OWN, level=95)


def test_real_mice(cohort, maze):
    """Mice that are not thirsty behave as the model says. Thirsty ones do not change their mind at any step alike:
    they turn back at the water, which a chain that knows no places cannot."""
    model = hiql.HIAVI(2, mdp=maze.mdp).fit(maze.data)
    names = name_intentions(model, maze.mdp, maze.data)
    table = predictive_check(model, maze.mdp, maze.data, n_samples=100, names=names)
    assert table.loc["occupancy distance", "inside"] == (cohort == "unrestricted")
    assert table.loc["switch rate", "inside"] == (cohort == "unrestricted")


@pytest.mark.parametrize("clock", [SwitchingByPlace, SwitchingByPlaceLeft])
def test_thirsty_mice_that_turn_at_the_water_pass_for_real_ones(thirsty, clock):
    """Whether the clock asks for the node entered or for the one left: simulation must read the row it asks for.

    With the node left, the rate of reverse lies at the edge of its range: inside with 200 samples (seeds 0, 1, 2) and
    1000, just outside with 100.
    """
    model = hiql.HIAVI(2, mdp=thirsty.mdp, dynamics=clock(places=(100,)), progress=False).fit(thirsty.data)
    table = predictive_check(model, thirsty.mdp, thirsty.data, progress=False)
    print(table.round(3).to_string())
    assert len(table) == 8
    assert table["inside"].all(), table


# --- tables of trials -----------------------------------------------------------------------------------------


def one_trial_table(session, choices, rewards):
    return pd.DataFrame({"subject": "a", "session": session, "choice": choices, "reward": rewards})


def test_statistics_of_trials_by_hand():
    """Changes within sessions only; a missed trial is skipped. Runs: LL, R, L and R, LL: 7 trials in 5 runs."""
    first = one_trial_table(0, [0, None, 0, 1, 0], [1, None, 0, 1, 1])
    second = one_trial_table(1, [1, 0, 0], [0, 1, 0])
    data = hiql.bandit_trials(pd.concat([first, second]), history=0)
    found = trial_statistics(data)
    assert found["mean outcome"] == pytest.approx(4 / 7)
    assert found["change of action after reward"] == pytest.approx(1 / 3)  # L+L, R+L, L+L
    assert found["change of action after none"] == pytest.approx(1.0)  # L-R, R-L
    assert found["run of one action"] == pytest.approx(7 / 5)


def test_inputs_by_action_leave_memories_out():
    data = hiql.Trajectories.from_arrays(
        None, [[0, 1, 1, -1]], n_actions=2, inputs=[[1.0, 2.0, 4.0, 100.0]], input_names=["tone"]
    )
    assert input_statistics(data.with_memory((2,), ("choice",))) == {"mean tone at 0": 1.0, "mean tone at 1": 3.0}


def test_a_true_model_of_trials_passes_and_a_wrong_one_does_not():
    """Win-stay animals in a bandit: a model of the last trial makes animals like them, one without a memory cannot."""
    table = hiql.worlds.simulate_reversal(3, 12, stay=[[0.2, 0.95]], lapse=0, initial=[1], transition=[[1]]).table
    task = hiql.worlds.ReversalTask()
    tables = {}
    for history in (0, 1):
        data = hiql.bandit_trials(table, history=history)
        model = hiql.HIQL(1, progress=False).fit(data)
        tables[history] = predictive_check(model, task, data, n_samples=60, level=0.99)
    rows = ["mean outcome", "change of action after reward", "change of action after none", "run of one action"]
    assert tables[1].loc[rows, "inside"].all(), tables[1]
    assert not tables[0].loc[rows, "inside"].any(), tables[0]


def test_real_mice_in_their_own_blocks():
    """Mice of the model, in the blocks of real ones, earn about what these do if baits wait as they did, else less."""
    folder = os.environ.get("HIQL_DATA_DIR")
    if not folder:
        pytest.skip("needs the bandit data: set HIQL_DATA_DIR")
    table = pd.read_csv(Path(folder) / "bandit" / "mice_bandit.csv.gz")
    table = table[table["session"].isin(table["session"].unique()[:8])]
    data = hiql.bandit_trials(table, history=2)
    model = hiql.HIQL(2, progress=False).fit(data)
    earned = {}
    for baited in (True, False):
        schedule = hiql.worlds.ObservedSchedule(data, table[["p_left", "p_right"]], baited)
        checked = predictive_check(model, schedule, data, n_samples=20, level=0.99, progress=False)
        print(checked.round(3).to_string())
        assert np.isfinite(checked[["real", "simulated", "low", "high"]]).all(axis=None)
        earned[baited] = checked.loc["mean outcome"]
    assert abs(earned[True]["simulated"] - earned[True]["real"]) < 0.03
    assert earned[False]["high"] < earned[False]["real"]
