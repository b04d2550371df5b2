"""Tables in: the file formats, the sessions found in them, and what is wrong with the tables people have."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from hiql import Trajectories, read_table
from hiql.errors import BadTable, ColumnNotFound, EmptyData, StateOutOfRange

TABLE = pd.DataFrame(
    {
        "mouse": ["m1", "m1", "m2", "m2", "m1"],
        "session": [1, 1, 1, 1, 2],
        "trial": [1, 2, 1, 2, 1],
        "state": ["home", "arm", "arm", "home", "arm"],
        "action": [0, 1, 1, 0, 1],
    }
)


def write(table, path):
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "t.tsv.gz", "t.parquet"])
def test_reads_every_format_alike(tmp_path, name):
    data = read_table(write(TABLE, tmp_path / name), subject="mouse")
    assert data.session_names == ("1", "1", "2")
    assert data.subjects == ("m1", "m2", "m1")
    assert data.state_labels == ("arm", "home")
    assert data.action_labels is None
    assert_array_equal(data.states, [1, 0, 0, 1, 0])
    assert_array_equal(data.actions, [0, 1, 1, 0, 1])
    assert_array_equal(data.next_states, [0, -1, 1, -1, -1])


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_finds_the_delimiter_and_ignores_a_byte_order_mark(tmp_path, delimiter, encoding):
    path = tmp_path / "table.csv"
    TABLE.to_csv(path, index=False, sep=delimiter, encoding=encoding)
    assert_array_equal(read_table(path, subject="mouse").states, [1, 0, 0, 1, 0])


def test_a_column_with_next_states_shares_the_labels_of_the_states():
    table = pd.DataFrame({"session": 0, "state": ["a", "b"], "action": [0, 1], "then": ["b", "c"]})
    data = Trajectories.from_dataframe(table, next_state="then")
    assert data.state_labels == ("a", "b", "c")
    assert_array_equal(data.next_states, [1, 2])


def test_steps_sort_each_session_and_interleaved_sessions_are_taken_apart():
    table = TABLE.iloc[[3, 4, 1, 2, 0]].set_index(pd.Index([7, 7, 7, 1, 1]))  # rows and index in disorder
    data = Trajectories.from_dataframe(table, subject="mouse", step="trial")
    assert data.subjects == ("m2", "m1", "m1")
    assert_array_equal(data.states, [0, 1, 0, 1, 0])
    assert_array_equal(data.next_states, [1, -1, -1, 0, -1])


def test_without_steps_rows_keep_their_order():
    table = pd.DataFrame({"session": [0, 1, 0, 1], "state": [3, 0, 2, 1], "action": 0})
    data = Trajectories.from_dataframe(table)
    assert_array_equal(data.states, [3, 2, 0, 1])
    assert_array_equal(data.lengths, [2, 2])


def test_steps_beyond_the_precision_of_floats_stay_apart():
    table = pd.DataFrame({"session": 0, "time": [2**60 + 1, 2**60], "state": [1, 0], "action": 0})
    assert_array_equal(Trajectories.from_dataframe(table, step="time").states, [0, 1])


def test_one_step_sessions_and_a_constant_action():
    table = pd.DataFrame({"session": [0, 1, 2], "state": [0, 1, 0], "action": "go"})
    data = Trajectories.from_dataframe(table)
    assert_array_equal(data.lengths, [1, 1, 1])
    assert data.action_labels == ("go",)
    assert data.n_actions == 1


def test_a_hundred_thousand_different_states(tmp_path):
    states = np.random.default_rng(0).permutation(100_000) * 3
    table = pd.DataFrame({"session": 0, "state": states, "action": 0})
    data = read_table(write(table, tmp_path / "many.csv"))
    assert data.n_states == 100_000
    assert_array_equal(data.states, states // 3)
    assert data.state_labels[-1] == 299_997


def test_a_long_file_whose_column_turns_to_text_late(tmp_path):
    """pandas guesses types part by part: 1 and "1" would become two states."""
    table = pd.DataFrame({"session": 0, "state": ["1", "2"] * 150_000 + ["x"], "action": 0})
    data = read_table(write(table, tmp_path / "long.csv"))
    assert data.state_labels == ("1", "2", "x")


# --- what people's tables look like ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"", BadTable, ["is empty", "header line"]),
        (b"session,state,action\n", EmptyData, ["no rows", "at least one step"]),
        (bytes(range(256)) * 8, BadTable, ["not UTF-8 text"]),
        ("session,state,action\n1,é,0\n".encode("latin-1"), BadTable, ["not UTF-8 text", "line 2", "CSV UTF-8"]),
        (b"session,state,action\n1,2,0\n1,2,0,5\n", BadTable, ["not a readable table", "line 3"]),
        (
            b"session,state,action\n1,2,0,\n1,3,1,\n",
            BadTable,
            ["more cells", "session,state,action", "delimiter"],
        ),
        (b"session,state,action\n1,0,0\n,1,1\n", BadTable, ["row 2", "no session", "fill it in"]),
        (b"session,state,action\n1,,0\n1,,1\n", EmptyData, ["every state", "column names"]),
        (
            b"session,stat,action\n1,0,0\n",
            ColumnNotFound,
            ["'state'", "did you mean 'stat'", "session, stat, action"],
        ),
        (b"session:state:action\n1:0:0\n", BadTable, ["single column", "session:state:action", "commas"]),
    ],
)
def test_a_bad_file_is_a_named_error(tmp_path, content, error, words):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(error) as caught:
        read_table(path)
    assert [word for word in words if word not in str(caught.value)] == []


COMPRESSED = gzip.compress(b"session,state,action\n" + b"1,0,0\n" * 1000, mtime=0)  # it is part of tests' names


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("truncated.csv.gz", COMPRESSED[:-20]),
        ("corrupt.csv.gz", COMPRESSED[:20] + b"\xff" * 12 + COMPRESSED[32:]),
        ("junk.parquet", b"PAR1 this is not Parquet"),
        ("empty.parquet", b""),
    ],
)
def test_a_broken_file_names_its_path(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadTable, match=name):
        read_table(tmp_path / name)


@pytest.mark.parametrize("path", ["nowhere.csv", "."])
def test_a_path_without_a_file(tmp_path, path):
    with pytest.raises(BadTable, match="check the path"):
        read_table(tmp_path / path)


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    def refuse(path):
        raise ImportError("no pyarrow", path)

    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setattr(pd, "read_parquet", refuse)
    with pytest.raises(BadTable, match=r"pip install \"hiql\[parquet\]\""):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("change", "options", "error", "words"),
    [
        (
            {"trial": [1, 1, 1, 2, 1]},
            {"step": "trial"},
            BadTable,
            ["step 1", "twice", "session '1'", "duplicate"],
        ),
        ({"trial": [1, "x", 1, 2, 1]}, {"step": "trial"}, BadTable, ["row 2", "'x'", "not a number"]),
        ({}, {"subject": "none"}, BadTable, ["session '1'", "several", "subject='mouse'"]),
        ({}, {"subject": "animal"}, ColumnNotFound, ["'animal'", "subject", "subject='none'"]),
        ({}, {"step": "trail"}, ColumnNotFound, ["'trail'", "did you mean 'trial'"]),
        ({}, {"next_state": "next"}, ColumnNotFound, ["'next'", "next_state"]),
        (
            {"state": [0, 1, 2, 1, 7]},
            {"n_states": 5},
            StateOutOfRange,
            ["state 7", "session '2'", "step 0", "0…4"],
        ),
        ({}, {"n_states": 1}, BadTable, ["2 different values", "n_states is 1", "raise n_states"]),
        ({"state": [0, [1], 2, 1, 0]}, {}, BadTable, ["state", "cannot be compared"]),
        ({"state": [0, pd.Timestamp("2020"), 2, 1, 0]}, {}, BadTable, ["state", "cannot be compared"]),
        ({"action": [-1, 1, 1, -1, 1]}, {"n_actions": 2}, BadTable, ["action", "holds -1", "missing=(-1,)"]),
    ],
)
def test_a_bad_table_is_a_named_error(change, options, error, words):
    with pytest.raises(error) as caught:
        Trajectories.from_dataframe(TABLE.assign(**change), **{"subject": "mouse", **options})
    assert [word for word in words if word not in str(caught.value)] == []


def test_two_columns_of_one_name():
    table = pd.concat([TABLE, TABLE[["state"]]], axis=1)
    with pytest.raises(BadTable, match="2 columns 'state'"):
        Trajectories.from_dataframe(table, subject="mouse")


def test_categories_that_do_not_occur_make_no_sessions():
    table = TABLE.assign(mouse=pd.Categorical(TABLE["mouse"], categories=["m0", "m2", "m1"]))
    assert Trajectories.from_dataframe(table, subject="mouse").subjects == ("m1", "m2", "m1")
