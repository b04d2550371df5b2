"""The maze: the rules of the data's README, one by one, and the shape of the H-tree."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hiql.worlds import labyrinth

LEFT, RIGHT, REVERSE, STAY = range(4)


@pytest.fixture(scope="module")
def maze():
    return labyrinth()


def test_the_world(maze):
    assert (maze.n_states, maze.n_actions, maze.discount) == (127, 4, 0.99)
    assert maze.action_names == ("left", "right", "reverse", "stay")
    assert (maze.places, maze.start) == ({"home": 0, "water": 100}, 0)
    assert labyrinth(discount=0.5).discount == 0.5


def test_every_move_follows_the_rules(maze):
    for node in range(127):
        n = node + 1
        expected = {
            LEFT: node if node >= 63 else 2 * n - 1,
            RIGHT: node if node >= 63 else 2 * n,
            REVERSE: 0 if node == 0 else n // 2 - 1,
            STAY: node,
        }
        for action, target in expected.items():
            assert_array_equal(maze.transitions[node, action], np.eye(127)[target])


def test_six_turns_lead_from_home_to_the_water(maze):
    node, path = 0, [RIGHT, LEFT, LEFT, RIGHT, LEFT, RIGHT]
    for turn in path:
        node = int(maze.transitions[node, turn].argmax())
    assert node == 100
    for _ in path:
        node = int(maze.transitions[node, REVERSE].argmax())
    assert node == 0


def test_the_h_tree_has_distinct_places_and_corridors_that_halve(maze):
    assert len({tuple(xy) for xy in maze.positions}) == 127
    assert maze.links.shape == (126, 2)
    for parent, child in maze.links:
        assert parent == (child + 1) // 2 - 1
        step = np.abs(maze.positions[child] - maze.positions[parent])
        level = int(child + 1).bit_length() - 1
        assert step.max() == {1: 4, 2: 4, 3: 2, 4: 2, 5: 1, 6: 1}[level]
        assert step[1 - level % 2] == 0  # odd levels run up and down, even levels sideways
        assert step.min() == 0


def test_left_is_left_for_an_animal_walking_away_from_home(maze):
    position = maze.positions
    for node in range(1, 63):
        heading = position[node] - position[(node + 1) // 2 - 1]
        for child, side in ((2 * node + 1, 1), (2 * node + 2, -1)):
            turn = position[child] - position[node]
            assert np.sign(heading[0] * turn[1] - heading[1] * turn[0]) == side


def test_corridors_do_not_cross(maze):
    """Every point of the half-unit lattice that a corridor passes belongs to that corridor alone."""
    passed = [tuple(xy) for xy in maze.positions]
    for parent, child in maze.links:
        start, end = maze.positions[parent], maze.positions[child]
        n = int(np.abs(end - start).max() * 2)
        passed += [tuple(start + (end - start) * k / n) for k in range(1, n)]
    assert len(passed) == len(set(passed))
