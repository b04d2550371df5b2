"""What a simulator returns, and the animals of known parameters that simulators are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.step_columns import FloatArray, IntArray
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.worlds.draws import draw
from hiql.worlds.environment import Environment, Sessions
from hiql.worlds.playing import Mind, play


@dataclass(frozen=True, eq=False)
class Simulation:
    """What was simulated, and the truth behind it.

    Attributes
    ----------
    data : the behaviour; ``data.intentions`` holds the true intention of each step
    environment : what answered the actions
    intentions : what the intentions are called
    truth : the parameters behind the behaviour, by name
    """

    data: Trajectories
    environment: Environment
    intentions: tuple[str, ...]
    truth: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)

    def table(self) -> pd.DataFrame:
        """One row a step, with the true intentions, for :func:`hiql.read_table` and the command line.

        Where there is but one state, a table of trials for :func:`hiql.bandit_trials`: choice, reward.
        """
        table = self.data.to_dataframe()
        if self.data.n_states > 1:
            return table
        trials = table.drop(columns=["state", "next_state"]).rename(columns={"action": "choice", "step": "trial"})
        return trials.assign(reward=trials.pop("outcome").astype(int), trial=trials["trial"] + 1)


@dataclass(frozen=True, eq=False)
class Animals:
    """Agents of known parameters, one a session: z_0 ~ Π, z_t ~ Λ[z_{t-1}], a_t ~ π_z.

    ``initial`` (n, K), Π of each session; ``transition``, Λ (n, K, K) or (K, K) for what is seen; ``choice``, π
    (n, K, A) at given steps of it.
    """

    initial: FloatArray
    transition: Callable[[Trajectories], FloatArray]
    choice: Callable[[Trajectories, IntArray], FloatArray]

    def intend(self, seen: Trajectories, before: IntArray | None, rng: np.random.Generator) -> Mind:
        if before is None:
            odds = self.initial
        else:
            matrices = np.broadcast_to(self.transition(seen), (len(before), *self.initial.shape[1:] * 2))
            odds = matrices[np.arange(len(before)), before]
        intentions = draw(odds, rng)
        return Mind(intentions, intentions)

    def choose(self, seen: Trajectories, intentions: IntArray) -> FloatArray:
        return self.choice(seen, seen.offsets[1:] - 1)[np.arange(len(intentions)), intentions]


def sessions_of_animals(n_animals: int, each: int, n_steps: int, days: FloatArray | None = None) -> Sessions:
    """``each`` sessions of ``n_steps`` for every animal, called "a1/01", "a1/02", …"""
    check_counts(n_animals=n_animals, n_sessions=each, n_steps=n_steps)
    animals = [f"a{i + 1}" for i in range(n_animals) for _ in range(each)]
    when = None if days is None else np.tile(days, n_animals)
    sessions = Sessions.of(np.full(n_animals * each, n_steps), animals, when)
    names = tuple(f"{who}/{i + 1:02d}" for who, i in zip(animals, sessions.session_order, strict=True))
    return sessions._replace(session_names=names)


def simulated(
    animals: Animals,
    environment: Environment,
    sessions: Sessions,
    intentions: tuple[str, ...],
    rng: np.random.Generator,
    **truth: npt.NDArray[Any],
) -> Simulation:
    return Simulation(play(animals, environment, sessions, rng), environment, intentions, truth)


def check_counts(**counts: Any) -> None:
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InvalidParameter(parameter=name, value=value, remedy="choose a whole number ≥ 1")


def check_chances(**chances: Any) -> None:
    for name, value in chances.items():
        if not 0.0 <= value <= 1.0:
            raise InvalidParameter(parameter=name, value=value, remedy="choose a number in [0, 1]")


def sticky(n_intentions: int, stay: float) -> FloatArray:
    """(K, K) stays with probability ``stay`` and goes to each of the others alike."""
    others = (1.0 - stay) / max(n_intentions - 1, 1)
    return np.full((n_intentions, n_intentions), others) + (stay - others) * np.eye(n_intentions)
