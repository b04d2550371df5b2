"""Inputs, contexts, outcomes, order and day: validated once, read-only, and through everything that takes parts."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import hiql
from hiql import Trajectories
from hiql.data.folds import identical_sessions
from hiql.errors import BadColumns, HiqlError, InputNotFinite, ShapeMismatch, UnequalLengths


@pytest.fixture
def data() -> Trajectories:
    return Trajectories.from_arrays(
        None,
        [[0, 1, 1], [1, 0], [0, 0, 1, 1]],
        subjects=["a", "b", "a"],
        inputs=[np.arange(6.0).reshape(3, 2), np.full((2, 2), -1.0), np.ones((4, 2))],
        input_names=["stimulus", "dopamine"],
        contexts={"cue": [["x", "y", "x"], ["z", None], ["x", "x", "x", "x"]], "block": [[1] * 3, [2] * 2, [1] * 4]},
        outcomes=[[1, 0, 1], [0, np.nan], [1, 1, 0, 0.5]],
        session_order=[3, 0, 7],
        session_days=[1, np.nan, 12],
    )


def test_what_was_given_is_there(data):
    assert data.n_states == 1
    assert data.states.tolist() == [0] * 9
    assert data.inputs.shape == (9, 2)
    assert data.inputs.dtype == np.float64
    assert data.input_names == ("stimulus", "dopamine")
    assert data.context_labels == (("x", "y", "z"), (1, 2))
    assert data.contexts[:, 0].tolist() == [0, 1, 0, 2, -1, 0, 0, 0, 0]
    assert np.array_equal(data.outcomes, [1, 0, 1, 0, np.nan, 1, 1, 0, 0.5], equal_nan=True)
    assert data.session_order.tolist() == [3, 0, 7]


@pytest.mark.parametrize("name", ["inputs", "contexts", "outcomes", "session_order", "session_days"])
def test_columns_are_read_only_and_leave_the_callers_array_alone(data, name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(data, name)[0] = 0
    given = np.array(getattr(data, name))
    replace(data, **{name: given})
    given[0] = 0


def test_data_without_columns_have_none_and_pay_nothing():
    plain = Trajectories.from_arrays([[0, 1], [1]], [[0, 0], [1]], subjects=["a", "a"])
    assert plain.inputs.shape == (3, 0)
    assert plain.inputs.nbytes == plain.contexts.nbytes == 0
    assert plain.outcomes is None
    assert plain.session_order.tolist() == [0, 1]
    assert np.isnan(plain.session_days).all()
    assert list(plain.to_dataframe()) == ["subject", "session", "step", "state", "action", "next_state"]


def test_selection_takes_all_columns_along(data):
    part = data.select([2, 0])
    assert part.inputs.tolist() == [*data.inputs[5:].tolist(), *data.inputs[:3].tolist()]
    assert part.contexts.tolist() == [*data.contexts[5:].tolist(), *data.contexts[:3].tolist()]
    assert part.outcomes.tolist() == [1, 1, 0, 0.5, 1, 0, 1]
    assert part.session_order.tolist() == [7, 3]
    assert part.session_days.tolist() == [12, 1]
    of_b = data.by_subject()["b"]
    assert of_b.inputs.tolist() == [[-1, -1], [-1, -1]]
    assert np.isnan(of_b.outcomes[1])
    fold = hiql.session_folds(data, 3)[0]
    assert data.select(fold.train).inputs.shape[1] == 2


def test_pickles_hold_all_columns(data):
    assert_same(pickle.loads(pickle.dumps(data)), data)


def test_the_table_of_steps_has_all_columns(data):
    table = data.to_dataframe()
    assert table["stimulus"].tolist() == data.inputs[:, 0].tolist()
    assert table["cue"].tolist()[:4] == ["x", "y", "x", "z"]
    assert table["cue"].isna().tolist() == [False] * 4 + [True] + [False] * 4
    assert table["session_order"].tolist() == [3] * 3 + [0] * 2 + [7] * 4
    assert table["day"].isna().sum() == 2
    assert table["outcome"].iloc[-1] == 0.5


def test_an_input_with_the_name_of_another_column_does_not_replace_it(data):
    table = replace(data, input_names=("state", "action")).to_dataframe()
    assert table["state"].tolist() == [0] * 9
    assert table["input_action"].tolist() == data.inputs[:, 1].tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_inputs_that_are_no_numbers_are_named_with_their_place(bad):
    inputs = [np.zeros((2, 2)), np.array([[0, 0], [0, bad], [bad, 0]])]
    with pytest.raises(InputNotFinite, match=f"input 'dopamine' is {bad} at session 'late', step 1"):
        Trajectories.from_arrays(
            None,
            [[0, 1], [0, 1, 0]],
            inputs=inputs,
            input_names=["stimulus", "dopamine"],
            session_names=["early", "late"],
        )


def test_steps_with_a_missing_input_carry_no_evidence_if_the_user_says_so():
    actions = [[0, 1, 1, 0]]
    inputs = [[0.0, np.nan, np.inf, 1.0]]
    data = Trajectories.from_arrays(None, actions, inputs=inputs, missing_inputs="skip")
    assert data.observed.tolist() == [True, False, False, True]
    assert data.n_observed == 2
    assert np.isnan(data.inputs[1:3]).all()
    missing = Trajectories.from_arrays(None, [[0, -1, -1, 0]], n_actions=2)
    model = hiql.HIQL(1, pseudo_count=1.0).fit(missing)
    assert model.score(data) == model.score(missing)
    assert hiql.HIQL(1, pseudo_count=1.0).fit(data).policy_ == pytest.approx(model.policy_)


def test_minus_one_is_a_number_like_any_other():
    data = Trajectories.from_arrays(None, [[0, 1, 0]], inputs=[[-1, 0, 1]])
    assert data.inputs[:, 0].tolist() == [-1, 0, 1]
    assert data.n_observed == 3


def test_inputs_of_one_session_and_of_many_in_one_array():
    single = Trajectories.from_arrays(None, [0, 1, 0], inputs=np.arange(6.0).reshape(3, 2))
    assert single.inputs.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert Trajectories.from_arrays(None, [0, 1, 0], inputs=np.arange(3.0)).input_names == ("input_0",)
    several = Trajectories.from_arrays(None, [[0, 1], [1, 0]], inputs=np.arange(8.0).reshape(2, 2, 2))
    assert several.inputs.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    one_input = Trajectories.from_arrays(None, [[0, 1], [1, 0]], inputs=np.array([[0.0, 1], [2, 3]]))
    assert one_input.inputs[:, 0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"inputs": [np.zeros((2, 1)), np.zeros((3, 2))]}, ShapeMismatch, "same columns"),
        ({"inputs": [np.zeros((2, 1))]}, UnequalLengths, "input sessions"),
        ({"inputs": [np.zeros(2), np.zeros(2)]}, UnequalLengths, "session '1'"),
        ({"inputs": [["a", "b"], [1, 2, 3]]}, BadColumns, "not a number"),
        ({"inputs": [np.zeros(2), np.zeros(3)], "input_names": ["a", "b"]}, UnequalLengths, "input_names"),
        ({"inputs": [np.zeros((2, 2)), np.zeros((3, 2))], "input_names": ["a", "a"]}, BadColumns, "two input"),
        ({"inputs": [np.zeros(2), np.zeros(3)], "input_names": [" "]}, BadColumns, "give it a name"),
        ({"input_names": ["a"]}, BadColumns, "without inputs"),
        ({"inputs": [np.zeros(2), np.zeros(3)], "missing_inputs": "drop"}, HiqlError, "missing_inputs"),
        ({"outcomes": [[1, 0], [np.inf, 0, 1]]}, BadColumns, "session '1', step 0"),
        ({"outcomes": [[1, 0], [0, 1]]}, UnequalLengths, "outcome"),
        ({"contexts": {"cue": [["a"], ["b"] * 3]}}, UnequalLengths, "cue"),
        ({"session_days": [np.inf, 1]}, BadColumns, "session '0'"),
        ({"session_order": [1]}, UnequalLengths, "session_order"),
    ],
)
def test_columns_that_do_not_fit_are_named(wrong, error, message):
    with pytest.raises(error, match=message):
        Trajectories.from_arrays(None, [[0, 1], [0, 1, 0]], **wrong)


def test_codes_of_contexts_and_outcomes_need_labels(data):
    with pytest.raises(BadColumns, match="context 'block' has code 2 at session '1', step 0"):
        replace(data, contexts=np.where(data.contexts == 1, 2, data.contexts))
    with pytest.raises(BadColumns, match="outcome is 0.5"):
        replace(data, outcome_labels=("lost", "won"))


def test_sessions_that_differ_in_their_inputs_are_not_identical():
    same = {"states": None, "actions": [[0, 1], [0, 1], [0, 1]]}
    assert identical_sessions(Trajectories.from_arrays(**same)) == [0, 0, 0]
    assert identical_sessions(Trajectories.from_arrays(**same, inputs=[[1, 2], [1, 3], [1, 2]])) == [0, 1, 0]


def assert_same(one: Trajectories, other: Trajectories) -> None:
    """Equal in every field, also where numbers are missing."""
    for name, value in vars(other).items():
        if name in Trajectories.__dataclass_fields__:
            found = getattr(one, name)
            if isinstance(value, np.ndarray):
                assert found.dtype == value.dtype, name
                assert np.array_equal(found, value, equal_nan=value.dtype.kind == "f"), name
            else:
                assert found == value, name
