"""What a world of the comparison is, and how sessions are walked in one that is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.parts.part import FloatArray
from hiql.worlds import MDP
from hiql.worlds.draws import draw
from hiql.worlds.simulation import Animals, Simulation, sessions_of_animals, simulated
from hiql.worlds.starting import starting

IntArray = npt.NDArray[np.int64]


class World(NamedTuple):
    """Data, K, the world if it is known, features of its states, and the truth: rewards (K, S), policies (K, S, A).

    ``groups`` are labels of sessions that must not be separated by folds.
    """

    data: Trajectories
    n_intentions: int
    mdp: MDP | None = None
    features: FloatArray | None = None
    reward: FloatArray | None = None
    policy: FloatArray | None = None
    groups: tuple[int, ...] | None = None


def of_simulation(simulation: Simulation, features: FloatArray | None = None) -> World:
    mdp: Any = simulation.environment
    truth = simulation.truth
    return World(simulation.data, len(simulation.intentions), mdp, features, truth["reward"], truth["policy"])


def walked(
    world: MDP, act: Callable[[int, Any], FloatArray], shape: tuple[int, int], rng: np.random.Generator
) -> tuple[list[Any], list[Any]]:
    """States and actions of T × n sessions that begin anywhere and act at time t by ``act(t, states)`` (n, A)."""
    states, actions = [rng.integers(world.n_states, size=shape[1])], []
    for t in range(shape[0]):
        actions.append(draw(act(t, states[-1]), rng))
        states.append(world.next_states(states[-1], actions[-1], rng))
    return list(np.stack(states[:-1], axis=1)), list(np.stack(actions, axis=1))


def played(
    world: MDP,
    policy: FloatArray,
    transition: FloatArray,
    size: int,
    n_steps: int,
    seed: int,
    reward: FloatArray | None = None,
) -> World:
    """Sessions that begin anywhere, with an intention drawn from where the chain settles."""

    def choice(seen: Trajectories, steps: Any) -> FloatArray:
        return policy[:, seen.states[steps]].transpose(1, 0, 2)

    settled = np.linalg.matrix_power(transition, 64).mean(axis=0)
    everywhere = starting(world, np.full(world.n_states, 1.0 / world.n_states))
    animals = Animals(np.tile(settled, (size, 1)), lambda _: transition, choice)
    names = tuple(f"intention {i + 1}" for i in range(len(transition)))
    sessions, rng = sessions_of_animals(1, size, n_steps), np.random.default_rng(seed)
    simulation = simulated(animals, everywhere, sessions, names, rng)
    return World(simulation.data, len(transition), world, None, reward, policy)
