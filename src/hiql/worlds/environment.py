"""What answers an action: the next state, an outcome, and what is presented next."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hiql.data.memory import Memory
from hiql.data.step_columns import FloatArray, IntArray, orders
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter

Labels = tuple[Hashable, ...] | None
USUAL_LENGTH = 100


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
    memory: Memory | None = None


class Sessions(NamedTuple):
    """Which sessions are played: how long each is, what it is called, whose it is and when; as in ``Trajectories``."""

    lengths: IntArray
    session_names: tuple[str, ...]
    subjects: tuple[str, ...]
    session_order: IntArray
    session_days: FloatArray

    @classmethod
    def of(cls, lengths: IntArray, subjects: Sequence[str] | None = None, days: FloatArray | None = None) -> Sessions:
        """Sessions with numbers for names, of the given subjects; without, all are one's."""
        n = len(lengths)
        owners = ("all",) * n if subjects is None else tuple(subjects)
        when = np.full(n, np.nan) if days is None else days
        return cls(lengths, tuple(map(str, range(n))), owners, orders(owners), when)

    @classmethod
    def of_data(cls, data: Trajectories, n_sessions: int | None = None) -> Sessions:
        """The sessions of the data, from the first again when they run out."""
        which = np.arange(data.n_sessions if n_sessions is None else n_sessions) % data.n_sessions
        names, subjects = (tuple(each[i] for i in which) for each in (data.session_names, data.subjects))
        return cls(data.lengths[which], names, subjects, data.session_order[which], data.session_days[which])


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


@runtime_checkable
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

    def like(self, data: Trajectories) -> Environment:
        """The same with the sessions of the data, which also begin as those did where that is left open."""
        return Like(self, data)

    def sessions(self, n_sessions: int | None = None) -> Sessions:
        """The sessions it is made for, as many as are asked for; unless it knows better, one of 100 steps."""
        return Sessions.of(np.full(1 if n_sessions is None else n_sessions, USUAL_LENGTH))


@dataclass(frozen=True, eq=False)
class Wrapped(Environment):
    """An environment that changes something about the moments of another."""

    environment: Environment

    @property
    def format(self) -> Format:
        return self.environment.format

    def sessions(self, n_sessions: int | None = None) -> Sessions:
        return self.environment.sessions(n_sessions)

    def like(self, data: Trajectories) -> Environment:
        return replace(self, environment=self.environment.like(data))

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        return self.environment.begin(n_sessions, rng)

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        return self.environment.answer(moment, actions, rng)


@dataclass(frozen=True, eq=False)
class Like(Wrapped):
    """The same environment, made for the sessions of other data."""

    data: Trajectories

    def sessions(self, n_sessions: int | None = None) -> Sessions:
        return Sessions.of_data(self.data, n_sessions)


def check_environment(world: object) -> None:
    """Raise unless this can answer actions, saying what does."""
    if not isinstance(world, Environment):
        raise InvalidParameter(
            parameter="world",
            value=type(world).__name__,
            remedy="give what answers the actions: an hiql.MDP, or for tables of trials "
            "hiql.worlds.ObservedSchedule(data, chances), Bandit, ReversalTask or Stimuli",
        )
