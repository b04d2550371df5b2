"""What codes and columns mean, so that a model can read data it has never seen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from hiql.data.blocks import give_back
from hiql.data.codes import MISSING, WHOLE, label_text
from hiql.data.days import day_codes, days_of_subjects
from hiql.data.described import check_description, plain_labels
from hiql.data.matching import context_column, in_order, input_columns, known_codes, taken
from hiql.data.memory import Memory
from hiql.data.outcomes import kinds_of_outcome, outcome_codes
from hiql.data.scales import mean_and_scale, standardise
from hiql.data.step_columns import FloatArray, IntArray
from hiql.data.trajectories import Trajectories
from hiql.errors import DifferentLabels, InvalidParameter, UnknownLabel

UNKNOWN = -2
Labels = tuple[Hashable, ...] | None


@dataclass(frozen=True)
class Coding:
    """What a model knows of the data it was fitted to: it travels with the model, and new data are matched by name.

    How many states and actions there are and what they are called (labels None: codes are their own labels). The
    names of the inputs, and the mean and scale of each in the data of the fit: inputs keep the user's units outside and
    are standardised inside. The names of contexts and of subjects, by their codes, the recipe of the traces among the
    inputs, the kinds of outcomes, where they are few, and the days of each subject, in order, where any are known.
    """

    n_states: int
    n_actions: int
    state_labels: Labels = None
    action_labels: Labels = None
    input_names: tuple[str, ...] = ()
    input_means: tuple[float, ...] = ()
    input_scales: tuple[float, ...] = ()
    context_names: tuple[str, ...] = ()
    context_labels: tuple[tuple[Hashable, ...], ...] = ()
    subjects: tuple[str, ...] = ()
    memory: Memory | None = None
    outcome_kinds: tuple[Hashable, ...] = ()
    days: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        check_description(self)

    @classmethod
    def of(cls, data: Trajectories) -> Self:
        means, scales = mean_and_scale(data.inputs)
        return cls(
            data.n_states,
            data.n_actions,
            plain_labels(data.state_labels),
            plain_labels(data.action_labels),
            data.input_names,
            tuple(means.tolist()),
            tuple(scales.tolist()),
            data.context_names,
            tuple(plain_labels(labels) or () for labels in data.context_labels),
            tuple(dict.fromkeys(data.subjects)),
            data.memory,
            kinds_of_outcome(data),
            days_of_subjects(data),
        )

    def reading_as(self, other: Coding) -> Coding:
        """The same, but inputs, if the other has any, are in its order and scale: its weights then mean the same."""
        names = ("input_names", "input_means", "input_scales") if other.input_names else ()
        return replace(self, **{name: getattr(other, name) for name in names})

    def check(self, data: Trajectories) -> None:
        """Raise if the same codes have other labels in the data: nothing else would show the mistake.

        Codes without labels stand for numbers; where the other side has words, nothing can be said.
        """
        for field, ours, theirs, n in (
            ("state", self.state_labels, plain_labels(data.state_labels), self.n_states),
            ("action", self.action_labels, plain_labels(data.action_labels), self.n_actions),
        ):
            if ours == theirs or (None in (ours, theirs) and has_words(ours or theirs)):
                continue
            pairs = zip(_texts(ours or range(n)), _texts(theirs or range(n)), strict=True)
            for code, (model, label) in enumerate(pairs):
                if model != label:
                    raise DifferentLabels(field=field, code=code, data=label, model=model)

    def example(self, n_steps: int) -> Trajectories:
        """One session in these codes and columns: the first action in the first state, and nothing else known."""
        steps = np.zeros(n_steps, dtype=np.int32)
        return Trajectories(
            states=steps,
            actions=steps,
            next_states=np.r_[steps[1:], MISSING],
            offsets=np.array([0, n_steps]),
            n_states=self.n_states,
            n_actions=self.n_actions,
            session_names=("0",),
            subjects=("all",),
            state_labels=self.state_labels,
            action_labels=self.action_labels,
            inputs=np.tile(np.array(self.input_means), (n_steps, 1)),
            input_names=self.input_names,
            contexts=np.full((n_steps, len(self.context_names)), MISSING),
            context_names=self.context_names,
            context_labels=self.context_labels,
            memory=self.memory,
            outcomes=np.full(n_steps, np.nan) if self.outcome_kinds else None,
        )

    # --- columns of any data, by name -------------------------------------------------------------------------

    def standardised(self, data: Trajectories, steps: slice = slice(None)) -> FloatArray:
        """(n, D) the inputs of these steps in the model's order and scale; 0 where one is missing.

        Mapped data are given back once they are standardised: part by part, memory does not grow with the data.
        """
        part = data.inputs[steps]
        wanted = taken(part, input_columns(self.input_names, data.input_names))
        inside = standardise(wanted, np.array(self.input_means), np.array(self.input_scales))
        give_back(part)
        return inside

    def context_codes(self, data: Trajectories, name: str, steps: slice = slice(None)) -> npt.NDArray[np.int64]:
        """(n,) the codes of a context as the model knows it; its number of labels for what is unknown or missing."""
        known = self.context_labels[context_column(name, self.context_names)]
        at = context_column(name, data.context_names)
        return known_codes(data.contexts[steps, at], data.context_labels[at], known)

    def subject_codes(self, data: Trajectories) -> npt.NDArray[np.int64]:
        """(n_sessions,) the code of each session's subject; the number of subjects for one never met."""
        return known_codes(np.arange(data.n_sessions), data.subjects, self.subjects)

    def day_codes(self, data: Trajectories) -> npt.NDArray[np.int64]:
        """(n_sessions,) the code of each session's subject and day, as :func:`hiql.data.days.day_codes` has them."""
        return day_codes(self.subject_codes(data), data.session_days, self.days)

    def last_outcome_codes(self, data: Trajectories) -> npt.NDArray[np.int64]:
        """(N,) the kind of outcome of the step before each; the number of kinds for another one, or none."""
        return np.r_[len(self.outcome_kinds), outcome_codes(data, self.outcome_kinds)[:-1]]

    # --- whole data in these codes ----------------------------------------------------------------------------

    def recode(self, data: Trajectories, *, unknown_is_missing: bool = False) -> Trajectories:
        """The same behaviour in these codes: labels are matched as they are written, 1, 1.0 and "1" alike.

        A state or action that has no code here is an error, or not observed with ``unknown_is_missing``. A *next*
        state without a code is not observed: nothing but the rewards of an unknown world depends on it. Inputs and
        contexts are put in this order, others behind them; one that the data lack is an error, except traces of the
        past, which are made here. A context's label without a code is unknown, which models take for the average.
        """
        return self._with_columns(self._with_codes(data, unknown_is_missing))

    def _with_codes(self, data: Trajectories, unknown_is_missing: bool) -> Trajectories:
        ours = self.n_states, self.n_actions, self.state_labels, self.action_labels
        labels = plain_labels(data.state_labels), plain_labels(data.action_labels)
        if ours == (data.n_states, data.n_actions, *labels):
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

    def _with_columns(self, data: Trajectories) -> Trajectories:
        if self.memory is not None and not set(self.memory.names) <= set(data.input_names):
            data = data.with_traces(self.memory)
        return in_order(data, self.input_names, self.context_names, self.context_labels)

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
