"""Recovery: of what can be recovered, of what cannot, and the simulation behind it."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.evaluate import recovery
from hiql.evaluate.checks.simulating import simulate_like
from tests.evaluate.known import LEFT, RIGHT, corridor, known_model

WORLD = corridor()
SHAPE = known_model(WORLD, [LEFT, RIGHT]).sample(WORLD, 60, 40)
EASY = known_model(WORLD, [LEFT, RIGHT], transition=[[0.9, 0.1], [0.05, 0.95]])
SAME = known_model(WORLD, [[0.5, 0.3, 0.2]] * 2)


def test_different_intentions_come_back():
    found = recovery(EASY, WORLD, SHAPE, n_repeats=3)
    assert found.policy_distance.shape == (3,)
    assert found.policy_distance.max() < 0.02
    assert found.transition_max_error.max() < 0.03
    assert found.initial_error.max() < 0.2
    assert found.agreement.min() > 0.99
    np.testing.assert_allclose(found.agreement, found.oracle_agreement, atol=0.005)
    np.testing.assert_allclose(found.chance_agreement, 2 / 3, atol=0.1)


def test_intentions_that_do_the_same_do_not():
    """A single fit to noise may agree by luck, as intentions last: some hundred episodes are all there is."""
    found = recovery(SAME, WORLD, SHAPE, n_repeats=8)
    assert (found.agreement - found.chance_agreement).mean() < 0.05
    assert (found.oracle_agreement < found.chance_agreement + 0.05).all()
    assert found.policy_distance.min() > 0.05


def test_the_seed_decides_and_the_number_of_jobs_does_not():
    tables = [recovery(EASY, WORLD, SHAPE, 2, random_state=s, n_jobs=n).table() for s, n in ((0, 1), (0, 2), (1, 1))]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])
    assert (tables[0]["low"] <= tables[0]["mean"]).all()


def test_a_world_the_model_need_not_know():
    """Model-free fits are judged alike."""
    model = hiql.HIQL(2, progress=False).fit(EASY.sample(WORLD, 60, 40))
    found = recovery(model, WORLD, SHAPE, n_repeats=2)
    np.testing.assert_allclose(found.agreement, found.oracle_agreement, atol=0.01)
    assert found.policy_distance.max() < 0.02


def test_simulated_data_have_the_shape_of_the_real_ones():
    data = hiql.Trajectories.from_arrays(
        [[1, 1, -1], [1, 2, 3, 4], [-1, 5]], [[0, -1, 0], [1, 1, 1, 1], [0, 0]], n_states=7, n_actions=3
    )
    simulated = simulate_like(EASY, WORLD, data, np.random.default_rng(0))
    np.testing.assert_array_equal(simulated.lengths, data.lengths)
    for name in ("states", "actions", "next_states"):
        np.testing.assert_array_equal(getattr(simulated, name) < 0, getattr(data, name) < 0)
    assert set(simulated.states[simulated.offsets[:2]]) == {1}


def test_real_mice(maze):
    model = hiql.HIAVI(2, mdp=maze.mdp).fit(maze.data)
    found = recovery(model, maze.mdp, maze.data, n_repeats=3)
    assert found.agreement.min() > 0.95
    assert (found.oracle_agreement - found.agreement).max() < 0.02
    assert found.policy_distance.max() < 0.05
    assert found.transition_max_error.max() < 0.1


def test_no_repeats():
    with pytest.raises(ValueError, match="number of repeats is 0"):
        recovery(EASY, WORLD, SHAPE, n_repeats=0)
