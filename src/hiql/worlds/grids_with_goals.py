"""Experts on a grid: one that changes its mind at places, and one that has a single intention in each session."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hiql.data.step_columns import FloatArray, IntArray
from hiql.data.trajectories import Trajectories
from hiql.worlds.gridworld import gridworld
from hiql.worlds.mdp import World
from hiql.worlds.planning import boltzmann_policy, value_iteration
from hiql.worlds.simulation import Animals, Simulation, check_chances, sessions_of_animals, simulated, sticky

CORNERS = {"home": (0, 0), "water": (1, 1), "food": (0, 1)}


def simulate_places(
    n_sessions: int = 40,
    n_steps: int = 200,
    random_state: int | np.random.Generator = 0,
    *,
    switch_there: float = 0.8,
    switch_elsewhere: float = 0.01,
    inverse_temperature: float = 10.0,
    side: int = 5,
    discount: float = 0.9,
) -> Simulation:
    """An expert that heads for water, and once there for home, and so on: it changes its mind at places.

    It lives on a square grid (5 × 5 as the expert of Ke et al., SWIRL, 2025) with water in one corner and home in the
    opposite one. In the place it was heading for, the intention changes with probability ``switch_there``; anywhere
    else with ``switch_elsewhere``. The place is that of the step the change leads into. Policies are Boltzmann in the
    optimal Q of a reward of 1 in the place. ``truth`` holds ``policy`` (2, S, A), ``reward`` (2, S), ``initial`` and
    ``transition`` (S, 2, 2), the matrix that leads into each state.
    """
    check_chances(switch_there=switch_there, switch_elsewhere=switch_elsewhere)
    sessions = sessions_of_animals(1, n_sessions, n_steps)
    names = ("water", "home")
    world = _grid(names, side=side, discount=discount)
    reward, policy = _goals(world, names, inverse_temperature)
    change = np.where(reward.T > 0, switch_there, switch_elsewhere)[..., None]  # (S, 2, 1)
    transition = np.where(np.eye(2, dtype=bool), 1.0 - change, change)
    initial = np.array([1.0, 0.0])
    animals = Animals(np.tile(initial, (n_sessions, 1)), lambda seen: transition[_here(seen)], _by_table(policy))
    truth = {"policy": policy, "reward": reward, "initial": initial, "transition": transition}
    return simulated(animals, world, sessions, names, np.random.default_rng(random_state), **truth)


def simulate_one_intention(
    n_sessions: int = 60,
    n_steps: int = 30,
    random_state: int | np.random.Generator = 0,
    *,
    inverse_temperature: float = 10.0,
) -> Simulation:
    """Sessions with one intention each: water, food or home, drawn when the session begins, in the middle of a grid.

    ``truth`` holds ``policy`` (3, S, A), ``reward`` (3, S), ``initial`` (3,) and ``transition``, the identity.
    """
    sessions = sessions_of_animals(1, n_sessions, n_steps)
    names = ("water", "food", "home")
    world = _grid(names, start=(2, 2))
    reward, policy = _goals(world, names, inverse_temperature)
    initial, transition = np.full(3, 1.0 / 3.0), sticky(3, 1.0)
    animals = Animals(np.tile(initial, (n_sessions, 1)), lambda _: transition, _by_table(policy))
    truth = {"policy": policy, "reward": reward, "initial": initial, "transition": transition}
    return simulated(animals, world, sessions, names, np.random.default_rng(random_state), **truth)


def _grid(names: tuple[str, ...], start: tuple[int, int] = (0, 0), side: int = 5, discount: float = 0.9) -> World:
    places = {name: ((side - 1) * CORNERS[name][0], (side - 1) * CORNERS[name][1]) for name in names}
    return gridworld(side, slip=0.1, discount=discount, places=places, start=start)


def _goals(world: World, names: tuple[str, ...], inverse_temperature: float) -> tuple[FloatArray, FloatArray]:
    """Rewards (K, S) of 1 in the place of each name, and policies (K, S, A) for them."""
    reward = np.zeros((len(names), world.n_states))
    reward[np.arange(len(names)), [world.places[name] for name in names]] = 1.0
    return reward, np.stack([boltzmann_policy(value_iteration(world, r), inverse_temperature) for r in reward])


def _here(seen: Trajectories) -> IntArray:
    return seen.states[seen.offsets[1:] - 1]


def _by_table(policy: FloatArray) -> Callable[[Trajectories, IntArray], FloatArray]:
    return lambda seen, steps: policy[:, seen.states[steps]].transpose(1, 0, 2)
