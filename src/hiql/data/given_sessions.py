"""Sessions as people give them, and the errors for those that are none: arrays, names, indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.errors import EmptyData, InvalidParameter, ShapeMismatch, UnequalLengths


def session_arrays(name: str, values: Any) -> list[npt.NDArray[Any]]:
    """A list of 1-D arrays, from ragged sequences, a 2-D array, or a single 1-D array."""
    if isinstance(values, pd.DataFrame | Mapping | str | bytes):
        raise InvalidParameter(
            parameter=f"{name}s",
            value=type(values).__name__,
            remedy="give one array of codes for each session; for tables use Trajectories.from_dataframe, for "
            "dictionaries list(d.values()) and session_names=list(d)",
        )
    if isinstance(values, np.ndarray) and values.dtype != object:
        sessions = list(np.atleast_2d(values)) if values.size else []
    else:
        items = list(values)
        if items and all(np.ndim(item) == 0 for item in items):
            items = [items]
        sessions = [np.atleast_1d(np.asarray(item)) for item in items]
    for session in sessions:
        if session.ndim != 1:
            raise ShapeMismatch(
                field=f"a session of {name}s",
                shape=session.shape,
                expected="(steps,)",
                remedy="give one code a step: one 1-D array a session, or a 2-D array with one row a session",
            )
    return sessions


def check_sessions(offsets: npt.NDArray[np.integer[Any]], names: Sequence[str], subjects: Sequence[str]) -> None:
    """At least one session, each of at least one step, each with a name and a subject."""
    if len(offsets) < 2:
        remedy = "give at least one session of at least one step"
        raise EmptyData(what="there are no sessions", remedy=remedy)
    n_sessions = len(offsets) - 1
    for field, given in (("session_names", names), ("subjects", subjects)):
        if len(given) != n_sessions:
            raise UnequalLengths(field=field, length=len(given), other="sessions", other_length=n_sessions)
    if offsets[0] != 0:
        raise InvalidParameter(parameter="offsets[0]", value=int(offsets[0]), remedy="let the first session start at 0")
    offsets = np.asarray(offsets)
    empty = offsets[1:] <= offsets[:-1]  # a difference could overflow
    if empty.any():
        name = names[int(np.argmax(empty))]
        raise EmptyData(what=f"session {name!r} has no steps", remedy="drop it or record at least one step")


def check_equal_lengths(
    name: str, arrays: Sequence[npt.NDArray[Any]], lengths: Sequence[int], names: Sequence[str]
) -> None:
    """As many arrays as sessions, and each as long as its session."""
    if len(arrays) != len(lengths):
        raise UnequalLengths(
            field=f"{name} sessions", length=len(arrays), other="state sessions", other_length=len(lengths)
        )
    for i, (array, length) in enumerate(zip(arrays, lengths, strict=True)):
        if len(array) != length:
            session = names[i] if i < len(names) else str(i)
            raise UnequalLengths(field=name, length=len(array), other="state", other_length=length, session=session)


def session_indices(chosen: npt.NDArray[Any], n_sessions: int) -> npt.NDArray[np.int64]:
    """Indices 0…n_sessions-1 from indices (negative ones count from the end) or a mask."""
    if chosen.dtype == bool:
        if len(chosen) != n_sessions:
            raise UnequalLengths(field="mask", length=len(chosen), other="sessions", other_length=n_sessions)
        chosen = np.flatnonzero(chosen)
    if chosen.size == 0:
        raise EmptyData(what="no session was selected", remedy="select at least one session index")
    bad = (chosen != np.round(chosen)) | (chosen < -n_sessions) | (chosen >= n_sessions)
    if bad.any():
        raise InvalidParameter(
            parameter="session index",
            value=chosen[bad][0].item(),
            remedy=f"choose whole numbers from 0 to {n_sessions - 1}",
        )
    return chosen.astype(np.int64) % n_sessions
