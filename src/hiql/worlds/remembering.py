"""Environments that present what an animal remembers, as :func:`hiql.bandit_trials` writes it into data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from hiql.data.histories import Histories, Labelled, histories_of
from hiql.data.memory import Happened, Memory
from hiql.worlds.environment import Answer, Environment, FloatArray, Format, IntArray, Labels, Moment, Wrapped


@dataclass(frozen=True, eq=False)
class WithHistories(Wrapped):
    """The states are the last ℓ trials, their choices and outcomes."""

    histories: Histories
    labels: Labels = None

    @property
    def format(self) -> Format:
        return replace(self.environment.format, n_states=self.histories.n_states, state_labels=self.labels)

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        first = self.environment.begin(n_sessions, rng)
        return first._replace(states=np.zeros(n_sessions, dtype=np.int64), hidden=first)

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        outcomes, following = self.environment.answer(moment.hidden, actions, rng)
        states = self.histories.after(moment.states, actions, outcomes)
        return Answer(outcomes, following._replace(states=states, hidden=following))


@dataclass(frozen=True, eq=False)
class WithMemory(Wrapped):
    """Leaky traces of past choices, outcomes and places are further inputs (:mod:`hiql.data.memory`)."""

    memory: Memory

    @property
    def format(self) -> Format:
        inner = self.environment.format
        return replace(inner, input_names=(*inner.input_names, *self.memory.names), memory=self.memory)

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        return self._moment(self.environment.begin(n_sessions, rng), self.memory.begin(n_sessions))

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        inner, kept = moment.hidden
        outcomes, following = self.environment.answer(inner, actions, rng)
        happened = Happened(actions, outcomes, moment.states)
        return Answer(outcomes, self._moment(following, self.memory.step(kept, happened)))

    def _moment(self, inner: Moment, kept: FloatArray) -> Moment:
        return inner._replace(inputs=np.hstack([inner.inputs, self.memory.inputs(kept)]), hidden=(inner, kept))


class Reader(Labelled, Protocol):
    """What says which states, and which memories among the inputs, a model reads: its coding."""

    @property
    def memory(self) -> Memory | None: ...


def remembering(environment: Environment, reader: Reader) -> Environment:
    """The environment, with the histories and memories that a model reads and it does not present itself."""
    histories = histories_of(reader)
    if histories is not None and environment.format.n_states == 1:
        environment = WithHistories(environment, histories, reader.state_labels)
    if reader.memory is not None and environment.format.memory is None:
        environment = WithMemory(environment, reader.memory)
    return environment
