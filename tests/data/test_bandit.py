"""Bandit trials as histories, against a naive implementation that keeps a list."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hiql import bandit_trials
from hiql.errors import BadTable, ColumnNotFound, EmptyData, InvalidParameter, TableWarning


def trials(choices, rewards, sessions=0):
    return pd.DataFrame({"subject": "m", "session": sessions, "choice": choices, "reward": rewards})


def naive_histories(table, history):
    """For each trial, the last (outcome, choice) pairs of its session, the most recent first."""
    seen, histories = {}, []
    for row in table.itertuples():
        past = seen.setdefault((row.subject, row.session), [])
        histories.append(tuple(past[:history]))
        if not pd.isna(row.choice):
            past.insert(0, (row.reward, row.choice))
    return histories


@st.composite
def bandits(draw):
    choices = draw(st.sampled_from(["LR", "LMR", "A"]))
    outcomes = draw(st.sampled_from(["+-", "012", "x"]))
    rows = st.tuples(
        st.sampled_from("ab"), st.integers(0, 1), st.sampled_from([*choices, None]), st.sampled_from(outcomes)
    )
    table = pd.DataFrame(
        draw(st.lists(rows, min_size=1, max_size=40)), columns=["subject", "session", "choice", "reward"]
    )
    # Every choice and outcome occurs, in a session of its own.
    seen = [("z", 0, c, o) for c in choices for o in outcomes]
    return pd.concat([table, pd.DataFrame(seen, columns=table.columns)], ignore_index=True), choices, outcomes


@given(bandits(), st.integers(0, 4))
def test_states_are_the_naive_histories(drawn, history):
    table, choices, outcomes = drawn
    data = bandit_trials(table, history=history)
    m = len(choices) * len(outcomes)
    assert data.n_states == sum(m**length for length in range(history + 1))
    assert data.n_actions == len(choices)
    order = table.groupby(["subject", "session"], sort=False).ngroup().argsort(kind="stable")
    naive = [naive_histories(table, history)[i] for i in order]
    # The same state if and only if the same history, for any two trials.
    state_of = dict(zip(naive, data.states, strict=True))
    assert_array_equal(data.states, [state_of[past] for past in naive])
    assert len(set(data.states)) == len(state_of)
    came = [None if code < 0 else sorted(choices)[code] for code in data.actions]
    assert came == [None if pd.isna(c) else c for c in table["choice"].iloc[order]]


@given(bandits(), st.integers(1, 3))
def test_labels_say_what_the_history_was(drawn, history):
    table, _, _ = drawn
    data = bandit_trials(table, history=history)
    assert len(set(data.state_labels)) == data.n_states
    order = table.groupby(["subject", "session"], sort=False).ngroup().argsort(kind="stable")
    for state, i in zip(data.states, order, strict=True):
        past = [
            choice + {"0": "-", "1": "+"}.get(outcome, outcome)
            for outcome, choice in naive_histories(table, history)[i]
        ]
        assert data.state_labels[state] == " ".join(past + ["·"] * (history - len(past)))


def test_a_session_by_hand():
    data = bandit_trials(trials([0, 1, 1, 0, 1], [1, 0, 1, 0, 0], [5, 5, 5, 6, 6]), history=2)
    assert [data.state_labels[s] for s in data.states] == ["· ·", "0+ ·", "1- 0+", "· ·", "0- ·"]
    assert data.n_states == 1 + 4 + 16
    assert_array_equal(data.actions, [0, 1, 1, 0, 1])
    assert_array_equal(data.next_states[[1, 2, 3, 4]], [data.states[2], -1, data.states[4], -1])
    assert data.session_names == ("5", "6")


@pytest.mark.parametrize("missed", [np.nan, -1])
@pytest.mark.parametrize("no_reward", [np.nan, -1, 0])
def test_a_missed_trial_is_a_missing_step_and_no_part_of_histories(missed, no_reward):
    said = {"choice": (-1,) if missed == -1 else (), "reward": ()}
    data = bandit_trials(trials([0, missed, 1, 0], [1, no_reward, 0, 1]), history=1, missing=said)
    assert_array_equal(data.actions, [0, -1, 1, 0])
    assert [data.state_labels[s] for s in data.states] == ["·", "0+", "0+", "1-"]
    assert data.n_observed == 3


def test_no_history_is_a_single_state():
    data = bandit_trials(trials([0, 1, 0], [1, 0, 1]), history=0)
    assert (data.n_states, data.state_labels) == (1, ("any",))
    assert_array_equal(data.states, [0, 0, 0])


def test_long_outcomes_are_set_apart_in_labels():
    data = bandit_trials(trials(["L", "R"], ["food", "none"]), history=1)
    assert data.state_labels == ("·", "L:food", "R:food", "L:none", "R:none")


def test_reads_files_sorts_by_step_and_takes_other_columns(tmp_path):
    table = pd.DataFrame({"day": 1, "t": [2, 1, 3], "side": ["R", "L", "L"], "won": [0, 1, 1]})
    table.to_csv(tmp_path / "bandit.csv", index=False)
    columns = {"choice": "side", "outcome": "won", "session": "day", "subject": None, "step": "t"}
    data = bandit_trials(tmp_path / "bandit.csv", history=1, **columns)
    assert [data.state_labels[s] for s in data.states] == ["·", "L+", "R-"]
    assert data.action_labels == ("L", "R")


def test_minus_one_is_a_value_unless_we_are_told():
    table = trials([0, 1, 0], [-1, 0, 1])
    with pytest.warns(TableWarning, match="-1 is taken as an outcome like any other"):
        assert bandit_trials(table, history=1).n_states == 1 + 6
    assert bandit_trials(table, history=1, missing=()).n_states == 1 + 6
    with pytest.warns(TableWarning, match="-1 is taken as a choice like any other"):
        assert bandit_trials(trials([-1, 1, 0], [0, 1, 0]), history=1).action_labels == (-1, 0, 1)


def test_a_jump_in_the_trial_number_is_remarked_on():
    table = trials([0, 1, 0, 1], [1, 0, 0, 1]).assign(trial=[1, 2, 3, 7])
    with pytest.warns(TableWarning, match="'trial' jumps 1 times.* from 3 to 7"):
        bandit_trials(table, history=1, step="trial")
    bandit_trials(table, history=1)


def test_missing_outcomes_can_be_told():
    table = trials([0, 1, 0], [-1, 0, 1])
    assert bandit_trials(table, history=1, missing=(-1,)).n_states == 1 + 4


@pytest.mark.parametrize(
    ("table", "options", "error", "words"),
    [
        (trials([0, 1], [0, 1]), {"missing": {"choise": (1,)}}, InvalidParameter, ["'choise'", "choice, outcome"]),
        (trials([0, 1], [0, 1]), {"missing": {"choice": (9,)}}, BadTable, ["'9'", "'choice', which holds 0, 1"]),
        (trials([-1, np.nan], [0, 1]), {"missing": (-1,)}, EmptyData, ["every choice is missing", "column names"]),
        (trials([0, 1], [np.nan, np.nan]), {}, EmptyData, ["every outcome is missing"]),
        (trials([], []), {}, EmptyData, ["no rows"]),
        (trials([0, 1], [0, 1]), {"history": -1}, InvalidParameter, ["history is -1", "whole number ≥ 0"]),
        (trials([0, 1], [0, 1]), {"history": 1.5}, InvalidParameter, ["history is 1.5"]),
        (trials([0, 1], [0, 1]), {"history": 20}, InvalidParameter, ["history is 20", "shorter", "states"]),
        (trials([0, 1], [0, 1]), {"outcome": "rewrad"}, ColumnNotFound, ["outcome", "did you mean 'reward'"]),
        (trials([0, 1], [0, 1]).drop(columns="subject"), {}, ColumnNotFound, ["'subject'", "subject='none'"]),
    ],
)
def test_bad_trials_are_named_errors(table, options, error, words):
    with pytest.raises(error) as caught:
        bandit_trials(table, **options)
    assert [word for word in words if word not in str(caught.value)] == []
