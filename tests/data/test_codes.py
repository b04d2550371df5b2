"""Labels to codes and back: nothing is lost, and nothing is guessed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hiql import Trajectories
from hiql.data.codes import MARKS, encode

TEXT = st.text(st.characters(codec="ascii", exclude_categories=["C"]), min_size=1, max_size=3)
LABELS = TEXT.map(str.strip).filter(lambda text: text and text.lower() not in MARKS)
ALPHABETS = st.one_of(
    st.lists(
        TEXT.map(str.strip).filter(lambda text: text and text.lower() not in MARKS), min_size=1, max_size=5, unique=True
    ),
    st.lists(st.integers(0, 30), min_size=1, max_size=5, unique=True),
    st.lists(st.integers(2**53, 2**62), min_size=1, max_size=5, unique=True),
    st.lists(st.floats(-5, 5), min_size=1, max_size=5, unique=True),
    st.just([False, True]),
)


@st.composite
def tables(draw):
    """A table of several subjects, with missing values, strings and gaps."""
    n_rows = draw(st.integers(1, 25))

    def column(values):
        return draw(st.lists(values, min_size=n_rows, max_size=n_rows))

    states, actions = draw(ALPHABETS), draw(ALPHABETS)
    table = pd.DataFrame(
        {
            "who": column(st.sampled_from(["a", "b", "7"])),
            "day": column(st.integers(1, 3)),
            "state": pd.Series(column(st.sampled_from([*states, None])), dtype=object),
            "action": pd.Series(column(st.sampled_from([*actions, None])), dtype=object),
            "then": pd.Series(column(st.sampled_from([*states, None])), dtype=object),
        }
    )
    table.loc[0, "state"], table.loc[0, "action"] = states[0], actions[0]
    return table


def same(one, two):
    for name in ("states", "actions", "next_states", "offsets"):
        assert_array_equal(getattr(one, name), getattr(two, name))
    for name in ("n_states", "n_actions", "session_names", "subjects", "state_labels", "action_labels"):
        assert getattr(one, name) == getattr(two, name)


@given(tables(), st.booleans())
def test_the_round_trip_through_a_table_is_the_identity(table, with_next):
    then = {"next_state": "then"} if with_next else {}
    data = Trajectories.from_dataframe(table, session="day", subject="who", **then)
    frame = data.to_dataframe()
    same(data, Trajectories.from_dataframe(frame, subject="subject", next_state="next_state"))
    assert_array_equal(frame["step"], data.time)


@given(tables())
def test_the_labels_that_come_back_are_those_that_went_in(table):
    frame = Trajectories.from_dataframe(table, session="day", subject="who").to_dataframe()
    order = table.groupby(["who", "day"], sort=False).ngroup().argsort(kind="stable")
    for name in ("state", "action"):
        assert [plain(v) for v in frame[name]] == [plain(v) for v in table[name].iloc[order]]


def plain(value):
    """Whole numbers written as text come back as numbers: compare them as such."""
    try:
        return None if pd.isna(value) else float(value)
    except ValueError:
        return value


@pytest.mark.parametrize(
    ("column", "codes", "labels"),
    [
        ([0, 2, 1], [0, 2, 1], None),
        ([0.0, np.nan, 1.0], [0, -1, 1], None),
        ([0, -1, 1], [1, 0, 2], (-1, 0, 1)),
        (["0", "", "1"], [0, -1, 1], None),
        (["0", " ", "1.0"], [0, -1, 1], None),
        ([True, False, True], [1, 0, 1], None),
        ([10, 30, 20], [0, 2, 1], (10, 20, 30)),
        ([0.5, 1.0, 0.5], [0, 1, 0], (0.5, 1.0)),
        (["b", "a", None], [1, 0, -1], ("a", "b")),
        (["b", "-1", ""], [1, 0, -1], ("-1", "b")),
        ([1, "a", "1"], [0, 1, 0], ("1", "a")),
        (["01", "1", "2"], [0, 1, 2], ("01", "1", "2")),
        ([" a", "a ", "b"], [0, 0, 1], ("a", "b")),
        ([2**60, 2**60 + 1, 2**60], [0, 1, 0], (2**60, 2**60 + 1)),
        (pd.array([3, None, 5], dtype="Int64"), [0, -1, 1], (3, 5)),
        (pd.Categorical(["x", "y", "x"], categories=["z", "y", "x"]), [0, 1, 0], ("x", "y")),
    ],
    ids=str,
)
def test_what_is_coded_how(column, codes, labels):
    coded = encode(pd.Series(column), field="state")
    assert_array_equal(coded.codes, codes)
    assert coded.labels == labels


@pytest.mark.parametrize(
    ("missing", "codes", "labels"),
    [((), [0, 1, 0], (-1, 1)), ((-1,), [-1, 0, -1], (1,)), ((1,), [0, -1, 0], (-1,))],
)
def test_missing_decides_whether_minus_one_is_a_value(missing, codes, labels):
    coded = encode(pd.Series([-1, 1, -1]), field="action", missing=missing)
    assert_array_equal(coded.codes, codes)
    assert coded.labels == labels


def test_words_can_mean_missing():
    coded = encode(pd.Series(["left", "omit", "right"]), field="action", missing=["omit"])
    assert_array_equal(coded.codes, [0, -1, 1])


def test_a_known_size_keeps_the_codes_and_names_what_was_not_seen():
    assert encode(pd.Series([5, 2]), field="state", size=9) == (pytest.approx([5, 2]), None, 9)
    named = encode(pd.Series(["b", "a"]), field="state", size=3)
    assert named.labels == ("a", "b", "unseen 2")
    assert named.size == 3
