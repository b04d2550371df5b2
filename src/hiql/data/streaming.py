"""From a Parquet file of any size to a folder of mapped trajectories, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.blocks import BLOCK
from hiql.data.codes import MISSING, label_text
from hiql.data.columns import names_in
from hiql.data.described import MOST_PAIRS
from hiql.data.mapped import array_file, new_data_folder, open_trajectories, write_about
from hiql.data.missing import Missing, marks_of
from hiql.data.streaming_columns import StreamedExtra
from hiql.data.table_columns import Extra
from hiql.data.tables import looks_like_subject
from hiql.data.trajectories import Trajectories
from hiql.errors import BadTable, ColumnNotFound, EmptyData, MissingExtra

Codes = npt.NDArray[np.int32]
UNKNOWN = -(2**62)
"""Stands for "not observed" while -1 may be a number that somebody wrote; an integer, and exact as a float."""


def stream_table(
    path: str | PathLike[str],
    folder: str | PathLike[str],
    session: str = "session",
    state: str | None = "state",
    action: str = "action",
    subject: str | None = None,
    next_state: str | None = None,
    *,
    n_states: int | None = None,
    n_actions: int | None = None,
    missing: Missing = None,
    inputs: str | Sequence[str] = (),
    contexts: str | Sequence[str] = (),
    outcome: str | None = None,
    order: str | None = None,
    day: str | None = None,
    missing_inputs: str = "error",
) -> Trajectories:
    """Turn a Parquet file with one row a step into a folder, and open it: for tables larger than memory.

    States and actions must be codes 0, 1, …; empty cells mean "not observed", and so do the numbers in ``missing``
    (given as in :func:`hiql.read_table`): other negative ones are an error. The rows of a session lie together, in
    order. The sizes default to the largest code plus one; ``state=None`` means one state. Inputs and outcomes must be
    numbers; the other columns are those of :func:`hiql.read_table`. The folder must not exist yet. Open it again with
    :func:`hiql.open_trajectories`.
    """
    names = {"state": state, "action": action, "next_state": next_state}
    roles = {role: (name,) for role, name in names.items() if name is not None}
    marks = marks_of(missing, roles)
    sizes = {"state": n_states, "action": n_actions, "next_state": n_states}
    codes = {role: CodeColumn(name, sizes[role], marks[name] or ()) for role, (name,) in roles.items()}
    file = _parquet(Path(path))
    sessions = Sessions(session, subject, _doubtful_subject(file, subject, session))
    extra = StreamedExtra(Extra(names_in(inputs), names_in(contexts), outcome, order, day, missing_inputs))
    columns = [*sessions.columns, *(column.name for column in codes.values()), *extra.columns]
    _check_columns(file, columns, path)
    with new_data_folder(folder) as place:
        _copy(file, place, columns, codes, sessions, extra)
        for role in ("state", "action"):
            if role in codes:
                codes[role].check()
        _check_marks_met(codes.values())
        n_states = max([1 if n_states is None else n_states, *(codes[r].size for r in codes if r != "action")])
        n_actions = codes["action"].size
        if n_states * n_actions > MOST_PAIRS:
            raise BadTable(
                what=f"{path} has {n_states} states × {n_actions} actions, more than {MOST_PAIRS} pairs",
                remedy=f"check that {state!r} and {action!r} are the right columns; code states without gaps",
            )
        about: dict[str, Any] = {
            "n_states": n_states,
            "n_actions": n_actions,
            "state_labels": None,
            "action_labels": None,
        }
        about |= {"session_names": sessions.names, "subjects": sessions.owners}
        write_about(place, about | extra.finish(place, sessions.owners))
    return open_trajectories(folder)


def _copy(
    file: Any,
    place: Path,
    columns: list[str],
    codes: dict[str, CodeColumn],
    sessions: Sessions,
    extra: StreamedExtra,
) -> None:
    """Write the arrays of all batches.

    The next state of a step is, where no column gives it, the state of the next row, or missing if that row begins a
    session: the column of states, with gaps, moved up by one row.
    """
    n_rows = file.metadata.num_rows
    with ExitStack() as stack:
        states, actions, next_states = (
            stack.enter_context(array_file(place, name, n_rows)) for name in ("states", "actions", "next_states")
        )
        extra.open(place, n_rows, stack)
        row = 0
        for batch in _batches(file, columns):
            starts = sessions.take(batch, row)
            parts = {"state": np.zeros(len(batch), dtype=np.int32)}
            parts |= {name: column.take(batch, row) for name, column in codes.items()}
            extra.take(batch, row, starts, sessions)
            following = parts["state"].copy()
            following[starts - row] = MISSING
            states.write(parts["state"].data)
            actions.write(parts["action"].data)
            next_states.write(parts.get("next_state", following[1:] if row == 0 else following).data)
            row += len(batch)
        if "next_state" not in codes:
            next_states.write(np.int32(MISSING).tobytes())
    with array_file(place, "offsets", len(sessions.starts) + 1) as offsets:
        offsets.write(np.array([*sessions.starts, n_rows], dtype=np.int64).data)


def _number(mark: object) -> float:
    """A mark as a number; NaN, which equals nothing, where it is none."""
    return float(pd.to_numeric(pd.Series([mark], dtype=object), errors="coerce").iloc[0])


def _check_marks_met(columns: Collection[CodeColumn]) -> None:
    """After the last batch: did every value that means "not observed" occur, at least in one column?"""
    met = set().union(*(column.met for column in columns))
    for column in columns:
        for mark in column.marks:
            if mark not in met:
                what = f"missing: {mark!r} does not occur in {column.name!r}"
                raise BadTable(what=what, remedy="give the value as it stands in the table, or leave it out")


# --- columns --------------------------------------------------------------------------------------------------


@dataclass
class CodeColumn:
    """A column of codes, of which ``given`` says how many there are; ``marks`` mean "not observed".

    It remembers the largest code and the marks that it has met.
    """

    name: str
    given: int | None
    marks: tuple[object, ...] = ()
    largest: int = MISSING
    met: set[object] = field(default_factory=set)

    @property
    def size(self) -> int:
        return self.largest + 1 if self.given is None else self.given

    def check(self) -> None:
        """After the last batch: was anything observed?"""
        if self.largest < 0:
            raise EmptyData(what=f"every {self.name} is missing", remedy="check the column names")

    def take(self, batch: Any, row: int) -> Codes:
        """The codes of a batch that begins at ``row``, as int32."""
        values = self._whole(batch.column(self.name), row)
        limit = 2**31 - 1 if self.given is None else self.given
        for mark in self.marks:
            here = values == _number(mark)
            self.met |= {mark} if here.any() else set()
            values = np.where(here, UNKNOWN, values)
        bad = ((values < 0) & (values != UNKNOWN)) | (values >= limit)
        if bad.any():
            remedy = f"recode it, pass a larger size, or missing={{{self.name!r}: (…,)}} if it means not observed"
            raise self._wrong(row, bad, values, f"is outside 0…{limit - 1}", remedy)
        self.largest = max(self.largest, int(values.max(initial=MISSING)))
        return np.maximum(values, MISSING).astype(np.int32)

    def _whole(self, column: Any, row: int) -> npt.NDArray[Any]:
        """Integers, or floats without a fraction, with ``UNKNOWN`` where there is nothing."""
        import pyarrow.types as kinds

        if not (kinds.is_integer(column.type) or kinds.is_floating(column.type) or kinds.is_null(column.type)):
            raise BadTable(
                what=f"column {self.name!r} holds values of type {column.type}, not codes",
                remedy="code them as 0, 1, … first, or read a smaller table with hiql.read_table, which does",
            )
        values = (column.cast("float64") if column.null_count else column).to_numpy(zero_copy_only=False)
        if values.dtype.kind in "iu":
            return values.astype(np.int64 if values.dtype.kind == "i" else np.float64)  # UNKNOWN fits into both
        missing = np.isnan(values)
        bad = ~missing & (values != np.round(values))
        if bad.any():
            raise self._wrong(row, bad, values, "is not a whole number", "write codes 0, 1, …")
        return np.where(missing, UNKNOWN, values)

    def _wrong(self, row: int, bad: Any, values: Any, problem: str, remedy: str) -> BadTable:
        at = int(np.argmax(bad))
        return BadTable(what=f"row {row + at + 1}: {self.name} {values[at]} {problem}", remedy=remedy)


@dataclass
class Sessions:
    """Finds where sessions begin; ``doubtful`` is a column that would tell animals apart had it been named."""

    session: str
    subject: str | None
    doubtful: str | None = None
    starts: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.columns = [name for name in (self.session, self.subject or self.doubtful) if name is not None]
        self._met: set[tuple[str, str]] = set()
        self._last = ("", "", "")

    def take(self, batch: Any, row: int) -> npt.NDArray[np.int64]:
        """The rows at which sessions begin in a batch that begins at ``row``."""
        columns = [batch.column(name).to_pandas() for name in self.columns]
        changed = np.zeros(len(batch), dtype=bool)
        changed[:1] = True
        for name, column in zip(self.columns, columns, strict=True):
            group, _ = pd.factorize(column)
            if (group < 0).any():
                raise self._nameless(row + int(np.argmin(group)), name)
            changed[1:] |= group[1:] != group[:-1]
        begun = len(self.starts)
        for at in np.flatnonzero(changed).tolist():
            self._meet(row + at, [label_text(column.iloc[at]).strip() for column in columns])
        return np.array(self.starts[begun:], dtype=np.int64)

    def _meet(self, row: int, key: list[str]) -> None:
        """A row unlike the one before: a new session, or the same one in other words."""
        if not all(key):
            raise self._nameless(row, self.columns[key.index("")])
        name, animal = key[0], key[-1]
        owner = "all" if self.subject is None else animal
        *last, last_animal = self._last
        if [name, owner] == last:
            if self.doubtful is not None and animal != last_animal:
                raise BadTable(
                    what=f"row {row + 1}: session {name!r} holds rows of several values of {self.doubtful!r}",
                    remedy=f"pass subject={self.doubtful!r}",
                )
            return
        if (name, owner) in self._met:
            raise BadTable(
                what=f"row {row + 1}: session {name!r} goes on after another one has begun",
                remedy="sort the rows by session, or name the subject column if animals share session names",
            )
        self._met.add((name, owner))
        self._last = (name, owner, animal)
        self.starts.append(row)
        self.names.append(name)
        self.owners.append(owner)

    @staticmethod
    def _nameless(row: int, column: str) -> BadTable:
        return BadTable(what=f"row {row + 1} has no {column}", remedy="fill it in or drop the row")


def _doubtful_subject(file: Any, subject: str | None, session: str) -> str | None:
    names = [] if subject is not None else file.schema_arrow.names
    return next((name for name in names if name != session and looks_like_subject(name)), None)


# --- the file -------------------------------------------------------------------------------------------------


def _parquet(path: Path) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra(what="reading Parquet", extra="parquet") from error
    if not path.is_file():
        raise BadTable(what=f"there is no file {path}", remedy="check the path")
    try:
        return parquet.ParquetFile(path)
    except Exception as error:  # pyarrow raises what it likes on a damaged file
        raise BadTable(
            what=f"{path} is not a Parquet file, or damaged ({error})",
            remedy="write it as Parquet; read smaller tables of other kinds with hiql.read_table",
        ) from error


def _batches(file: Any, columns: list[str]) -> Iterator[Any]:
    try:
        yield from file.iter_batches(batch_size=BLOCK, columns=list(dict.fromkeys(columns)))
    except OSError as error:  # and so are pyarrow's errors about damaged pages
        raise BadTable(what=f"the Parquet file is damaged ({error})", remedy="write it again") from error


def _check_columns(file: Any, columns: list[str], path: Any) -> None:
    available = file.schema_arrow.names
    for name in columns:
        if name not in available:
            raise ColumnNotFound(field="a step", column=name, available=available)
        if available.count(name) > 1:
            raise BadTable(what=f"the table has {available.count(name)} columns {name!r}", remedy="rename or drop one")
    if file.metadata.num_rows == 0:
        raise EmptyData(what=f"{path} has no rows", remedy="give at least one step")
