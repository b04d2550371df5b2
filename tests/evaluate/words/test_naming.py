"""Names of intentions: in a corridor, in a grid, in the labyrinth."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.errors import DataDoesNotFitModel, InvalidParameter
from hiql.evaluate import directedness, name_intentions
from tests.evaluate.known import LEFT, RIGHT, STAY, corridor, known_model
from tests.problems import random_policy

UNIFORM = np.full(3, 1 / 3)


@pytest.mark.parametrize(
    ("policy", "names"),
    [
        ([LEFT], ("to west",)),
        ([RIGHT, LEFT], ("to east", "to west")),
        ([LEFT, UNIFORM, RIGHT], ("to west", "elsewhere", "to east")),
        ([UNIFORM, STAY], ("elsewhere 1", "elsewhere 2")),
        ([LEFT, RIGHT, LEFT, STAY], ("to west 1", "to east", "to west 2", "elsewhere")),
    ],
)
def test_in_a_corridor(policy, names):
    assert name_intentions(known_model(corridor(), policy), corridor()) == names


def test_numbers_go_by_share_not_by_position():
    model = known_model(corridor(), [LEFT, RIGHT, LEFT], share=[0.2, 0.3, 0.5])
    assert name_intentions(model, corridor()) == ("to west 2", "to east", "to west 1")


def test_staying_leads_to_the_place_it_is_used_in():
    """With data, a policy is judged from where it was used: here, the east end only."""
    data = hiql.Trajectories.from_arrays([[6, 6, 6]], [[2, 2, 2]], n_states=7, n_actions=3)
    model = known_model(corridor(), [STAY])
    assert name_intentions(model, corridor()) == ("elsewhere",)
    assert name_intentions(model, corridor(), data) == ("to east",)


def test_the_best_way_has_directedness_one_and_a_random_walk_none():
    world = corridor()
    right = np.array([1e-9, 1 - 2e-9, 1e-9])
    score = directedness(known_model(world, [right, UNIFORM]), world)
    assert score[0, 1] == pytest.approx(1.0, abs=1e-4)
    assert score[0, 0] < 0
    np.testing.assert_allclose(score[1], 0.0, atol=1e-4)


@pytest.mark.parametrize("n_intentions", [1, 3])
def test_random_policies_lead_elsewhere(n_intentions):
    """Fifty of them in a grid and five in the labyrinth. (Sessions of the grid start in the middle: one random policy
    in some two hundred lingers at its start, and is rightly named after it where that is a place.)"""
    rng = np.random.default_rng(0)
    for world, count in ((hiql.worlds.gridworld(5, start=(2, 2)), 50), (hiql.worlds.labyrinth(), 5)):
        for _ in range(count):
            policy = random_policy(rng, n_intentions, world.n_states, world.n_actions)
            names = name_intentions(known_model(world, policy), world, horizon=20)
            assert all(name.startswith("elsewhere") for name in names)
            assert len(set(names)) == n_intentions


@pytest.mark.parametrize("n_intentions", [1, 2])
def test_intentions_fitted_to_a_random_walk_lead_elsewhere(n_intentions):
    world = hiql.worlds.gridworld(5)
    data = known_model(world, np.full((1, 5), 0.2)).sample(world, 200, 20)
    model = hiql.HIAVI(n_intentions, mdp=world, progress=False).fit(data)
    assert all(name.startswith("elsewhere") for name in name_intentions(model, world, data))


def test_the_simulated_expert(two_goals):
    model = hiql.HIAVI(2, mdp=two_goals.world).fit(two_goals.data)
    assert name_intentions(model, two_goals.world, two_goals.data) == ("to goal", "to origin")
    assert name_intentions(model, two_goals.world) == ("to goal", "to origin")
    assert name_intentions(hiql.HIQL(2).fit(two_goals.data), two_goals.world, two_goals.data) == (
        "to goal",
        "to origin",
    )


def test_real_mice(cohort, maze):
    """Thirsty mice go for water and back home; those that are not explore and go home, as the paper found."""
    expected = {"restricted": {"to home", "to water"}, "unrestricted": {"to home", "elsewhere"}}[cohort]
    model = hiql.HIAVI(2, mdp=maze.mdp).fit(maze.data)
    assert set(name_intentions(model, maze.mdp, maze.data)) == expected
    assert set(name_intentions(model, maze.mdp)) == expected
    clear = directedness(model, maze.mdp, maze.data).max(axis=1)
    assert ((clear > 0.9) | (clear < 0.2)).all()


@pytest.mark.parametrize("n_intentions", [1, 2, 3, 4])
def test_names_follow_the_intentions_however_they_are_numbered(maze, n_intentions):
    model = hiql.HIAVI(n_intentions, mdp=maze.mdp).fit(maze.data)
    names = name_intentions(model, maze.mdp, maze.data)
    assert len(set(names)) == n_intentions
    order = np.random.default_rng(n_intentions).permutation(n_intentions)
    assert name_intentions(model.permuted(order), maze.mdp, maze.data) == tuple(names[i] for i in order)


def test_a_world_without_names_is_refused():
    world = corridor()
    model = known_model(world, [LEFT])
    with pytest.raises(InvalidParameter, match="named places"):
        name_intentions(model, hiql.MDP(world.transitions, 0.9))
    with pytest.raises(DataDoesNotFitModel, match="n_states = 5"):
        name_intentions(model, corridor(5))
