"""The worlds of the comparison: simulated ones, in which the truth is known, and recordings of mice."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from hiql import datasets
from hiql.data.bandit import bandit_trials
from hiql.data.folds import identical_sessions
from hiql.data.trajectories import Trajectories
from hiql.errors import HiqlError
from hiql.parts.part import FloatArray
from hiql.worlds import (
    MDP,
    boltzmann_policy,
    gridworld,
    objectworld,
    simulate_one_intention,
    simulate_places,
    simulate_psychophysics,
    simulate_two_goals,
    soft_value_iteration,
    value_iteration,
)
from hiql.worlds.draws import draw
from hiql.worlds.simulation import Animals, Simulation, sessions_of_animals, simulated, sticky
from hiql.worlds.starting import starting

MEMORY = (1, 4, 16)
"""Time constants of the bandit's memory, in trials."""
LONG_DISCOUNT = 0.95


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


def _simulated(simulation: Simulation, features: FloatArray | None = None) -> World:
    mdp: Any = simulation.environment
    truth = simulation.truth
    return World(simulation.data, len(simulation.intentions), mdp, features, truth["reward"], truth["policy"])


def two_goals(size: int, seed: int) -> World:  # noqa: ARG001
    """The expert of the paper (§5.1): the authors' own, whose data do not depend on the seed."""
    expert = simulate_two_goals(size)
    return World(expert.data, 2, expert.world, None, expert.reward, expert.policy)


def places(size: int, seed: int) -> World:
    """An expert that changes its mind in the place it was heading for."""
    return _simulated(simulate_places(size, 100, seed))


def clusters(size: int, seed: int) -> World:
    """Sessions with one intention each."""
    return _simulated(simulate_one_intention(size, 30, seed))


def one_reward(size: int, seed: int) -> World:
    """A single soft-optimal agent with a reward in every state; systems may split it in two for nothing."""
    world = gridworld(5, slip=0.1, discount=0.9)
    reward = np.random.default_rng(5).normal(0.0, 1.0, (1, world.n_states))
    policy = np.stack([boltzmann_policy(soft_value_iteration(world, r)) for r in reward])
    return _played(world, policy, sticky(1, 1.0), size, 30, seed, reward)._replace(n_intentions=2)


def subgoals(size: int, seed: int) -> World:
    """Two goals, of which each step serves one, drawn anew."""
    world = gridworld(5, slip=0.1, discount=0.9)
    reward = np.zeros((2, world.n_states))
    reward[0, 4] = reward[1, 20] = 1.0
    policy = np.stack([boltzmann_policy(value_iteration(world, r), 30.0) for r in reward])
    return _played(world, policy, np.array([[0.7, 0.3], [0.7, 0.3]]), size, 40, seed, reward)


def features(size: int, seed: int) -> World:
    """Objectworld: what states are worth depends on how far they are from objects of two colours; minds change."""
    return _near_objects(size, seed, 40)


