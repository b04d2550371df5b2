"""What answers an action: the next state, an outcome, and what is presented next."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Moment(NamedTuple):
    """What n sessions, side by side, know before they act.

    ``states`` (n,); ``hidden`` is what the environment keeps to itself (where its blocks end, which spout is baited).
    It comes back with the actions, so that environments themselves never change.
    """

    states: IntArray
    hidden: Any = None


class Answer(NamedTuple):
    """What actions led to: ``outcomes`` (n,) float64, NaN where there are none, and the next moment."""

    outcomes: FloatArray
    following: Moment


class Environment(Protocol):
    """Answers the actions of n sessions at a time. Implemented by small frozen dataclasses."""

    @property
    def coding(self) -> Coding:
        """How many states and actions there are, and what they are called."""
        ...

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        """What the sessions meet at their first step."""
        ...

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        """What follows the actions (n,)."""
        ...

    def like(self, data: Trajectories) -> Environment:  # noqa: ARG002
        """The environment that begins sessions as those of the data began, where it leaves that open."""
        return self
