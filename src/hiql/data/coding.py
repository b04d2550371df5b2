"""What the codes of states and actions mean, so that a model can read data it has never seen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from hiql.data.codes import MISSING, WHOLE, label_text
from hiql.data.trajectories import IntArray, Trajectories
from hiql.errors import DifferentLabels, InvalidParameter, UnknownLabel

UNKNOWN = -2
Labels = tuple[Hashable, ...] | None


@dataclass(frozen=True)
class Coding:
    """How many states and actions there are and what they are called; labels None: codes are their own labels."""

    n_states: int
    n_actions: int
    state_labels: Labels = None
    action_labels: Labels = None

    @classmethod
    def of(cls, data: Trajectories) -> Self:
        return cls(data.n_states, data.n_actions, _plain(data.state_labels), _plain(data.action_labels))

    def check(self, data: Trajectories) -> None:
        """Raise if the same codes have other labels in the data: nothing else would show the mistake.

        Codes without labels stand for numbers; where the other side has words, nothing can be said.
        """
        other = Coding.of(data)
        for field, ours, theirs, n in (
            ("state", self.state_labels, other.state_labels, self.n_states),
            ("action", self.action_labels, other.action_labels, self.n_actions),
        ):
            if ours == theirs or (None in (ours, theirs) and has_words(ours or theirs)):
                continue
            pairs = zip(_texts(ours or range(n)), _texts(theirs or range(n)), strict=True)
            for code, (model, label) in enumerate(pairs):
                if model != label:
                    raise DifferentLabels(field=field, code=code, data=label, model=model)

    def recode(self, data: Trajectories, *, unknown_is_missing: bool = False) -> Trajectories:
        """The same behaviour in these codes: labels are matched as they are written, 1, 1.0 and "1" alike.

        A state or action that has no code here is an error, or not observed with ``unknown_is_missing``. A *next*
        state without a code is not observed: nothing but the rewards of an unknown world depends on it.
        """
        if Coding.of(data) == self:
            return data
        states = _dictionary(data.n_states, data.state_labels, self.n_states, self.state_labels)
        actions = _dictionary(data.n_actions, data.action_labels, self.n_actions, self.action_labels)
        lowest = MISSING if unknown_is_missing else UNKNOWN
        recoded_states = np.maximum(states[data.states], lowest)
        recoded_actions = np.maximum(actions[data.actions], lowest)
        self._check_known(data, recoded_states, recoded_actions)
        return replace(
            data,
            states=recoded_states,
            actions=recoded_actions,
            next_states=np.maximum(states[data.next_states], MISSING),
            n_states=self.n_states,
            n_actions=self.n_actions,
            state_labels=self.state_labels,
            action_labels=self.action_labels,
        )

    def _check_known(self, data: Trajectories, states: IntArray, actions: IntArray) -> None:
        for field, new, old, labels, known in (
            ("state", states, data.states, data.state_labels, self.state_labels or range(self.n_states)),
            ("action", actions, data.actions, data.action_labels, self.action_labels or range(self.n_actions)),
        ):
            if (new == UNKNOWN).any():
                step = int(np.argmax(new == UNKNOWN))
                label = label_text((labels or range(int(old[step]) + 1))[int(old[step])])
                session, at = data.locate(step)
                raise UnknownLabel(field=field, label=label, session=session, step=at, known=_listing(known))


def has_words(labels: Labels) -> bool:
    """Whether any label is a word; numbers may be codes, also those written as text, and words cannot."""
    return any(isinstance(label, str) and not WHOLE.fullmatch(label) for label in labels or ())


def _plain(labels: Labels) -> Labels:
    """Labels that a file of plain values can hold: numbers and text."""
    if labels is None or all(isinstance(label, str | int | float) for label in labels):
        return labels
    return tuple(_texts(labels))


def _texts(labels: Sequence[Hashable]) -> list[str]:
    return [label_text(label) for label in labels]


def _listing(labels: Sequence[Hashable], most: int = 8) -> str:
    more = f", … ({len(labels)} in all)" if len(labels) > most else ""
    return ", ".join(map(repr, _texts(labels[:most]))) + more


def _dictionary(n_from: int, labels_from: Labels, n_to: int, labels_to: Labels) -> npt.NDArray[np.int64]:
    """(n_from + 1,) the new code of each old one, ``UNKNOWN`` where there is none; the last entry serves code -1."""
    texts = _texts(labels_to or range(n_to))
    code = {text: i for i, text in enumerate(texts)}
    if len(code) < len(texts):
        alike = next(text for text in texts if texts.count(text) > 1)
        raise InvalidParameter(parameter="label", value=alike, remedy="several codes have it; give each its own")
    new = [code.get(text, UNKNOWN) for text in _texts(labels_from or range(n_from))]
    return np.array([*new, MISSING], dtype=np.int64)
