"""An environment in the codes of a model, by label."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hiql.data.codes import MISSING, label_text
from hiql.data.histories import Labelled
from hiql.data.step_columns import IntArray
from hiql.worlds.environment import Answer, Environment, Format, Labels, Moment, Wrapped


@dataclass(frozen=True, eq=False)
class Recoded(Wrapped):
    """The same environment with other codes: ``states`` (S + 1,) says what each of its states is called outside, and
    ``actions`` (A + 1,) which of its actions each one from outside is; the last entries serve -1."""

    states: IntArray
    actions: IntArray
    outside: Labelled

    @property
    def format(self) -> Format:
        inside, outside = self.environment.format, self.outside
        return replace(inside, state_labels=outside.state_labels, action_labels=outside.action_labels)

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        return self._shown(self.environment.begin(n_sessions, rng))

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        outcomes, following = self.environment.answer(moment.hidden, self.actions[actions], rng)
        return Answer(outcomes, self._shown(following))

    def _shown(self, inner: Moment) -> Moment:
        return inner._replace(states=self.states[inner.states], hidden=inner)


def recoded(environment: Environment, outside: Labelled) -> Environment:
    """The environment in the codes of a model, where both have the same labels in another order.

    A table's labels are numbered in their own order, which need not be that of a world. Where labels are not the same,
    codes are taken to agree.
    """
    inside = environment.format
    states = _places(inside.state_labels, outside.state_labels, inside.n_states)
    actions = _places(outside.action_labels, inside.action_labels, inside.n_actions)
    if all((map_ == [*range(len(map_) - 1), MISSING]).all() for map_ in (states, actions)):
        return environment
    return Recoded(environment, states, actions, outside)


def _places(labels: Labels, others: Labels, size: int) -> IntArray:
    """(size + 1,) where each label stands among the others, and -1; itself where they are not the same labels."""
    texts, places = ([label_text(label) for label in each or ()] for each in (labels, others))
    same = sorted(texts) == sorted(places) and len(set(texts)) == size
    return np.array([*(map(places.index, texts) if same else range(size)), MISSING])