def few_features(size: int, seed: int) -> World:
    """The same with a quarter of the sessions."""
    return _near_objects(max(size // 4, 5), seed, 40)


def _near_objects(size: int, seed: int, n_steps: int) -> World:
    made = objectworld(8, 8, 2, slip=0.1, discount=0.9, random_state=1)
    near = np.concatenate([made.distances <= 1.5, made.distances <= 3.0], axis=1).astype(np.float64)
    reward = np.array([[1.0, -0.5, 0.5, 0.0], [-0.5, 1.0, 0.0, 0.5]]) @ near.T
    policy = np.stack([boltzmann_policy(value_iteration(made.world, r), 3.0) for r in reward])
    return _played(made.world, policy, sticky(2, 0.95), size, n_steps, seed, reward)._replace(features=near)


def drift(size: int, seed: int) -> World:
    """What is wanted moves from one corner to the other, in step in all sessions."""
    world, length = gridworld(5, slip=0.1, discount=0.9), 30
    goals = np.zeros((2, world.n_states))
    goals[0, 4] = goals[1, 20] = 3.0
    rewards = [(1 - x) * goals[0] + x * goals[1] for x in np.linspace(0.0, 1.0, length)]
    policies = np.stack([boltzmann_policy(soft_value_iteration(world, reward)) for reward in rewards])
    columns = _walked(world, lambda t, states: policies[t, states], (length, size), np.random.default_rng(seed))
    data = Trajectories.from_arrays(*columns, n_states=world.n_states, n_actions=world.n_actions)
    return World(data, 2, world)


def gate(size: int, seed: int) -> World:
    """A cue that everybody sees, and that comes and goes slowly, says which of two goals is headed for."""
    world, length = gridworld(5, slip=0.1, discount=0.9), 50
    reward = np.zeros((2, world.n_states))
    reward[0, 4] = reward[1, 20] = 1.0
    policy = np.stack([boltzmann_policy(value_iteration(world, r), 10.0) for r in reward])
    rng = np.random.default_rng(seed)
    cues = np.zeros((length, size))
    for t in range(length):
        cues[t] = rng.normal(size=size) if t == 0 else 0.9 * cues[t - 1] + rng.normal(0.0, 0.44, size)
    meant = (rng.random(cues.shape) < expit(4.0 * cues)).astype(np.int64)
    columns = _walked(world, lambda t, states: policy[meant[t], states], (length, size), rng)
    data = Trajectories.from_arrays(
        *columns,
        intentions=list(meant.T),
        inputs=[each[:, None] for each in cues.T],
        input_names=["cue"],
        n_states=world.n_states,
        n_actions=world.n_actions,
    )
    return World(data, 2, world, None, reward, policy)


def psychophysics(size: int, seed: int) -> World:
    """Choices linear in a stimulus, with weights that switch: no states to plan in."""
    simulation = simulate_psychophysics(random_state=seed)
    data = simulation.data.select(range(min(size, simulation.data.n_sessions)))
    return World(data, len(simulation.intentions))


def labyrinth(size: int, seed: int) -> World:  # noqa: ARG001
    """Water-restricted mice in a maze (the paper's §5.2); copies of a session stay on one side."""
    found = datasets.labyrinth("restricted", discount=LONG_DISCOUNT)
    data = found.data.select(range(min(size, found.data.n_sessions)))
    return World(data, 2, found.mdp, groups=tuple(identical_sessions(data)))


def labyrinth_long(size: int, seed: int) -> World:  # noqa: ARG001
    """The same maze for whole nights."""
    nights = datasets.labyrinth_long()
    moves = np.eye(nights.data.n_states)[nights.successors]
    return World(nights.data.select(range(min(size, nights.data.n_sessions))), 3, MDP(moves, LONG_DISCOUNT))


def bandit(size: int, seed: int) -> World:  # noqa: ARG001
    """Mice in a two-armed bandit: states are the last trial, inputs leaky traces of those before."""
    data = bandit_trials(datasets.mice_bandit(), history=1, memory=MEMORY)
    chosen = np.random.default_rng(0).permutation(data.n_sessions)[:size]
    return World(data.select(np.sort(chosen)), 2)


WORLDS: dict[str, Callable[[int, int], World]] = {
    "gridworld": two_goals,
    "places": places,
    "clusters": clusters,
    "one reward": one_reward,
    "subgoals": subgoals,
    "drift": drift,
    "features": features,
    "objectworld": few_features,
    "gate": gate,
    "psychophysics": psychophysics,
    "labyrinth": labyrinth,
    "labyrinth, long": labyrinth_long,
    "bandit": bandit,
}
RECORDED = ("labyrinth", "labyrinth, long", "bandit")


@lru_cache(maxsize=4)
def made(name: str, size: int, seed: int) -> World:
    """A world by name; units of work share it within a process."""
    return WORLDS[name](size, seed)


def found(name: str, size: int, seed: int) -> World | None:
    """The same; None where its recordings are not at hand."""
    try:
        return made(name, size, seed)
    except (HiqlError, OSError):
        if name not in RECORDED:
            raise
        return None


def _walked(
    world: MDP, act: Callable[[int, Any], FloatArray], shape: tuple[int, int], rng: np.random.Generator
) -> tuple[list[Any], list[Any]]:
    """States and actions of T × n sessions that begin anywhere and act at time t by ``act(t, states)`` (n, A)."""
    states, actions = [rng.integers(world.n_states, size=shape[1])], []
    for t in range(shape[0]):
        actions.append(draw(act(t, states[-1]), rng))
        states.append(world.next_states(states[-1], actions[-1], rng))
    return list(np.stack(states[:-1], axis=1)), list(np.stack(actions, axis=1))


def _played(
    world: MDP, policy: FloatArray, transition: FloatArray, size: int, n_steps: int, seed: int, reward: FloatArray
) -> World:
    def choice(seen: Trajectories, steps: Any) -> FloatArray:
        return policy[:, seen.states[steps]].transpose(1, 0, 2)

    return _drawn(world, choice, transition, size, n_steps, seed)._replace(reward=reward, policy=policy)


def _drawn(world: MDP, choice: Any, transition: FloatArray, size: int, n_steps: int, seed: int) -> World:
    """Sessions that begin anywhere, with an intention drawn from where the chain settles."""
    settled = np.linalg.matrix_power(transition, 64)[0]
    everywhere = starting(world, np.full(world.n_states, 1.0 / world.n_states))
    animals = Animals(np.tile(settled, (size, 1)), lambda _: transition, choice)
    names = tuple(f"intention {i + 1}" for i in range(len(transition)))
    simulation = simulated(
        animals, everywhere, sessions_of_animals(1, size, n_steps), names, np.random.default_rng(seed)
    )
    return World(simulation.data, len(transition), world)
