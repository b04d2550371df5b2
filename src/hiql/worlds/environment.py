"""What answers an action: the next state, an outcome, and what is presented next."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Labels = tuple[Hashable, ...] | None


@dataclass(frozen=True)
class Format:
    """How many states and actions an environment has and what it presents; fields as in :class:`hiql.Trajectories`."""

    n_states: int
    n_actions: int
    state_labels: Labels = None
    action_labels: Labels = None
    input_names: tuple[str, ...] = ()
    context_names: tuple[str, ...] = ()
    context_labels: tuple[tuple[Hashable, ...], ...] = ()


class Moment(NamedTuple):
    """What n sessions, side by side, know before they act.

    ``states`` (n,), -1 where unknown; ``inputs`` (n, D) and ``contexts`` (n, C); ``missed`` (n,), whether no action
    will be taken. ``hidden`` is what the environment keeps to itself (where its blocks end, which spout is baited). It
    comes back with the actions, so that environments themselves never change.
    """

    states: IntArray
    inputs: FloatArray
    contexts: IntArray
    missed: npt.NDArray[np.bool_]
    hidden: Any = None

    @classmethod
    def at(cls, states: IntArray, hidden: Any = None, inputs: FloatArray | None = None) -> Moment:
        """In these states, with these inputs and no contexts; all sessions act."""
        n = len(states)
        given = np.empty((n, 0)) if inputs is None else inputs
        return cls(states, given, np.empty((n, 0), dtype=np.int64), np.zeros(n, dtype=bool), hidden)


class Answer(NamedTuple):
    """What actions led to: ``outcomes`` (n,) float64, NaN where there are none, and the next moment."""

    outcomes: FloatArray
    following: Moment


class Environment(Protocol):
    """Answers the actions of n sessions at a time. Implemented by small frozen dataclasses."""

    @property
    def format(self) -> Format:
        """What its moments consist of."""
        ...

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        """What the sessions meet at their first step."""
        ...

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        """What follows the actions (n,), which are -1 where the moment was missed."""
        ...

    def like(self, data: Trajectories) -> Environment:  # noqa: ARG002
        """The environment that begins sessions as those of the data began, where it leaves that open."""
        return self
