"""Grids and objectworlds, by hand and by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hiql.errors import InvalidParameter
from hiql.worlds import gridworld, objectworld
from hiql.worlds.gridworld import ACTIONS, SPARSE_FROM

UP, DOWN, LEFT, RIGHT, STAY = range(5)


def row(world, state, action):
    p = world.transitions[action][[state]].toarray()[0] if world.is_sparse else world.transitions[state, action]
    return {int(s): round(float(p[s]), 12) for s in np.flatnonzero(p)}


@pytest.mark.parametrize(
    ("state", "action", "expected"),
    [
        (4, UP, {4 + 3: 0.8, 4 - 3: 0.05, 4 - 1: 0.05, 4 + 1: 0.05, 4: 0.05}),
        (4, STAY, {4: 0.8, 7: 0.05, 1: 0.05, 3: 0.05, 5: 0.05}),
        (0, UP, {3: 0.8, 1: 0.05, 0: 0.15}),  # a corner: down and left bump into the wall
        (0, LEFT, {0: 0.9, 3: 0.05, 1: 0.05}),
        (8, RIGHT, {8: 0.9, 7: 0.05, 5: 0.05}),
        (1, DOWN, {1: 0.85, 0: 0.05, 2: 0.05, 4: 0.05}),  # an edge
    ],
)
def test_rows_of_a_three_by_three_grid_by_hand(state, action, expected):
    assert row(gridworld(3, slip=0.25), state, action) == expected


def test_states_count_along_x_first():
    world = gridworld((4, 2), slip=0.0, places={"exit": (3, 1)}, start=(2, 0))
    assert (world.n_states, world.n_actions) == (8, 5)
    assert_array_equal(world.positions[5], [1, 1])
    assert row(world, 1, UP) == {5: 1.0}
    assert row(world, 1, RIGHT) == {2: 1.0}
    assert row(world, 3, RIGHT) == {3: 1.0}
    assert (world.places, world.start) == ({"exit": 7}, 2)
    assert world.action_names == ACTIONS == ("up", "down", "left", "right", "stay")


def test_defaults_are_those_of_the_paper():
    world = gridworld()
    assert (world.n_states, world.discount, world.start) == (25, 0.9, 0)
    assert row(world, 12, UP) == {17: 0.92, 7: 0.02, 11: 0.02, 13: 0.02, 12: 0.02}


def test_large_grids_are_sparse_and_say_the_same():
    side = int(np.ceil(SPARSE_FROM**0.5))
    large, small = gridworld(side), gridworld(side - 1)
    assert (large.is_sparse, small.is_sparse) == (True, False)
    assert row(large, 0, UP) == {side: 0.92, 1: 0.02, 0: 0.06}
    for matrix in large.transitions:
        assert_allclose(matrix.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"size": 0}, ["size is 0", "at least 1"]),
        ({"size": 2.5}, ["size is 2.5", "(width, height)"]),
        ({"size": (3, 0)}, ["size is (3, 0)"]),
        ({"slip": 1.5}, ["slip is 1.5", "[0, 1]"]),
        ({"slip": np.nan}, ["slip is nan"]),
        ({"start": (5, 0)}, ["start is (5, 0)", "5 × 5"]),
        ({"places": {"exit": (0, -1)}}, ["exit is (0, -1)", "5 × 5"]),
    ],
)
def test_impossible_grids(arguments, words):
    with pytest.raises(InvalidParameter) as caught:
        gridworld(**arguments)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(("size", "n_objects", "n_colours", "seed"), [(12, 10, 2, 0), (9, 12, 4, 1), (4, 16, 3, 2)])
def test_objectworld_rewards_by_brute_force(size, n_objects, n_colours, seed):
    made = objectworld(size, n_objects, n_colours, random_state=seed)
    assert len({tuple(cell) for cell in made.objects}) == n_objects
    assert set(made.colours) == set(range(n_colours))
    for state in range(size * size):
        x, y = state % size, state // size
        nearest = [
            min(np.hypot(x - i, y - j) for (i, j), c in zip(made.objects, made.colours, strict=True) if c == colour)
            for colour in range(n_colours)
        ]
        assert_allclose(made.distances[state], nearest)
        expected = (1 if nearest[1] <= 2 else -1) if nearest[0] <= 3 else 0
        assert made.reward[state] == expected


def test_objectworld_seeds_and_world():
    first, again, other = (objectworld(8, 6, random_state=seed) for seed in (0, 0, 1))
    assert_array_equal(first.reward, again.reward)
    assert not np.array_equal(first.objects, other.objects)
    assert row(first.world, 0, UP) == {8: 0.76, 1: 0.06, 0: 0.18}  # slip 0.3


@pytest.mark.parametrize("arguments", [{"n_colours": 1}, {"n_objects": 1}, {"size": 3, "n_objects": 10}])
def test_impossible_objectworlds(arguments):
    with pytest.raises(InvalidParameter, match="at least 2 colours and from n_colours to"):
        objectworld(**arguments)
