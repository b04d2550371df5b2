"""The mice: sizes, published split, moves that obey the maze, and the copies that leak through the split."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hiql import session_folds
from hiql.data.folds import identical_sessions

FACTS = {
    "restricted": {"sessions": 200, "steps": 22, "train": 160, "test": 40, "distinct": 64, "leaks": 31},
    "unrestricted": {"sessions": 207, "steps": 14, "train": 166, "test": 41, "distinct": 87, "leaks": 29},
}


@pytest.fixture
def facts(cohort):
    return FACTS[cohort]


def test_sizes_and_split(maze, facts):
    assert maze.data.n_sessions == facts["sessions"]
    assert set(maze.data.lengths) == {facts["steps"]}
    assert (maze.train.n_sessions, maze.test.n_sessions) == (facts["train"], facts["test"])
    assert (maze.data.n_states, maze.data.n_actions) == (maze.mdp.n_states, maze.mdp.n_actions) == (127, 4)
    assert maze.data.n_observed == maze.data.n_steps
    assert sorted(maze.train.session_names + maze.test.session_names) == sorted(maze.data.session_names)


def test_the_mice_move_as_the_maze_allows(maze):
    data = maze.data
    known = data.next_states >= 0
    assert known.sum() == data.n_steps - data.n_sessions
    assert_array_equal(maze.mdp.transitions[data.states[known], data.actions[known], data.next_states[known]], 1.0)


def test_copies_leak_through_the_published_split(maze, facts):
    groups = dict(zip(maze.data.session_names, identical_sessions(maze.data), strict=True))
    assert len(set(groups.values())) == facts["distinct"]
    trained = {groups[name] for name in maze.train.session_names}
    assert sum(groups[name] in trained for name in maze.test.session_names) == facts["leaks"]


def test_a_grouped_split_does_not_leak(maze):
    groups = np.array(identical_sessions(maze.data))
    for fold in session_folds(maze.data, 5, groups=groups):
        assert not set(groups[fold.train]) & set(groups[fold.test])
