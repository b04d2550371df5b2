"""Folds hold whole sessions out, keep groups together and spread strata evenly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hiql import Trajectories, session_folds
from hiql.data.folds import identical_sessions
from hiql.errors import InvalidParameter, UnequalLengths


def sessions(n):
    return Trajectories.from_arrays(np.zeros((n, 2), int), np.zeros((n, 2), int))


@given(st.integers(2, 40), st.data())
def test_every_session_is_held_out_exactly_once(n_sessions, data):
    n_folds = data.draw(st.integers(2, n_sessions))
    folds = session_folds(sessions(n_sessions), n_folds, random_state=data.draw(st.integers(0, 9)))
    assert_array_equal(np.sort(np.concatenate([fold.test for fold in folds])), np.arange(n_sessions))
    for fold in folds:
        assert_array_equal(np.union1d(fold.train, fold.test), np.arange(n_sessions))
        assert not np.intersect1d(fold.train, fold.test).size
        assert len(fold.test) in (n_sessions // n_folds, -(-n_sessions // n_folds))


@given(st.lists(st.sampled_from("abcdef"), min_size=4, max_size=40).filter(lambda g: len(set(g)) >= 2))
def test_groups_are_never_split(groups):
    labels = np.array(groups)
    for fold in session_folds(sessions(len(groups)), 2, groups=groups):
        assert fold.test.size
        assert not set(labels[fold.train]) & set(labels[fold.test])


@given(st.lists(st.sampled_from("abc"), min_size=5, max_size=60))
def test_strata_are_spread_evenly(strata):
    labels = np.array(strata)
    folds = session_folds(sessions(len(strata)), 5, strata=strata)
    for stratum in set(strata):
        counts = [np.sum(labels[fold.test] == stratum) for fold in folds]
        assert max(counts) - min(counts) <= 1


def test_the_seed_decides():
    first, again, other = (session_folds(sessions(20), random_state=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize(("n_folds", "groups"), [(1, None), (7, None), (2.5, None), (3, "aabbaa")])
def test_impossible_numbers_of_folds(n_folds, groups):
    with pytest.raises(InvalidParameter, match=f"n_folds is {n_folds}; choose from 2 to the number of groups"):
        session_folds(sessions(6), n_folds, groups=groups)


@pytest.mark.parametrize("what", ["groups", "strata"])
def test_one_label_a_session(what):
    with pytest.raises(UnequalLengths, match=f"{what} has length 2 but sessions has length 6"):
        session_folds(sessions(6), 2, **{what: "ab"})


def test_identical_sessions_share_a_group():
    data = Trajectories.from_arrays(
        [[0, 1], [0, 1], [0, 1, 1], [0, -1], [0, 1], [0, 0]],
        [[1, 0], [1, 0], [1, 0, 0], [1, 0], [1, 1], [1, -1]],
    )
    assert identical_sessions(data) == [0, 0, 1, 2, 3, 4]
