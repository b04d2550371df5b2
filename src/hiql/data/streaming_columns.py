"""Inputs, contexts, outcomes, order and day of a table that is too large to be read at once, a batch at a time.

A column takes the rows of a batch and gives the rows of an array; after the last batch it says what the codes mean.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.blocks import in_blocks
from hiql.data.codes import MISSING
from hiql.data.mapped import array_file
from hiql.data.step_columns import check_outcomes, finite_inputs, locate
from hiql.data.table_columns import WHEN, Extra
from hiql.errors import BadTable

Array = npt.NDArray[Any]


class SessionsSoFar(Protocol):
    """Where the sessions met so far begin, what they are called, and whose they are."""

    starts: list[int]
    names: list[str]
    owners: list[str]


class StreamedInputs:
    """(N, D) numbers; what is missing is named with its place, or NaN if the user says so."""

    array = "inputs"

    def __init__(self, names: Sequence[str], missing_inputs: str) -> None:
        self.names, self.missing_inputs = tuple(names), missing_inputs

    def take(self, batch: Any, row: int, sessions: SessionsSoFar) -> Array:
        values = np.stack([numbers_of(batch, name) for name in self.names], axis=1)
        return finite_inputs(values, self.names, self.missing_inputs, _locator(row, sessions))

    def finish(self, place: Path) -> dict[str, Any]:  # noqa: ARG002
        return {"input_names": self.names}


class StreamedContexts:
    """(N, C) codes in order of appearance, which are put in the order of their labels at the end."""

    array = "contexts"

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.met: list[dict[Hashable, int]] = [{} for _ in self.names]

    def take(self, batch: Any, row: int, sessions: SessionsSoFar) -> Array:  # noqa: ARG002
        values = [batch.column(name).to_pandas() for name in self.names]
        return np.stack(list(map(self._codes, values, self.met)), axis=1).astype(np.int32)

    @staticmethod
    def _codes(values: pd.Series, met: dict[Hashable, int]) -> Array:
        group, labels = pd.factorize(values)
        new = [met.setdefault(_plain(label), len(met)) for label in labels]
        return np.array([*new, MISSING])[group]  # the last serves rows without a label

    def finish(self, place: Path) -> dict[str, Any]:
        labels = [_in_order(name, met) for name, met in zip(self.names, self.met, strict=True)]
        numbers = [np.array([*map(each.index, met), MISSING]) for each, met in zip(labels, self.met, strict=True)]
        codes = np.load(place / f"{self.array}.npy", mmap_mode="r+")
        for _, (part,) in in_blocks(codes):
            for column, number in enumerate(numbers):
                part[:, column] = number[part[:, column]]
            codes.flush()
        return {"context_names": self.names, "context_labels": labels}


class StreamedOutcomes:
    """(N,) amounts of reward, NaN where there is none."""

    array = "outcomes"

    def __init__(self, name: str) -> None:
        self.names = (name,)

    def take(self, batch: Any, row: int, sessions: SessionsSoFar) -> Array:
        values = numbers_of(batch, self.names[0])
        check_outcomes(values, None, _locator(row, sessions))
        return values

    def finish(self, place: Path) -> dict[str, Any]:  # noqa: ARG002
        return {}


class StreamedWhen:
    """(n_sessions,) order or day: the value of a session's first row, which all its rows must share."""

    def __init__(self, role: str, name: str) -> None:
        self.role, self.name = role, name
        self.values: list[Any] = []

    def take(self, batch: Any, row: int, starts: Array, sessions: SessionsSoFar) -> None:
        values = batch.column(self.name).to_pandas().astype(object)
        values = values.where(values.notna(), None)
        before = [] if starts.size and starts[0] == row else [self.values[-1]]
        self.values += values.iloc[starts - row].tolist()
        heads = [*before, *self.values[len(self.values) - len(starts) :]]
        lengths = np.diff([0, *(starts - row)[1 - len(before) :], len(values)])
        differ = values.to_numpy() != np.repeat(np.array([*heads, None], dtype=object)[:-1], lengths)
        if differ.any():
            session, step = _locator(row, sessions)(int(np.argmax(differ)))
            raise BadTable(
                what=f"{self.name!r} changes within session {session!r}, at step {step}",
                remedy="write one value a session, or divide the session",
            )

    def write(self, place: Path, owners: Sequence[str]) -> None:
        array, kind = {"order": ("session_order", np.int64), "day": ("session_days", np.float64)}[self.role]
        values = pd.Series(self.values, dtype=object).infer_objects()
        with array_file(place, array, len(self.values)) as file:
            file.write(np.asarray(WHEN[self.role](values, owners, self.name), dtype=kind).data)


Streamed = StreamedInputs | StreamedContexts | StreamedOutcomes


class StreamedExtra:
    """All further columns of a table, each with its file."""

    def __init__(self, extra: Extra) -> None:
        self.steps: list[Streamed] = []
        self.steps += [StreamedInputs(extra.inputs, extra.missing_inputs)] if extra.inputs else []
        self.steps += [StreamedContexts(extra.contexts)] if extra.contexts else []
        self.steps += [StreamedOutcomes(extra.outcome)] if extra.outcome is not None else []
        when = {"order": extra.order, "day": extra.day}
        self.sessions = [StreamedWhen(role, name) for role, name in when.items() if name is not None]
        self.columns = [name for names in extra.names.values() for name in names]
        self._files: list[BinaryIO] = []

    def open(self, place: Path, n_rows: int, stack: ExitStack) -> None:
        for column in self.steps:
            shape = (n_rows,) if isinstance(column, StreamedOutcomes) else (n_rows, len(column.names))
            self._files.append(stack.enter_context(array_file(place, column.array, *shape)))

    def take(self, batch: Any, row: int, starts: Array, sessions: SessionsSoFar) -> None:
        for column, file in zip(self.steps, self._files, strict=True):
            file.write(np.ascontiguousarray(column.take(batch, row, sessions)).data)
        for when in self.sessions:
            when.take(batch, row, starts, sessions)

    def finish(self, place: Path, owners: Sequence[str]) -> dict[str, Any]:
        """Once all files are closed: names and labels for the folder's description."""
        about: dict[str, Any] = {}
        for column in self.steps:
            about |= column.finish(place)
        for when in self.sessions:
            when.write(place, owners)
        return about


def numbers_of(batch: Any, name: str) -> npt.NDArray[np.float64]:
    """A column of numbers or truth values as float64, NaN where there is nothing."""
    import pyarrow.types as kinds

    column = batch.column(name)
    kind = column.type
    if not (kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind) or kinds.is_null(kind)):
        raise BadTable(
            what=f"column {name!r} holds values of type {kind}, not numbers",
            remedy="write numbers (an indicator of 0 and 1 for each word), or name it as a context",
        )
    values = column.cast("int8").cast("float64") if kinds.is_boolean(kind) else column.cast("float64")
    return np.array(values.to_numpy(zero_copy_only=False), dtype=np.float64)


def _locator(row: int, sessions: SessionsSoFar) -> Callable[[int], tuple[str, int]]:
    """From a row of a batch to its session and step."""
    return lambda at: locate(row + at, np.array([*sessions.starts, 2**62]), sessions.names)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _in_order(name: str, met: dict[Any, int]) -> list[Any]:
    if not all(isinstance(label, str | int | float) for label in met):
        raise BadTable(what=f"the context {name!r} holds neither numbers nor words", remedy="write it as text")
    labels = [int(label) if isinstance(label, float) and label.is_integer() else label for label in met]
    return sorted(labels)
