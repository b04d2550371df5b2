"""The container: flat, ragged, read-only, validated once."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from hiql import Trajectories
from hiql.errors import (
    ActionOutOfRange,
    EmptyData,
    InvalidParameter,
    NotAnInteger,
    ShapeMismatch,
    StateOutOfRange,
    UnequalLengths,
)

STATES = [[0, 1, 2], [2], [1, 0]]
ACTIONS = [[1, 0, 1], [0], [1, 1]]


@pytest.fixture
def data():
    return Trajectories.from_arrays(
        STATES,
        ACTIONS,
        subjects=["a", "b", "a"],
        session_names=["x", "y", "z"],
        intentions=[[0, 0, 1], [1], [0, 0]],
    )


def test_sessions_lie_one_after_another(data):
    assert_array_equal(data.states, [0, 1, 2, 2, 1, 0])
    assert_array_equal(data.actions, [1, 0, 1, 0, 1, 1])
    assert_array_equal(data.offsets, [0, 3, 4, 6])
    assert_array_equal(data.lengths, [3, 1, 2])
    assert_array_equal(data.session_of_step, [0, 0, 0, 1, 2, 2])
    assert_array_equal(data.time, [0, 1, 2, 0, 0, 1])
    assert (data.n_sessions, data.n_steps, data.n_states, data.n_actions) == (3, 6, 3, 2)
    assert data.session(2) == slice(4, 6)
    assert data.locate(5) == ("z", 1)
    assert repr(data) == "Trajectories(3 sessions of 2 subject(s), 6 steps (0 missing), 3 states, 2 actions)"


def test_next_states_follow_within_a_session_only(data):
    assert_array_equal(data.next_states, [1, 2, -1, -1, 0, -1])


def test_given_next_states_are_kept_and_count_as_states():
    data = Trajectories.from_arrays([[0, 1]], [[0, 0]], next_states=[[1, 5]])
    assert_array_equal(data.next_states, [1, 5])
    assert data.n_states == 6


@pytest.mark.parametrize(
    ("states", "lengths"),
    [
        (np.array([[0, 1], [1, 0]]), [2, 2]),
        (np.array([0, 1, 1]), [3]),
        ([0, 1, 1], [3]),
        ([[0, 1], [1]], [2, 1]),
        ((np.array([0]), pd.Series([1, 1])), [1, 2]),
        (np.array([[0, 1], [1]], dtype=object), [2, 1]),
        (iter([[0, 1], [1]]), [2, 1]),
        (pd.Series([0, 1]), [2]),
    ],
    ids=["2-D", "1-D", "list", "ragged", "mixed", "object", "iterator", "series"],
)
def test_sessions_may_come_in_many_forms(states, lengths):
    actions = [np.zeros(n, int) for n in lengths]
    assert_array_equal(Trajectories.from_arrays(states, actions).lengths, lengths)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64, float, bool, object])
def test_any_number_type_is_a_code(dtype):
    codes = np.array([0, 1, 1, 0]).astype(dtype)
    data = Trajectories.from_arrays(codes, codes)
    assert_array_equal(data.states, [0, 1, 1, 0])
    assert data.states.dtype == np.int32


# --- missing steps ---------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [-1, np.nan, None, pd.NA], ids=repr)
def test_a_missing_state_or_action_carries_no_evidence(missing):
    data = Trajectories.from_arrays([[0, missing, 1, 1]], [[0, 1, missing, 1]])
    assert_array_equal(data.states, [0, -1, 1, 1])
    assert_array_equal(data.actions, [0, 1, -1, 1])
    assert_array_equal(data.pairs, [0, 4, 4, 3])  # s·A + a, and S·A where anything is missing
    assert_array_equal(data.pair_counts, [[1, 0], [0, 1]])
    assert data.n_observed == 2
    assert data.n_steps == 4


# --- read-only -------------------------------------------------------------------------------------

ARRAYS = (
    "states",
    "actions",
    "next_states",
    "offsets",
    "lengths",
    "intentions",
    "pairs",
    "pair_counts",
    "time",
    "session_of_step",
)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("through", [lambda d: d, lambda d: pickle.loads(pickle.dumps(d)), lambda d: d.select([0])])
def test_arrays_are_read_only(data, name, through):
    with pytest.raises(ValueError, match="read-only"):
        getattr(through(data), name)[0] = 1


def test_pickling_keeps_everything(data):
    again = pickle.loads(pickle.dumps(data))
    pd.testing.assert_frame_equal(again.to_dataframe(), data.to_dataframe())
    assert (again.session_names, again.subjects) == (data.session_names, data.subjects)


def test_the_callers_arrays_stay_theirs():
    states = np.array([[0, 1, 1]], dtype=np.int32)
    data = Trajectories.from_arrays(states, [[0, 0, 0]])
    states[0, 0] = 1
    assert data.states[0] == 0


# --- parts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [[2, 0], np.array([2.0, 0.0]), [-1, 0]])
def test_select_takes_sessions_in_the_given_order(data, chosen):
    part = data.select(chosen)
    assert part.session_names == ("z", "x")
    assert part.subjects == ("a", "a")
    assert_array_equal(part.states, [1, 0, 0, 1, 2])
    assert_array_equal(part.next_states, [0, -1, 1, 2, -1])
    assert_array_equal(part.intentions, [0, 0, 0, 0, 1])
    assert (part.n_states, part.n_actions) == (3, 2)


def test_select_by_mask_one_index_or_with_repeats(data):
    assert data.select([False, True, False]).session_names == ("y",)
    assert data.select(1).session_names == ("y",)
    assert data.select([1, 1]).session_names == ("y", "y")


@pytest.mark.parametrize(
    ("chosen", "error", "words"),
    [
        ([], EmptyData, ["no session was selected", "at least one"]),
        ([False] * 3, EmptyData, ["no session was selected"]),
        ([3], InvalidParameter, ["session index", "3", "0 to 2"]),
        ([-4], InvalidParameter, ["-4"]),
        ([0.5], InvalidParameter, ["0.5", "whole numbers"]),
        ([True], UnequalLengths, ["mask", "1", "3"]),
    ],
)
def test_select_refuses_what_is_not_a_session(data, chosen, error, words):
    with pytest.raises(error) as caught:
        data.select(chosen)
    assert all(word in str(caught.value) for word in words)


def test_by_subject_in_order_of_appearance(data):
    parts = data.by_subject()
    assert list(parts) == ["a", "b"]
    assert parts["a"].session_names == ("x", "z")
    assert parts["b"].session_names == ("y",)


# --- errors at the door ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"states": [[0, 9]], "n_states": 3}, StateOutOfRange, ["state 9", "'s'", "step 1", "0…2", "recode"]),
        ({"states": [[0, -2]]}, StateOutOfRange, ["state -2", "'s'", "step 1", "-1 marks a missing"]),
        ({"states": [[0, 2**40]], "n_states": 3}, StateOutOfRange, [str(2**40), "step 1"]),
        ({"next_states": [[0, 9]], "n_states": 3}, StateOutOfRange, ["next state 9", "step 1"]),
        (
            {"actions": [[0, 9]], "n_actions": 4},
            ActionOutOfRange,
            ["action 9", "'s'", "step 1", "0…3", "recode"],
        ),
        ({"actions": [[-5, 0]]}, ActionOutOfRange, ["action -5", "step 0"]),
        ({"states": [[0, 0.5]]}, NotAnInteger, ["state 0.5", "'s'", "step 1", "round"]),
        ({"actions": [["a", 0]]}, NotAnInteger, ["action 'a'", "'s'", "step 0", "from_dataframe"]),
        ({"actions": [[0, np.inf]]}, NotAnInteger, ["action inf", "step 1"]),
        ({"actions": [[0]]}, UnequalLengths, ["action", "1", "2", "'s'", "give one for each"]),
        ({"next_states": [[0]]}, UnequalLengths, ["next state", "1", "2", "'s'"]),
        ({"intentions": [[0]]}, UnequalLengths, ["intention", "1", "2", "'s'"]),
        ({"actions": [[0, 1], [0]]}, UnequalLengths, ["action sessions", "2", "1"]),
        ({"subjects": ["a", "b"]}, UnequalLengths, ["subjects", "2", "1"]),
        ({"session_names": ["a", "b"]}, UnequalLengths, ["session_names", "2", "1"]),
        ({"state_labels": ["a"], "n_states": 2}, UnequalLengths, ["state_labels", "1", "n_states", "2"]),
        (
            {"states": [], "actions": [], "session_names": None},
            EmptyData,
            ["no sessions", "at least one session"],
        ),
        ({"states": np.zeros((1, 0)), "session_names": None}, UnequalLengths, ["action sessions"]),
        ({"states": [[]], "actions": [[]]}, EmptyData, ["session 's' has no steps", "drop it"]),
        ({"states": [[-1, -1]]}, EmptyData, ["every state is missing", "n_states"]),
        ({"actions": [[np.nan, -1]]}, EmptyData, ["every action is missing", "n_actions"]),
        ({"states": np.zeros((2, 2, 2))}, ShapeMismatch, ["session of states", "(2, 2)", "(steps,)", "1-D"]),
    ],
)
def test_bad_input_is_named_and_located(arguments, error, words):
    with pytest.raises(error) as caught:
        Trajectories.from_arrays(**({"states": [[0, 1]], "actions": [[0, 1]], "session_names": ["s"]} | arguments))
    assert [word for word in words if word not in str(caught.value)] == []


def test_errors_name_the_right_session_among_many():
    with pytest.raises(StateOutOfRange) as caught:
        Trajectories.from_arrays([[0] * 5, [0, 1, 7], [1]], [[0] * 5, [0] * 3, [0]], n_states=2)
    assert caught.value.details == {"state": 7, "session": "1", "step": 2, "n_states": 2, "field": "state"}


def test_the_constructor_itself_checks_that_sizes_agree(data):
    from dataclasses import replace

    with pytest.raises(UnequalLengths, match="actions has length 5"):
        replace(data, actions=data.actions[:5])
    with pytest.raises(UnequalLengths, match="states has length 6"):
        replace(data, offsets=np.array([0, 3, 4, 7]))
