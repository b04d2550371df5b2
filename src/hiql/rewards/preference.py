"""What a reward is asked, and what it answers."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from hiql.choices.choice import Choice, Evidence
from hiql.data.trajectories import Trajectories
from hiql.parts.part import FloatArray
from hiql.worlds.mdp import MDP


class Preference(NamedTuple):
    """What an intention wants: ``reward`` r, ``q`` Q and ``log_policy`` log π (…, S, A), ``value`` V (…, S).

    Q = r + γ P V, V = max_a Q and π = softmax_a Q. Rewards are identified only up to a gauge: see
    :func:`hiql.rewards.gauge.zero_mean_gauge`.
    """

    reward: FloatArray
    q: FloatArray
    value: FloatArray
    log_policy: FloatArray


class Reward(Protocol):
    """What an intention wants: explains choices once they are known. Implemented by small frozen dataclasses.

    By fact 2 EM needs no rewards, so this is asked once, after a fit.
    """

    @property
    def choice(self) -> Choice:
        """The choice that this reward was made to explain; a model takes it unless it is given another."""
        ...

    @property
    def world(self) -> MDP | None:
        """The world it plans in, where one is known: figures draw its map, and use its names."""
        ...

    def check(self, data: Trajectories) -> None:
        """Raise a named error if this reward cannot work on these data."""
        ...

    def explain(self, evidence: Evidence, log_policy: FloatArray) -> Preference:
        """The rewards behind the policies (K, …, S, A): one for each intention, or several, such as draws."""
        ...

    def notes(self, data: Trajectories) -> tuple[str, ...]:
        """What the user should know about the rewards, in sentences."""
        ...
