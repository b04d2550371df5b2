"""Rows bound to data: the same numbers and counts, whether a chunk knows all rows of a table or those it reads."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.errors import ShapeMismatch
from hiql.parts import Rows
from hiql.parts.rows import MANY_ROWS, Some, add_rows

OFFSETS = np.array([0, 4, 5, 9, 12])
NUMBERS = np.array([2, 0, 2, 1, 1, 5, 5, 5, 0, 2, 2, 1])
CHUNKS = ((0, 1), (1, 3), (3, 4))


def rows_of(size):
    return Rows.of_steps(size, NUMBERS, OFFSETS)


def test_the_rows_of_some_sessions():
    rows = rows_of(6)
    np.testing.assert_array_equal(rows.between(1, 3), [1, 5, 5, 5, 0])
    assert rows.between(1, 3).dtype == np.uint32
    assert len(rows.between(2, 2)) == 0


def test_the_only_row_takes_no_memory():
    rows = Rows.only(OFFSETS)
    assert rows.size == 1
    numbers = rows.between(0, 4)
    assert numbers.shape == (12,)
    assert numbers.strides == (0,)
    np.testing.assert_array_equal(rows.chunk((0, 2)).visits, [5.0])


@pytest.mark.parametrize("sessions", [(0, 4), *CHUNKS])
@pytest.mark.parametrize("size", [6, 10_000])
def test_a_chunk_reads_what_it_would_read_of_the_whole_table(size, sessions):
    table = np.random.default_rng(0).random((size, 3))
    rows = rows_of(size)
    here = rows.chunk(sessions)
    np.testing.assert_array_equal(here.of(table)[here.numbers], table[rows.between(*sessions)])
    visits = np.bincount(rows.between(*sessions), minlength=size)
    np.testing.assert_array_equal(here.visits, here.of(visits))
    assert here.visits.sum() == len(here.numbers)


def test_only_a_chunk_of_few_of_many_rows_has_numbers_of_its_own():
    most = MANY_ROWS * len(NUMBERS)
    assert rows_of(most).chunk((0, 4)).some is None
    some = rows_of(most + 1).chunk((0, 4)).some
    assert some.size == most + 1
    np.testing.assert_array_equal(some.rows, [0, 1, 2, 5])


def test_what_was_looked_for_is_kept_and_what_is_read_is_not():
    asked = []

    def between(first, last):
        asked.append((first, last))
        return NUMBERS[OFFSETS[first] : OFFSETS[last]].astype(np.uint32)

    few, many = Rows(6, between), Rows(10_000, between)
    for rows in (few, many):
        one, again = rows.chunk((0, 4)), rows.chunk((0, 4))
        np.testing.assert_array_equal(one.numbers, again.numbers)
        assert one.visits is again.visits
    assert len(asked) == 3 + 1  # numbers that are a view of the data are asked for in each pass


@pytest.mark.parametrize("size", [6, 10_000])
def test_counts_of_chunks_add_up_to_those_of_all_sessions(size):
    weights = np.random.default_rng(1).random((12, 3))
    rows = rows_of(size)
    counted = []
    for sessions in CHUNKS:
        here, mine = rows.chunk(sessions), weights[OFFSETS[sessions[0]] : OFFSETS[sessions[1]]]
        counts = np.zeros((len(here.visits), 3))
        np.add.at(counts, here.numbers, mine)
        counted.append((counts, here.some))
    np.testing.assert_allclose(add_rows(counted), rows.count(weights, (0, 4)), rtol=1e-14)


def test_chunks_that_know_all_rows_and_some_add_up_together():
    whole, some, expected = np.arange(8.0).reshape(4, 2), np.array([[10.0, 20.0]]), np.arange(8.0).reshape(4, 2)
    expected[2] += some[0]
    np.testing.assert_array_equal(add_rows([(whole, None), (some, Some(np.array([2]), 4))]), expected)


def test_chunks_of_tables_of_different_sizes_do_not_add_up():
    with pytest.raises(ShapeMismatch, match="the table that some sessions read has shape 3 where 4 is expected"):
        add_rows([(np.zeros((4, 2)), None), (np.zeros((1, 2)), Some(np.array([0]), 3))])
