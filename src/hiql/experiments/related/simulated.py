"""The simulated worlds of the comparison, in which the truth is known: each was made for some system."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from hiql.data.trajectories import Trajectories
from hiql.experiments.related.world import IntArray, World, of_simulation, played, walked
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
from hiql.worlds.simulation import sticky
from hiql.worlds.state_before import StateBefore


def two_goals(size: int, seed: int) -> World:  # noqa: ARG001
    """The expert of the paper (§5.1): the authors' own, whose data do not depend on the seed."""
    expert = simulate_two_goals(size)
    return World(expert.data, 2, expert.world, None, expert.reward, expert.policy)


def places(size: int, seed: int) -> World:
    """An expert that changes its mind in the place it was heading for."""
    return of_simulation(simulate_places(size, 100, seed))


def clusters(size: int, seed: int) -> World:
    """Sessions with one intention each."""
    return of_simulation(simulate_one_intention(size, 30, seed))


def one_reward(size: int, seed: int) -> World:
    """A single soft-optimal agent with a reward in every state; systems may split it in two for nothing."""
    world = gridworld(5, slip=0.1, discount=0.9)
    reward = np.random.default_rng(5).normal(0.0, 1.0, (1, world.n_states))
    policy = np.stack([boltzmann_policy(soft_value_iteration(world, r)) for r in reward])
    return played(world, policy, sticky(1, 1.0), size, 30, seed, reward)._replace(n_intentions=2)


def subgoals(size: int, seed: int) -> World:
    """Two goals, of which each step serves one, drawn anew."""
    world = gridworld(5, slip=0.1, discount=0.9)
    reward = np.zeros((2, world.n_states))
    reward[0, 4] = reward[1, 20] = 1.0
    policy = np.stack([boltzmann_policy(value_iteration(world, r), 30.0) for r in reward])
    return played(world, policy, np.array([[0.7, 0.3], [0.7, 0.3]]), size, 40, seed, reward)


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
    return played(made.world, policy, sticky(2, 0.95), size, n_steps, seed, reward)._replace(features=near)


def drift(size: int, seed: int) -> World:
    """What is wanted moves from one corner to the other, in step in all sessions."""
    world, length = gridworld(5, slip=0.1, discount=0.9), 30
    goals = np.zeros((2, world.n_states))
    goals[0, 4] = goals[1, 20] = 3.0
    rewards = [(1 - x) * goals[0] + x * goals[1] for x in np.linspace(0.0, 1.0, length)]
    policies = np.stack([boltzmann_policy(soft_value_iteration(world, reward)) for reward in rewards])
    columns = walked(world, lambda t, states: policies[t, states], (length, size), np.random.default_rng(seed))
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
    columns = walked(world, lambda t, states: policy[meant[t], states], (length, size), rng)
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


def habits(size: int, seed: int) -> World:
    """Two habits, any action in any place, that take turns by a Markov chain: nothing is planned for."""
    world = gridworld(5, slip=0.1, discount=0.9)
    policy = np.random.default_rng(6).dirichlet(np.full(world.n_actions, 0.3), size=(2, world.n_states))
    return played(world, policy, sticky(2, 0.95), size, 40, seed)


def experts(size: int, seed: int) -> World:
    """A few experts with one goal each, watched for long."""
    return of_simulation(simulate_one_intention(size, 1000, seed))


def on_leaving(size: int, seed: int) -> World:
    """An expert that plans softly and changes its mind as it leaves the place it was heading for; moves never slip."""
    world, length = gridworld(5, slip=0.0, discount=0.9), 60
    reward = np.zeros((2, world.n_states))
    reward[0, 24] = reward[1, 0] = 5.0
    policy = np.stack([boltzmann_policy(soft_value_iteration(world, r)) for r in reward])
    change, rng = np.where(reward > 0, 0.8, 0.01), np.random.default_rng(seed)
    meant, at = [np.zeros(size, dtype=np.int64)], np.full(size, 1)

    def act(t: int, states: IntArray) -> FloatArray:
        if t > 0:
            meant.append(np.where(rng.random(size) < change[meant[-1], at], 1 - meant[-1], meant[-1]))
        at[:] = states
        return np.asarray(policy[meant[-1], states])

    columns = walked(world, act, (length, size), rng)
    return World(sessions_of(world, columns, meant), 2, world, None, reward, policy)


def not_linear(size: int, seed: int) -> World:
    """Objectworld: sessions that seek places near objects of one colour only, and sessions that avoid just these."""
    made = objectworld(8, 8, 2, slip=0.1, discount=0.9, random_state=1)
    near = (made.distances <= 2.0).astype(np.float64)
    alone = np.where(near.sum(axis=1) == 1, 1.0, 0.0)
    reward = np.stack([alone, 1.0 - alone])
    policy = np.stack([boltzmann_policy(value_iteration(made.world, r), 3.0) for r in reward])
    return played(made.world, policy, sticky(2, 1.0), size, 40, seed, reward)._replace(features=near)


def sessions_of(world: MDP, columns: tuple[list[Any], list[Any]], meant: list[IntArray]) -> Trajectories:
    """Sessions of states and actions with what was meant at each time (n,)."""
    sizes: Any = {"n_states": world.n_states, "n_actions": world.n_actions}
    return Trajectories.from_arrays(*columns, intentions=list(np.stack(meant, axis=1)), **sizes)


def came_from(size: int, seed: int) -> World:
    """Rewards of where the animal is and where it came from; minds change in places."""
    world, length = gridworld(5, slip=0.1, discount=0.9), 60
    pairs, rng = StateBefore(world), np.random.default_rng(seed)
    reward = np.random.default_rng(7).normal(0.0, 2.0, (2, len(pairs.now)))
    policy = np.stack([boltzmann_policy(soft_value_iteration(pairs.mdp, r)) for r in reward])
    change = np.where(np.arange(world.n_states) % 6 == 0, 0.5, 0.02)
    meant, at = [rng.integers(2, size=size)], np.full(size, -1)

    def act(t: int, states: IntArray) -> FloatArray:
        if t > 0:
            meant.append(np.where(rng.random(size) < change[at], 1 - meant[-1], meant[-1]))
        chosen = policy[meant[-1], pairs.pair(at, states)]
        at[:] = states
        return np.asarray(chosen)

    columns = walked(world, act, (length, size), rng)
    return World(sessions_of(world, columns, meant), 2, world)
