"""Where intentions were used."""

from __future__ import annotations

import numpy as np

import hiql
from hiql.evaluate import expected_occupancy
from tests.evaluate.known import LEFT, RIGHT, corridor, known_model


def test_by_hand():
    """Intentions that never change and act differently: a session belongs to one of them, and so do its states."""
    world = corridor(4)
    model = known_model(world, [LEFT, RIGHT], transition=np.eye(2) * (1 - 2e-12) + 1e-12)
    data = hiql.Trajectories.from_arrays([[3, 2, 1], [-1, 2]], [[0, 0, 0], [1, 1]], n_states=4, n_actions=3)
    np.testing.assert_allclose(expected_occupancy(model, data), [[0, 1 / 3, 1 / 3, 1 / 3], [0, 0, 1, 0]], atol=1e-3)


def test_an_intention_without_a_step_has_been_everywhere_alike():
    world = corridor(4)
    model = known_model(world, [LEFT, RIGHT])
    data = hiql.Trajectories.from_arrays([[-1, -1]], [[0, 0]], n_states=4, n_actions=3)
    np.testing.assert_allclose(expected_occupancy(model, data), 0.25)


def test_rows_sum_to_one_and_follow_the_numbering(maze):
    model = hiql.HIAVI(3, mdp=maze.mdp).fit(maze.data)
    occupancy = expected_occupancy(model, maze.data)
    np.testing.assert_allclose(occupancy.sum(axis=1), 1.0)
    overall = np.bincount(maze.data.states, minlength=127) / maze.data.n_steps
    np.testing.assert_allclose(model.share_ @ occupancy, overall, atol=1e-6)
    order = [2, 0, 1]
    np.testing.assert_allclose(expected_occupancy(model.permuted(order), maze.data), occupancy[order], atol=1e-9)
