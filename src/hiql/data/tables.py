"""Tables in, ``Trajectories`` out: CSV, gzipped CSV, TSV, Parquet or a DataFrame with one row a step."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hiql.data.codes import encode
from hiql.data.trajectories import Trajectories, following_states
from hiql.errors import BadTable, ColumnNotFound, EmptyData

UNREADABLE = (
    pd.errors.ParserError,
    pd.errors.EmptyDataError,
    UnicodeDecodeError,
    OSError,
    EOFError,
    zlib.error,
)
SUBJECT_COLUMNS = ("subject", "animal", "mouse", "rat")
"""Columns that probably tell animals apart, when none was named."""


def read_table(
    path: str | PathLike[str],
    session: str = "session",
    state: str = "state",
    action: str = "action",
    subject: str | None = None,
    next_state: str | None = None,
    *,
    step: str | None = None,
    n_states: int | None = None,
    n_actions: int | None = None,
    missing: Sequence[object] | None = None,
) -> Trajectories:
    """Read a CSV (also .gz), TSV or Parquet file with one row a step.

    Parameters
    ----------
    session, state, action : column names
    subject : column that says whose session it is; session names may repeat between subjects
    next_state : column with the state that followed; by default the state of the next row of the session
    step : column to sort each session by; by default rows are in order
    n_states, n_actions : how many there are in the world, when the data need not show them all. Integer codes
        are then kept as they are; otherwise strings and gaps are coded to 0…n-1 and the labels kept.
    missing : values that mean "not observed", besides NaN and empty cells; by default -1, unless the other
        values of the column make that doubtful (such as -1 and 1 only), which is an error
    """
    return trajectories_from_table(
        load_table(path),
        session=session,
        state=state,
        action=action,
        subject=subject,
        next_state=next_state,
        step=step,
        n_states=n_states,
        n_actions=n_actions,
        missing=missing,
    )


def load_table(path: str | PathLike[str]) -> pd.DataFrame:
    """The raw table of a file: delimiter found from the header line, byte-order mark ignored."""
    path = Path(path)
    if not path.is_file():
        raise BadTable(what=f"there is no file {path}", remedy="check the path")
    try:
        if path.suffix.lower() in {".parquet", ".pq"}:
            return _read_parquet(path)
        return _read_text(path)
    except UNREADABLE as error:
        raise BadTable(
            what=f"{path} is not a readable table ({error})", remedy="save it as a CSV with one header line"
        ) from error


def _read_text(path: Path) -> pd.DataFrame:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        header = file.readline()
        file.seek(0)
        delimiter = max(",;\t|", key=header.count)
        # low_memory=False: otherwise a column's type is guessed anew for every part of a long file.
        table = pd.read_csv(file, sep=delimiter, low_memory=False)
    if not isinstance(table.index, pd.RangeIndex):
        raise BadTable(
            what=f"the rows of {path} have more cells than its header line, {header.strip()!r}",
            remedy="give every column a name, and end no line with a delimiter",
        )
    return table


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except ImportError as error:
        raise BadTable(
            what=f"reading {path} needs pyarrow", remedy='install it with: pip install "hiql[parquet]"'
        ) from error
    except ValueError as error:  # pyarrow's ArrowInvalid is one
        raise BadTable(what=f"{path} is not a Parquet file ({error})", remedy="write it again") from error


def column(table: pd.DataFrame, field: str, name: str) -> pd.Series:
    """The column called ``name``, or an error that offers the nearest names."""
    if name not in table.columns:
        raise ColumnNotFound(field=field, column=name, available=[str(c) for c in table.columns])
    found = table[name]
    if isinstance(found, pd.DataFrame):
        raise BadTable(what=f"the table has {found.shape[1]} columns {name!r}", remedy="rename or drop one")
    return found


def ordered_sessions(
    table: pd.DataFrame, session: str, subject: str | None, step: str | None
) -> tuple[pd.DataFrame, np.ndarray, list[str], list[str]]:
    """The table sorted so that each session is one run of rows; offsets, session names and subjects.

    A session is a pair (subject, session), in order of appearance; rows keep their order unless ``step``
    sorts them.
    """
    if len(table) == 0:
        raise EmptyData(what="the table has no rows", remedy="give at least one step")
    names = column(table, "session", session).to_numpy(dtype=object)
    who = _subjects(table, names, subject, session)
    keys = pd.DataFrame({"subject": who, "session": names})
    if keys.isna().any(axis=None):
        row = int(keys.isna().any(axis=1).to_numpy().argmax())
        raise BadTable(what=f"row {row} of the table has no subject or session", remedy="fill it in or drop the row")
    group = keys.groupby(["subject", "session"], sort=False).ngroup().to_numpy()
    order = np.argsort(group, kind="stable")
    if step is not None:
        order = _by_step(table, step, group, keys)
    group = group[order]
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    first = keys.iloc[order[starts]]
    offsets = np.r_[starts, len(table)].astype(np.int64)
    sorted_table = table.iloc[order].reset_index(drop=True)
    return sorted_table, offsets, [str(n) for n in first["session"]], [str(n) for n in first["subject"]]


def _subjects(table: pd.DataFrame, sessions: np.ndarray, subject: str | None, session: str) -> Any:
    """Whose each row is; without a subject column, sessions that clearly belong to several are an error."""
    if subject is not None:
        hint = "subject (None if all rows are of one)"
        return column(table, hint, subject).to_numpy(dtype=object)
    for name in SUBJECT_COLUMNS:
        if name in table.columns and name != session:
            shared = table[name].groupby(sessions, sort=False).nunique() > 1
            if shared.any():
                raise BadTable(
                    what=f"session {str(shared.idxmax())!r} holds rows of several values of {name!r}",
                    remedy=f"pass subject={name!r}",
                )
    return np.full(len(table), "all", dtype=object)


def _by_step(table: pd.DataFrame, step: str, group: np.ndarray, keys: pd.DataFrame) -> np.ndarray:
    numbers = pd.to_numeric(column(table, "step", step), errors="coerce")
    if numbers.isna().any():
        row = int(numbers.isna().to_numpy().argmax())
        raise BadTable(what=f"row {row}: step {table[step].iloc[row]!r} is not a number", remedy="number the steps")
    steps = numbers.to_numpy()
    order = np.lexsort((steps, group))
    same = (np.diff(group[order]) == 0) & (np.diff(steps[order]) == 0)
    if same.any():
        row = int(order[np.argmax(same)])
        raise BadTable(
            what=f"step {table[step].iloc[row]} occurs twice in session {str(keys['session'].iloc[row])!r}",
            remedy="drop the duplicate rows, or name the subject column if animals share session names",
        )
    return order


def trajectories_from_table(
    table: pd.DataFrame,
    session: str = "session",
    state: str = "state",
    action: str = "action",
    subject: str | None = None,
    next_state: str | None = None,
    *,
    step: str | None = None,
    n_states: int | None = None,
    n_actions: int | None = None,
    missing: Sequence[object] | None = None,
) -> Trajectories:
    """``Trajectories`` from a DataFrame; the arguments are those of :func:`read_table`."""
    for field, name in (("state", state), ("action", action), ("next_state", next_state)):
        if name is not None:
            column(table, field, name)
    table, offsets, names, subjects = ordered_sessions(table, session, subject, step)
    state_columns = [table[state]] + ([table[next_state]] if next_state is not None else [])
    states = encode(*state_columns, field="state", size=n_states, missing=missing)
    actions = encode(table[action], field="action", size=n_actions, missing=missing)
    if min(states.size, actions.size) < 1:
        raise EmptyData(what="every state or every action is missing", remedy="check the column names")
    n_steps = len(table)
    return Trajectories(
        states=states.codes[:n_steps],
        actions=actions.codes,
        next_states=states.codes[n_steps:] if next_state is not None else following_states(states.codes, offsets),
        offsets=offsets,
        n_states=states.size,
        n_actions=actions.size,
        session_names=tuple(names),
        subjects=tuple(subjects),
        state_labels=states.labels,
        action_labels=actions.labels,
    )
