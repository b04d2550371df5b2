"""What happens in a running experiment, put into a model's codes, and what the model remembers of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.codes import MISSING, label_text
from hiql.data.coding import Coding, Labels
from hiql.data.histories import histories_of
from hiql.data.matching import context_column
from hiql.data.memory import Happened
from hiql.errors import InvalidParameter
from hiql.models.asked_steps import Moment
from hiql.parts.part import FloatArray

Code = int | str | None | EllipsisType
Inputs = Mapping[str, float | None] | npt.ArrayLike | None
Outcome = float | str | None
Contexts = Mapping[str, Hashable] | None


class Kept(NamedTuple):
    """What is remembered before a step: the history of trials, and traces (1, T, F) of the past, if there are any."""

    history: int
    traces: FloatArray


class Moments:
    """The door of a running experiment: arguments in, :class:`~hiql.models.asked_steps.Moment` out, or an error."""

    def __init__(self, coding: Coding, wants_inputs: bool) -> None:
        self._coding, self._wants_inputs = coding, wants_inputs
        self._memory, self._histories = coding.memory, histories_of(coding)
        traces = coding.memory.names if coding.memory else ()
        self.input_names = tuple(name for name in coding.input_names if name not in traces)
        self._given, self._traced = ([coding.input_names.index(n) for n in ns] for ns in (self.input_names, traces))
        self._codes = tuple(
            {label_text(label): code for code, label in enumerate(labels)} for labels in coding.context_labels
        )

    @property
    def are_codes(self) -> bool:
        """Whether a state and an action say everything."""
        return not (self._wants_inputs or self._memory or self._histories or self._coding.context_names)

    def begin(self) -> Kept:
        return Kept(0, np.empty(0) if self._memory is None else self._memory.begin())

    def moment(
        self, kept: Kept, state: Code, action: Code, inputs: Inputs, contexts: Contexts, outcome: Outcome
    ) -> Moment:
        coding = self._coding
        if state is ...:
            state = kept.history if self._histories or coding.n_states == 1 else MISSING
        return Moment(
            _code("state", state, coding.n_states, coding.state_labels),
            _code("action", action, coding.n_actions, coding.action_labels),
            self._inputs(kept, inputs),
            self._contexts(contexts),
            self._outcome(outcome),
        )

    def after(self, kept: Kept, now: Moment) -> Kept:
        """What is remembered after a step."""
        history, traces = kept
        happened = Happened(np.array([now.action]), np.array([now.outcome]), np.array([now.state]))
        if self._histories is not None:
            before = np.array([kept.history if now.state < 0 else now.state])
            history = int(self._histories.after(before, happened.actions, happened.outcomes)[0])
        if self._memory is not None:
            traces = self._memory.step(kept.traces, happened)
        return Kept(history, traces)

    def _outcome(self, given: Outcome) -> float:
        """An amount, or the code of a label; NaN if it is unknown."""
        kinds = self._coding.outcome_kinds
        if isinstance(given, str):
            return float(_code("outcome", given, len(kinds), kinds))
        return np.nan if given is None else _number("outcome", given)

    def _inputs(self, kept: Kept, given: Inputs) -> FloatArray | None:
        """(D,) in the model's order, traces among them; None where there is nothing to know or nobody wants to."""
        names = self.input_names
        if given is None:
            if not self._wants_inputs:
                return None
            if names:
                remedy = f"the model reads {', '.join(names)}: give a number for each, None where it is not known"
                raise InvalidParameter(parameter="inputs", value=None, remedy=remedy)
            given = ()
        row = np.empty(len(self._coding.input_names))
        row[self._given] = self._numbers(given)
        if self._memory is not None:
            row[self._traced] = self._memory.inputs(kept.traces)[0]
        return row

    def _numbers(self, given: Any) -> list[float]:
        names = self.input_names
        if isinstance(given, Mapping):
            if set(given) != set(names):
                remedy = f"name each of the model's inputs: {', '.join(names) or 'it has none'}"
                raise InvalidParameter(parameter="inputs", value=sorted(map(str, given)), remedy=remedy)
            given = [given[name] for name in names]
        values = given.tolist() if isinstance(given, np.ndarray) else given
        if not isinstance(values, list | tuple) or len(values) != len(names):
            remedy = f"give numbers by name, or in this order: {', '.join(names) or 'none'}"
            raise InvalidParameter(parameter="inputs", value=given, remedy=remedy)
        return [np.nan if x is None else _number(f"input {name}", x) for name, x in zip(names, values, strict=True)]

    def _contexts(self, given: Contexts) -> tuple[int, ...]:
        """(C,) codes; -1 for what is left out, and for labels never met."""
        codes = [MISSING] * len(self._codes)
        if given is not None and not isinstance(given, Mapping):
            raise InvalidParameter(parameter="contexts", value=given, remedy="give labels by the names of contexts")
        for name, label in (given or {}).items():
            at = context_column(name, self._coding.context_names)
            codes[at] = MISSING if label is None else self._codes[at].get(label_text(label), MISSING)
        return tuple(codes)


def _code(field: str, value: Any, size: int, labels: Labels) -> int:
    """A whole number is a code, text a label; None and -1 are unknown."""
    if value is None:
        return MISSING
    if isinstance(value, str):
        texts = [label_text(label) for label in labels or range(size)]
        if value in texts:
            return texts.index(value)
    elif isinstance(value, int | float | np.number) and not isinstance(value, bool) and value in range(MISSING, size):
        return int(value)
    some = ", ".join(repr(label_text(label)) for label in (labels or ())[:8])
    remedy = f"give a code from 0 to {size - 1}" + (f", a label ({some})" if some else "") + ", or None if unknown"
    raise InvalidParameter(parameter=field, value=value, remedy=remedy)


def _number(field: str, value: Any) -> float:
    """A number, or NaN where it is unknown."""
    try:
        number = float(value) if isinstance(value, int | float | np.integer | np.floating | np.bool_) else np.inf
    except OverflowError:  # a whole number of hundreds of digits
        number = np.inf
    if np.isinf(number):
        raise InvalidParameter(parameter=field, value=value, remedy="give a finite number, or None if it is unknown")
    return number
