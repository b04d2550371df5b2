"""Inputs, contexts, outcomes, order and day of tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql import read_table
from hiql.data.layout import find_layout, layout_from_dict
from hiql.data.table_columns import Extra
from hiql.errors import BadTable, ColumnNotFound, HiqlError, InputNotFinite, InvalidParameter

TABLE = pd.DataFrame(
    {
        "mouse": ["b"] * 3 + ["a"] * 3,
        "session": [1, 1, 1, 1, 1, 1],
        "trial": [2, 1, 3, 1, 2, 3],
        "choice": ["left", "right", "left", "left", "left", "right"],
        "reward": [1, 0, 1, 0, 0, 1],
        "stimulus": [-1, 0, 1, -1, 1, 0],
        "dopamine": [0.5, 0.25, -3, 1e3, 0, 7],
        "cue": ["go", "stop", "go", "wait", "go", "go"],
        "block": [1, 1, 2, 2, 2, 2],
        "date": ["2026-11-02"] * 3 + ["2026-11-05"] * 3,
    }
)
ONE = {"state": "none", "session": "session", "subject": "mouse", "step": "trial"}


def test_columns_follow_their_steps_through_the_sorting():
    data = read_table(TABLE, **ONE, inputs=["stimulus", "dopamine"], contexts="block", outcome="reward")
    assert data.n_states == 1
    assert data.action_labels == ("left", "right")
    assert data.input_names == ("stimulus", "dopamine")
    assert data.inputs[:3].tolist() == [[0, 0.25], [-1, 0.5], [1, -3]]  # by trial number
    assert data.context_labels == ((1, 2),)
    assert data.contexts[:, 0].tolist() == [0, 0, 1, 1, 1, 1]
    assert data.outcomes.tolist() == [0, 1, 1, 0, 0, 1]
    assert data.n_observed == 6  # -1 is a number


def test_a_column_of_words_becomes_indicators():
    data = read_table(TABLE, **ONE, inputs=["cue"])
    assert data.input_names == ("cue=go", "cue=stop", "cue=wait")
    assert data.inputs.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0]]
    as_levels = TABLE.assign(block=TABLE["block"].astype("category"))
    assert read_table(as_levels, **ONE, inputs="block").input_names == ("block=1", "block=2")


def test_numbers_written_as_text_and_truth_values_are_numbers():
    table = TABLE.assign(stimulus=["-1", "0", " 1", "-1.0", "1", "0"], cue=[True, False] * 3)
    data = read_table(table, **ONE, inputs=["stimulus", "cue"])
    assert data.inputs[:, 0].tolist() == [0, -1, 1, -1, 1, 0]
    assert data.inputs[:, 1].tolist() == [0, 1, 1, 0, 1, 0]


def test_trials_with_histories_have_columns_too():
    data = read_table(TABLE, history=1, subject="mouse", inputs=["stimulus"], memory=(1, 4))
    assert data.n_states == 5
    assert data.input_names == (
        "stimulus", "choice_tau1", "choice_reward_tau1", "choice_tau4", "choice_reward_tau4",
    )  # fmt: skip
    np.testing.assert_array_equal(data.inputs[:, 1:], hiql.bandit_trials(TABLE, 1, subject="mouse", step="trial",
        memory=(1, 4)).inputs)  # fmt: skip


def test_steps_without_outcomes_remember_their_choices():
    assert read_table(TABLE, **ONE, memory=[2]).input_names == ("choice_tau2",)


def test_order_and_day_of_sessions():
    table = pd.concat([TABLE, TABLE.assign(session=2, date="2026-11-09", order=0)]).fillna({"order": 7})
    data = read_table(table, **ONE, day="date", order="order")
    assert data.session_names == ("1", "1", "2", "2")
    assert data.session_days.tolist() == [0, 0, 7, 4]
    assert data.session_order.tolist() == [7, 7, 0, 0]
    by_date = read_table(table, **ONE, day="order", order="date")
    assert by_date.session_order.tolist() == [0, 0, 1, 1]
    assert by_date.session_days.tolist() == [7, 7, 0, 0]


@pytest.mark.parametrize(
    ("change", "options", "error", "message"),
    [
        ({"dopamine": [0.5, None, 1, 2, 3, 4]}, {"inputs": "dopamine"}, InputNotFinite, "is nan.*'1', step 0"),
        ({"dopamine": [0.5, 1, 1, 2, np.inf, 4]}, {"inputs": "dopamine"}, InputNotFinite, "is inf.*'1', step 1"),
        ({"dopamine": [1, "bad", 1, 2, 3, 4]}, {"inputs": "dopamine"}, BadTable, "numbers, and 'bad' among them"),
        ({"dopamine": ["0,5", "1", "1", "2", "3", "4"]}, {"inputs": "dopamine"}, BadTable, "write 0.5, not 0,5"),
        ({"dopamine": pd.to_datetime(TABLE["date"])}, {"inputs": "dopamine"}, BadTable, "holds times"),
        ({}, {"inputs": ["dopamin"]}, ColumnNotFound, "did you mean 'dopamine'"),
        ({}, {"inputs": ["dopamine", "dopamine"]}, InvalidParameter, "each column once"),
        ({}, {"contexts": ["blok"]}, ColumnNotFound, "did you mean 'block'"),
        ({}, {"day": "trial"}, BadTable, "changes within session '1', at step 1"),
        ({"date": ["soon"] * 6}, {"day": "date"}, BadTable, "neither numbers nor dates"),
        ({}, {"inputs": ["stimulus"], "missing_inputs": "drop"}, InvalidParameter, "missing_inputs"),
        ({}, {"memory": (0,)}, InvalidParameter, "time constants"),
        ({"cue": [f"word{i}" for i in range(6)]}, {"inputs": ["cue"]}, None, ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(change, options, error, message):
    table = TABLE.assign(**change)
    if error is None:
        assert len(read_table(table, **ONE, **options).input_names) == 6
        return
    with pytest.raises(error, match=message):
        read_table(table, **ONE, **options)


def test_too_many_words_are_no_indicators(monkeypatch):
    monkeypatch.setattr("hiql.data.table_columns.MOST_LEVELS", 2)
    with pytest.raises(BadTable, match="3 different words"):
        read_table(TABLE, **ONE, inputs=["cue"])


def test_missing_inputs_are_skipped_or_marked_if_the_user_says_so():
    table = TABLE.assign(dopamine=[-99, 0.25, np.nan, 1, 2, 3])
    options = {"missing": {"dopamine": (-99,)}, "missing_inputs": "skip"}
    data = read_table(table, **ONE, inputs=["dopamine", "stimulus"], **options)
    assert data.observed.tolist() == [True, False, False, True, True, True]
    assert data.n_observed == 4
    marked = read_table(TABLE.assign(cue=["?"] + ["go"] * 5), **ONE, contexts=["cue"], missing={"cue": ("?",)})
    assert marked.contexts[:, 0].tolist() == [0, -1, 0, 0, 0, 0]
    assert marked.n_observed == 6  # a context that is unknown costs no evidence


def test_a_layout_with_columns_is_remembered():
    extra = Extra(("stimulus",), ("block",), day="date", memory=(1.0, 4.0), missing={"stimulus": (9,)})
    layout = find_layout(TABLE, ONE | {"outcome": "reward"}, extra=extra)
    assert layout_from_dict(layout.to_dict()) == layout
    assert "stimulus" not in layout.unused(TABLE)
    assert "cue" in layout.unused(TABLE)
    old = {name: value for name, value in layout.to_dict().items() if name != "extra"}  # as 0.1 wrote it
    assert layout_from_dict(old).extra == Extra()
    for wrong in ({"extra": 3}, {"extra": {"no_such": 1}}):
        with pytest.raises(HiqlError, match="name the columns again"):
            layout_from_dict(layout.to_dict() | wrong)
