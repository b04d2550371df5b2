"""The simulated expert of the paper's first experiment (§5.1, Appendix C.1): a goal, and a change of mind."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.worlds.gridworld import gridworld
from hiql.worlds.mdp import World
from hiql.worlds.planning import boltzmann_policy, value_iteration

FloatArray = npt.NDArray[np.float64]

GOAL, ABANDON = 0, 1
INTENTIONS = ("goal", "abandon")
SIDE = 5
BARRIERS = ((2, 0), (2, 1), (2, 2), (1, 2), (0, 2))
"""The cells (x, y) marked # in the paper's figure: a wall around the start."""
SEED = 10015
"""The authors' own, for numpy's legacy generator."""
ORDER = (4, 3, 2, 0, 1)
"""The authors' order of our actions: stay, +x, −x, +y, −y."""
ON_THE_DIAGONAL = {GOAL: ("up", "right", "right", "right", "stay"), ABANDON: ("stay", "left", "left", "down", "left")}
"""What the greedy expert does in (0, 0), (1, 1), …, (4, 4), where two ways are equally good and rounding errors of the
authors' value iteration decided. Of all 128 combinations this is the one that gives the four numbers printed for one
intention in the paper's Figure 3c (see ``docs/experiments/gridworld.md``)."""


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

    @cached_property
    def arrival_reward(self) -> FloatArray:
        """(2, S, A) the reward paid on arriving, as the authors have it: Σ_s' P(s, a, s') r(s')."""
        return self.world.expect(self.reward)


class Switching(NamedTuple):
    """When the expert changes its mind."""

    barriers: frozenset[int]
    at_barrier: float
    give_up: float
    give_up_step: int
    on_leaving: bool


def simulate_two_goals(
    n_sessions: int = 1024,
    inverse_temperature: float | None = None,
    random_state: int | np.random.Generator = SEED,
    *,
    barriers: Sequence[tuple[int, int]] = BARRIERS,
    switch_at_barrier: float = 0.3,
    give_up: float = 0.5,
    give_up_step: int = 8,
    on_leaving: bool = False,
) -> TwoGoals:
    """Simulate the expert that heads for (4, 4) and may abandon it for (0, 0).

    Each session starts at (0, 0) with intention "goal" (reward 1 at (4, 4)); the other is "abandon" (reward 1 at
    (0, 0)). Both policies are greedy in the optimal Q, or Boltzmann with an ``inverse_temperature``. Before each
    action, on a barrier the intention switches with probability 0.3; elsewhere, at t = 8 (counted from 0), it becomes
    "abandon" with probability 0.5. With ``on_leaving`` the barrier has to be the cell of the step before: the animal
    acts there as it meant to, and changes its mind on the way out. A session ends on reaching (4, 4), or (0, 0) from
    another cell: staying at the start does not end it.

    The defaults are the authors' own expert: numpy's legacy generator, seeded with 10015, gives at each step the number
    that decides about a switch (on a barrier, or at t = 8), the action and the next state. The first n sessions of a
    longer simulation are those of a shorter one.
    """
    if n_sessions < 1:
        raise InvalidParameter(parameter="n_sessions", value=n_sessions, remedy="simulate at least 1")
    world = gridworld(SIDE, slip=0.1, discount=0.9, places={"goal": (SIDE - 1, SIDE - 1), "origin": (0, 0)})
    reward = np.zeros((2, world.n_states))
    reward[GOAL, world.places["goal"]] = reward[ABANDON, world.places["origin"]] = 1.0
    policy = np.stack([_policy(world, reward[z], z, inverse_temperature) for z in (GOAL, ABANDON)])
    cells = tuple(_state(cell) for cell in barriers)
    switching = Switching(frozenset(cells), switch_at_barrier, give_up, give_up_step, on_leaving)
    rng: Any = random_state
    if isinstance(random_state, int | np.integer):
        rng = np.random.RandomState(random_state)
    walk = _Walk(world, policy, switching, rng)
    return TwoGoals(_collect([walk.session() for _ in range(n_sessions)], world), world, reward, policy, cells)


def _state(cell: tuple[int, int]) -> int:
    if np.shape(cell) != (2,) or not all(0 <= side < SIDE for side in cell):
        raise InvalidParameter(parameter="barriers", value=cell, remedy=f"choose cells (x, y) of 0…{SIDE - 1}")
    return cell[0] + SIDE * cell[1]


def _policy(world: World, reward: FloatArray, intention: int, inverse_temperature: float | None) -> FloatArray:
    """(S, A) greedy, or Boltzmann."""
    q = value_iteration(world, reward)
    if inverse_temperature is not None:
        return boltzmann_policy(q, inverse_temperature)
    best = q.argmax(axis=1)
    best[:: SIDE + 1] = [world.action_names.index(name) for name in ON_THE_DIAGONAL[intention]]
    return np.eye(world.n_actions)[best]


class _Walk:
    """One step after the other, in the authors' order of draws: they number cells column by column."""

    def __init__(self, world: World, policy: FloatArray, switching: Switching, rng: Any) -> None:
        self._columns = np.arange(world.n_states).reshape(SIDE, SIDE).T.ravel().tolist()
        self._actions = policy[:, :, ORDER].cumsum(axis=2).tolist()
        self._arrivals = world.transitions[:, :, self._columns].cumsum(axis=2).tolist()
        self._world, self._switching, self._random = world, switching, rng.random

    def session(self) -> list[tuple[int, int, int, int]]:
        """(state, action, next state, intention) of every step."""
        steps: list[tuple[int, int, int, int]] = []
        state, intention, over = self._world.start, GOAL, False
        while not over:
            left = steps[-1][0] if steps else None
            intention = self._changed(intention, left if self._switching.on_leaving else state, len(steps))
            action = ORDER[self._draw(self._actions[intention][state])]
            arrived = self._columns[self._draw(self._arrivals[state][action])]
            steps.append((state, action, arrived, intention))
            home = arrived == self._world.places["origin"] != state
            over, state = home or arrived == self._world.places["goal"], arrived
        return steps

    def _changed(self, intention: int, place: int | None, t: int) -> int:
        if place in self._switching.barriers:
            return 1 - intention if self._random() < self._switching.at_barrier else intention
        if t == self._switching.give_up_step:
            return ABANDON if self._random() < self._switching.give_up else intention
        return intention

    def _draw(self, cumulative: list[float]) -> int:
        return bisect_right(cumulative, self._random() * cumulative[-1])


def _collect(sessions: list[list[tuple[int, int, int, int]]], world: World) -> Trajectories:
    """All sessions as trajectories."""
    states, actions, nexts, intentions = np.concatenate([np.array(steps) for steps in sessions]).T
    return Trajectories(
        states=np.ascontiguousarray(states),
        actions=np.ascontiguousarray(actions),
        next_states=np.ascontiguousarray(nexts),
        offsets=np.cumsum([0, *map(len, sessions)]).astype(np.int64),
        n_states=world.n_states,
        n_actions=world.n_actions,
        session_names=tuple(str(i) for i in range(len(sessions))),
        subjects=("expert",) * len(sessions),
        action_labels=world.action_names,
        intentions=np.ascontiguousarray(intentions),
    )
