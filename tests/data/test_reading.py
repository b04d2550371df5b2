"""One door for Python and the command line; what is said of a table is heard, and doubts are told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import hiql
from hiql import read_table
from hiql.data.layout import find_layout
from hiql.errors import BadTable, InvalidParameter, TableWarning
from tests.data.test_codes import same

STEPS = pd.DataFrame(
    {
        "Mouse": ["a", "a", "a", "b", "b", "b"],
        "Day": [1, 1, 2, 1, 1, 1],
        "Trial": [2, 1, 1, 1, 2, 3],
        "state": [0, 1, 0, 1, 0, 1],
        "action": [1, 0, 0, 1, 1, 0],
    }
)
TRIALS = pd.DataFrame({"session": 1, "choice": [0, 1, 1, 0], "reward": [1, 0, 1, 1], "temperature": 21.5})


def cautions(table, **given):
    missing = given.pop("missing", None)
    return find_layout(table, given, missing=missing).cautions(table)


# --- one path -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [STEPS, TRIALS], ids=["steps", "trials"])
def test_python_reads_what_the_command_line_reads(tmp_path, table):
    table.to_csv(tmp_path / "table.csv", index=False)
    data = read_table(table)
    same(data, find_layout(table, {}).read(table))
    same(data, read_table(tmp_path / "table.csv"))
    same(data, hiql.Trajectories.from_dataframe(table))


def test_usual_names_are_recognised_and_steps_sorted():
    data = read_table(STEPS)
    assert data.subjects == ("a", "a", "b")
    assert data.session_names == ("1", "2", "1")
    assert_array_equal(data.states, [1, 0, 0, 1, 0, 1])
    with pytest.warns(TableWarning, match="'Trial' does not always grow"):
        assert_array_equal(read_table(STEPS, step="none").states, [0, 1, 0, 1, 0, 1])


def test_a_table_without_sessions_is_read_and_the_doubt_told():
    with pytest.warns(TableWarning, match="no session column was found, so each subject is one session"):
        data = read_table(TRIALS.drop(columns="session"))
    assert data.n_sessions == 1
    assert data.state_labels[0] == "·"


def test_trials_have_the_states_of_bandit_trials():
    same(read_table(TRIALS, history=2), hiql.bandit_trials(TRIALS, history=2, subject=None))
    with pytest.raises(InvalidParameter, match="n_states is 9; leave it out"):
        read_table(TRIALS, n_states=9)


def test_a_named_state_makes_the_choice_an_action_and_past_trials_contradict_it():
    table = TRIALS.assign(tone=["low", "high", "low", "low"])
    data = read_table(table, state="tone")
    assert data.state_labels == ("high", "low")
    assert_array_equal(data.actions, TRIALS["choice"])
    with pytest.raises(InvalidParameter, match="state is 'tone'; leave out"):
        read_table(table, state="tone", history=2)
    assert_array_equal(read_table(table, state="tone", outcome="reward").outcomes, TRIALS["reward"])


# --- minus one ------------------------------------------------------------------------------------------------


def test_minus_one_is_a_label_like_any_other():
    coded = STEPS.assign(state=[-1, 0, 1, -1, 1, 0], action=[-1, 1, 0, -1, 1, 0])
    with pytest.warns(TableWarning, match="-1 is taken as an? (state|action) like any other .33.3% of the rows"):
        data = read_table(coded)
    assert data.n_observed == 6
    assert data.state_labels == data.action_labels == (-1, 0, 1)
    assert read_table(coded, missing=(-1,)).n_observed == 4
    assert read_table(coded, missing=()).n_observed == 6  # the question is answered, so it is not asked


def test_there_is_no_doubt_about_minus_one_beside_plus_one_or_other_negative_numbers():
    for values in ([-1, 1, 1, -1, 1, -1], [-2, -1, 0, 1, 2, 0]):
        table = STEPS.assign(action=values)
        assert cautions(table) == []
        assert read_table(table).n_observed == 6


def test_in_arrays_minus_one_stays_missing():
    assert hiql.Trajectories.from_arrays([[0, -1, 1]], [[0, 1, -1]]).n_observed == 1


# --- what is missing, by role or by column --------------------------------------------------------------------

ODD = STEPS.rename(columns={"action": "choice_1"}).assign(choice_1=[1, 2, 0, 1, 2, 2])


@pytest.mark.parametrize("key", ["action", "choice_1"])
def test_missing_takes_the_role_and_the_column(key):
    data = read_table(ODD, action="choice_1", missing={key: (0,)})
    assert data.n_observed == 5
    assert data.action_labels == (1, 2)
    assert data.state_labels is None  # states of 0 stay what they are


@pytest.mark.parametrize(
    ("missing", "error", "message"),
    [
        ({"chioce_1": (0,)}, InvalidParameter, "'chioce_1'; name a role or a column .*: state, action, choice_1"),
        ({"reward": (0,)}, InvalidParameter, "'reward'; name a role or a column"),
        ({"action": (7,)}, BadTable, "'7' does not occur in 'choice_1', which holds 0, 1, 2; give the value as it"),
        ((7,), BadTable, "'7' does not occur in 'state' and 'choice_1', which holds 0, 1, 2"),
        (("O",), BadTable, "'O' does not occur"),
    ],
)
def test_what_is_said_in_vain_is_refused(missing, error, message):
    with pytest.raises(error, match=message):
        read_table(ODD, action="choice_1", missing=missing)


@pytest.mark.parametrize("missing", [(np.nan,), ("NA",), ("",), ("1.0",), 1, "1"])
def test_ways_to_say_nothing_and_to_write_a_number_are_understood(missing):
    read_table(ODD, action="choice_1", missing=missing)


# --- several columns ------------------------------------------------------------------------------------------


def test_several_columns_are_one_state():
    table = STEPS.assign(Trial=range(6), x1=[0, 0, 1, 1, 0, np.nan], x3=["l", "r", "l", "l", "l", "r"])
    data = read_table(table, state=["x1", "x3"])
    assert data.state_labels == ("0, l", "0, r", "1, l")
    assert_array_equal(data.states, [0, 1, 2, 2, 0, -1])
    gone = read_table(table, state=("x1", "x3"), missing={"x3": ("r",)})
    assert_array_equal(gone.states, [0, -1, 1, 1, 0, -1])
    assert read_table(table, state=["x1"]).state_labels is None


def test_a_next_state_is_told_in_the_terms_of_the_state():
    table = STEPS.assign(Trial=range(6), x1=[0, 0, 1, 1, 0, 1], x3=list("lrlllr"), next_state=7, y1=0, y3="r")
    assert read_table(table).state_labels == (0, 1, 7)
    assert read_table(table, state="x3").state_labels == ("l", "r")  # next_state is of another state
    pair = read_table(table, state=["x1", "x3"], next_state=["y1", "y3"])
    assert {pair.state_labels[s] for s in pair.next_states} == {"0, r"}
    with pytest.raises(InvalidParameter, match=r"next_state is 'y1'; name as many columns as for the state, x1 \+ x3"):
        read_table(table, state=["x1", "x3"], next_state="y1")


def test_several_columns_are_one_session_and_no_order():
    table = STEPS.assign(run=[1, 2, 1, 1, 1, 1])
    assert read_table(table, session=["Day", "run"]).session_names == ("1, 1", "1, 2", "2, 1", "1, 1")
    for given in ({"step": ["Trial", "run"]}, {"state": ["run", "run"]}):
        with pytest.raises(InvalidParameter, match="name (one column|each column once)"):
            read_table(table, **given)


# --- doubts ---------------------------------------------------------------------------------------------------


def test_a_jump_in_the_trial_number_is_remarked_on():
    trials = [*range(1, 41), *range(43, 60), *range(1, 31)]
    table = pd.DataFrame({"session": ["x"] * 57 + ["y"] * 30, "trial": trials, "state": 0, "action": [0, 1, 1] * 29})
    (text,) = cautions(table)
    assert "'trial' jumps 1 times, in 1 sessions (first from 40 to 43 in session 'x'): about 2 steps" in text
    assert cautions(table.sample(frac=1.0, random_state=0))[0].startswith("'trial' jumps 1 times")
    whole = table[table["session"] == "y"]
    assert cautions(whole) == []
    assert cautions(whole.assign(trial=5 * whole["trial"])) == []  # frames, every fifth
    irregular = np.random.default_rng(0).exponential(size=30).cumsum()
    assert cautions(whole.assign(trial=irregular)) == []  # times


@pytest.mark.parametrize("n_levels", [33, 12_000])
def test_measured_numbers_as_states_are_told_with_the_remedy(n_levels):
    contrast = np.linspace(-1, 1, n_levels)
    table = pd.DataFrame({"session": 1, "state": np.tile(contrast, 2), "action": np.arange(2 * n_levels) % 2})
    with pytest.warns(TableWarning, match=rf"holds {n_levels:,} different numbers .-1 to 1.*pandas.qcut"):
        read_table(table)
    classes = table.assign(state=pd.qcut(table["state"], 4, labels=False))
    assert cautions(classes) == []


def test_many_codes_are_no_measurements():
    table = pd.DataFrame({"session": 1, "state": np.arange(500) % 100, "action": np.arange(500) % 3})
    assert cautions(table) == []


def test_columns_that_mean_nothing_are_listed():
    assert find_layout(TRIALS, {}).unused(TRIALS) == ["temperature"]
    assert find_layout(STEPS, {}).unused(STEPS) == []
