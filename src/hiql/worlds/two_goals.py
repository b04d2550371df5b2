"""The simulated expert of the paper's first experiment (§5.1, Appendix C.1): a goal, and a change of mind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.worlds.draws import draw
from hiql.worlds.gridworld import gridworld
from hiql.worlds.mdp import World
from hiql.worlds.planning import boltzmann_policy, value_iteration

FloatArray = npt.NDArray[np.float64]

GOAL, ABANDON = 0, 1
INTENTIONS = ("goal", "abandon")
BARRIERS = ((1, 3), (2, 2), (3, 1))
"""Our choice of the cells marked # in the paper's figure, which our copy lacks: the middle of the diagonal
that every shortest path from (0, 0) to (4, 4) must cross."""


@dataclass(frozen=True)
class TwoGoals:
    """What was simulated, and the truth behind it.

    ``data.intentions`` holds the true intention of each step (0 goal, 1 abandon); ``reward`` (2, S),
    ``policy`` (2, S, A) and ``barriers`` describe the expert.
    """

    data: Trajectories
    world: World
    reward: FloatArray
    policy: FloatArray
    barriers: tuple[int, ...]
    intentions: tuple[str, ...] = INTENTIONS


def simulate_two_goals(
    n_sessions: int = 1024,
    inverse_temperature: float = 10.0,
    random_state: int | np.random.Generator = 0,
    *,
    switch_at_barrier: float = 0.3,
    give_up: float = 0.5,
    give_up_step: int = 8,
) -> TwoGoals:
    """Simulate the expert that heads for (4, 4) and may abandon it for (0, 0).

    Each session starts at (0, 0) with intention "goal" (reward 1 at (4, 4)); the other is "abandon" (reward 1
    at (0, 0)). Both policies are Boltzmann in the optimal Q; the paper gives no ``inverse_temperature``, and
    10 makes sessions of about 8 steps. After each move, on a barrier the intention switches with probability
    0.3; elsewhere, at t = 8 (counted from 0), it becomes "abandon" with probability 0.5. A session ends when
    a move leads to (0, 0) or (4, 4), which may be the first: bumping into the wall at (0, 0) counts.
    """
    if n_sessions < 1:
        raise InvalidParameter(parameter="n_sessions", value=n_sessions, remedy="simulate at least 1")
    rng = np.random.default_rng(random_state)
    world = gridworld(5, slip=0.1, discount=0.9, places={"goal": (4, 4), "origin": (0, 0)})
    reward = np.zeros((2, world.n_states))
    reward[GOAL, world.places["goal"]] = reward[ABANDON, world.places["origin"]] = 1.0
    policy = np.stack([boltzmann_policy(value_iteration(world, r), inverse_temperature) for r in reward])
    barriers = tuple(x + 5 * y for x, y in BARRIERS)

    state = np.full(n_sessions, world.start)
    intention = np.full(n_sessions, GOAL)
    running = np.arange(n_sessions)
    history: list[npt.NDArray[np.int64]] = []
    t = 0
    while running.size:
        s, z = state[running], intention[running]
        a = draw(policy[z, s], rng)
        arrived = world.next_states(s, a, rng)
        history.append(np.stack([running, s, a, arrived, z]))
        u = rng.random(running.size)
        at_barrier = np.isin(arrived, barriers)
        z = np.where(at_barrier & (u < switch_at_barrier), 1 - z, z)
        z = np.where(~at_barrier & (t == give_up_step) & (u < give_up), ABANDON, z)
        state[running], intention[running] = arrived, z
        running = running[(arrived != world.places["goal"]) & (arrived != world.places["origin"])]
        t += 1
    return TwoGoals(_collect(history, n_sessions, world), world, reward, policy, barriers)


def _collect(history: list[npt.NDArray[np.int64]], n_sessions: int, world: World) -> Trajectories:
    """The steps of all sessions, recorded time by time, sorted session by session."""
    steps = np.concatenate(history, axis=1)
    order = np.argsort(steps[0], kind="stable")
    session, states, actions, nexts, intentions = steps[:, order]
    lengths = np.bincount(session, minlength=n_sessions)
    return Trajectories(
        states=states,
        actions=actions,
        next_states=nexts,
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        n_states=world.n_states,
        n_actions=world.n_actions,
        session_names=tuple(str(i) for i in range(n_sessions)),
        subjects=("expert",) * n_sessions,
        action_labels=world.action_names,
        intentions=intentions,
    )
