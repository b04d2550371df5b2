"""The columns beside states and actions: what a step is accompanied by, what followed it, when a session took place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.data.blocks import in_blocks
from hiql.data.codes import MISSING
from hiql.errors import BadColumns, InputNotFinite, InvalidParameter, ShapeMismatch, UnequalLengths

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.integer[Any]]
Locate = Callable[[int], tuple[str, int]]
"""From a flat index to the session's name and the step within it."""

STEP_COLUMNS: dict[str, Any] = {
    "states": np.int32,
    "actions": np.int32,
    "next_states": np.int32,
    "intentions": np.int32,
    "inputs": np.float64,
    "contexts": np.int32,
    "outcomes": np.float64,
}
"""Everything a step has, and its type; whatever passes steps on passes all of these on."""
SESSION_COLUMNS: dict[str, Any] = {"session_order": np.int64, "session_days": np.float64}
"""The numbers a session has, beside its name and its subject."""
WHAT_TO_DO = ("error", "skip")


def no_columns() -> npt.NDArray[Any]:
    """(0, 0): as good as no columns, for any number of steps."""
    return np.empty((0, 0))


def nothing() -> npt.NDArray[Any]:
    return np.empty(0)


def as_columns(values: npt.NDArray[Any], n_steps: int) -> npt.NDArray[Any]:
    """(n_steps, columns); no columns where none were given, which takes no memory."""
    return np.empty((n_steps, 0), dtype=values.dtype) if values.size == 0 else values


def check_columns(what: str, values: npt.NDArray[Any], names: Sequence[str]) -> None:
    """One row a step, one name a column, each name once."""
    if values.ndim != 2:
        remedy = "give one row a step and one column for each name"
        raise ShapeMismatch(field=f"{what}s", shape=values.shape, expected="(steps, columns)", remedy=remedy)
    if values.shape[1] != len(names):
        raise UnequalLengths(
            field=f"{what}_names", length=len(names), other=f"the columns of {what}s", other_length=values.shape[1]
        )
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            raise BadColumns(what=f"{what} column {i} is called {name!r}", remedy="give it a name")
        if name in names[:i]:
            raise BadColumns(what=f"two {what} columns are called {name!r}", remedy="give each its own name")


def first_place(array: npt.NDArray[Any], is_bad: Callable[[Any], Any]) -> tuple[int, ...] | None:
    """Where ``is_bad`` is first true, as an index into ``array``; None if nowhere."""
    for start, (part,) in in_blocks(array):
        bad = is_bad(part)
        if bad.any():
            step, *column = np.unravel_index(int(np.argmax(bad)), bad.shape)
            return start + int(step), *map(int, column)
    return None


def finite_inputs(inputs: FloatArray, names: Sequence[str], missing_inputs: str, locate: Locate) -> FloatArray:
    """The inputs, if all are finite; with ``missing_inputs="skip"``, NaN where they are not.

    A step with an input of NaN is passed through like one without a state: it carries no evidence.
    """
    if missing_inputs not in WHAT_TO_DO:
        remedy = 'choose "error", or "skip" to let steps with a missing input carry no evidence'
        raise InvalidParameter(parameter="missing_inputs", value=missing_inputs, remedy=remedy)
    if missing_inputs == "skip":
        return np.where(np.isfinite(inputs), inputs, np.nan)
    check_inputs(inputs, names, locate, _not_finite)
    return inputs


def check_inputs(
    inputs: FloatArray,
    names: Sequence[str],
    locate: Locate,
    is_bad: Callable[[FloatArray], npt.NDArray[np.bool_]],
) -> None:
    """Raise at the first bad value, with its column, session and step."""
    if (place := first_place(inputs, is_bad)) is not None:
        session, step = locate(place[0])
        raise InputNotFinite(column=names[place[1]], value=float(inputs[place]), session=session, step=step)


def _not_finite(part: FloatArray) -> npt.NDArray[np.bool_]:
    return ~np.isfinite(part)


def locate(step: int, offsets: IntArray, session_names: Sequence[str]) -> tuple[str, int]:
    """The session's name and the step within it, for a flat index."""
    session = int(np.searchsorted(offsets, step, side="right")) - 1
    return session_names[session], int(step - offsets[session])


def first_outside(codes: IntArray, size: int) -> int | None:
    """The first step whose code is neither missing nor below ``size``; None if there is none."""
    place = first_place(codes, lambda part: (part < MISSING) | (part >= size))
    return None if place is None else place[0]


def check_contexts(
    contexts: IntArray, names: Sequence[str], labels: Sequence[Sequence[Hashable]], locate: Locate
) -> None:
    """Labels for every context, and codes that have one."""
    if len(labels) != len(names):
        raise UnequalLengths(field="context_labels", length=len(labels), other="contexts", other_length=len(names))
    sizes = np.array([len(each) for each in labels])
    place = first_place(contexts, lambda part: (part < MISSING) | (part >= sizes))
    if place is not None:
        session, step = locate(place[0])
        column = place[1]
        raise BadColumns(
            what=f"context {names[column]!r} has code {contexts[place]} at session {session!r}, step {step}, "
            f"but {sizes[column]} labels",
            remedy="give codes 0, 1, … below the number of labels, and -1 where it is unknown",
        )


def check_outcomes(outcomes: FloatArray | None, labels: Sequence[Hashable] | None, locate: Locate) -> None:
    """Finite numbers or NaN; with labels, codes that have one."""
    if outcomes is None:
        return
    if outcomes.ndim != 1:
        remedy = "give one outcome a step"
        raise ShapeMismatch(field="outcomes", shape=outcomes.shape, expected="(steps,)", remedy=remedy)
    if labels is None:
        place = first_place(outcomes, np.isinf)
    else:
        codes = np.arange(len(labels))
        place = first_place(outcomes, lambda part: ~(np.isnan(part) | np.isin(part, codes)))
    if place is not None:
        session, step = locate(place[0])
        raise BadColumns(
            what=f"the outcome is {outcomes[place]} at session {session!r}, step {step}",
            remedy="give finite numbers (codes 0, 1, … where there are labels), and NaN where it is unknown",
        )


def check_days(days: FloatArray, session_names: Sequence[str]) -> None:
    if np.isinf(days).any():
        at = int(np.argmax(np.isinf(days)))
        remedy = "give the number of the day, or NaN where it is unknown"
        raise BadColumns(what=f"the day of session {session_names[at]!r} is {days[at]}", remedy=remedy)


def following_states(states: IntArray, offsets: IntArray) -> npt.NDArray[np.int64]:
    """(N,) the state of the next step of the same session, -1 at each session's end."""
    following = np.full(len(states), MISSING, dtype=np.int64)
    following[:-1] = states[1:]
    following[offsets[1:] - 1] = MISSING
    return following


def orders(subjects: Sequence[str]) -> npt.NDArray[np.int64]:
    """(n_sessions,) the number of each session among those of its subject, from 0, in order of appearance."""
    met: dict[str, int] = {}
    numbers = []
    for subject in subjects:
        numbers.append(met.setdefault(subject, 0))
        met[subject] += 1
    return np.array(numbers, dtype=np.int64)
