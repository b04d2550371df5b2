"""Tables in, ``Trajectories`` out: CSV, gzipped CSV, TSV, Parquet or a DataFrame with one row a step."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hiql.data.codes import encode
from hiql.data.trajectories import Trajectories, following_states
from hiql.errors import BadTable, ColumnNotFound, EmptyData


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
    missing: Sequence[object] = (-1,),
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
    missing : values that mean "not observed", besides NaN and empty cells
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
        return pd.read_csv(path, sep=_delimiter(path), encoding="utf-8-sig")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, OSError, EOFError) as error:
        raise BadTable(
            what=f"{path} is not a readable table ({error})", remedy="save it as a CSV with one header line"
        ) from error


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except ImportError as error:
        raise BadTable(
            what=f"reading {path} needs pyarrow", remedy='install it with: pip install "hiql[parquet]"'
        ) from error
    except ValueError as error:  # pyarrow's ArrowInvalid is one
        raise BadTable(what=f"{path} is not a Parquet file ({error})", remedy="write it again") from error


def _delimiter(path: Path) -> str:
    """The delimiter of the header line; a comma unless another candidate clearly stands there."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        header = file.readline()
    try:
        return csv.Sniffer().sniff(header, delimiters=",;\t|").delimiter
    except csv.Error:
        return ","


def column(table: pd.DataFrame, field: str, name: str) -> pd.Series:
    """The column called ``name``, or an error that offers the nearest names."""
    if name not in table.columns:
        raise ColumnNotFound(field=field, column=name, available=[str(c) for c in table.columns])
    return table[name]


def ordered_sessions(
    table: pd.DataFrame, session: str, subject: str | None, step: str | None
) -> tuple[pd.DataFrame, np.ndarray, list[str], list[str]]:
    """The table sorted so that each session is one run of rows; offsets, session names and subjects.

    A session is a pair (subject, session), in order of appearance; rows keep their order unless ``step`` sorts.
    """
    if len(table) == 0:
        raise EmptyData(what="the table has no rows", remedy="give at least one step")
    who = column(table, "subject", subject) if subject is not None else pd.Series("all", index=table.index)
    keys = pd.DataFrame({"subject": who, "session": column(table, "session", session)}).reset_index(drop=True)
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
    names = first["session"].astype(str).tolist()
    return table.iloc[order].reset_index(drop=True), offsets, names, first["subject"].astype(str).tolist()


def _by_step(table: pd.DataFrame, step: str, group: np.ndarray, keys: pd.DataFrame) -> np.ndarray:
    steps = pd.to_numeric(column(table, "step", step), errors="coerce").to_numpy(dtype=np.float64)
    if np.isnan(steps).any():
        row = int(np.isnan(steps).argmax())
        raise BadTable(what=f"row {row}: step {table[step].iloc[row]!r} is not a number", remedy="number the steps")
    order = np.lexsort((steps, group))
    same = (np.diff(group[order]) == 0) & (np.diff(steps[order]) == 0)
    if same.any():
        row = int(order[np.argmax(same)])
        raise BadTable(
            what=f"step {table[step].iloc[row]} occurs twice in session {keys['session'].iloc[row]!r}",
            remedy="drop the duplicate rows, or name the subject column if sessions of several animals share names",
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
    missing: Sequence[object] = (-1,),
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
    codes = _narrow(states.codes)
    return Trajectories(
        states=codes[:n_steps],
        actions=_narrow(actions.codes),
        next_states=codes[n_steps:] if next_state is not None else following_states(codes, offsets),
        offsets=offsets,
        n_states=states.size,
        n_actions=actions.size,
        session_names=tuple(names),
        subjects=tuple(subjects),
        state_labels=states.labels,
        action_labels=actions.labels,
    )


def _narrow(codes: Any) -> np.ndarray:
    return np.clip(codes, -(2**31), 2**31 - 1).astype(np.int32)
