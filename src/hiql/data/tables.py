"""Tables of steps in, ``Trajectories`` out, once it is known which column means what."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hiql.data.codes import encode, label_text
from hiql.data.described import MOST_PAIRS
from hiql.data.missing import Missing, marks_of
from hiql.data.step_columns import following_states
from hiql.data.trajectories import Trajectories
from hiql.errors import BadTable, ColumnNotFound, EmptyData

SUBJECT_COLUMNS = ("subject", "animal", "mouse", "rat", "monkey", "participant")
"""Columns that probably tell animals apart, when none was named; "Mouse_ID" counts as "mouse"."""
NO_COLUMN = "none"
"""What to write for a column that is not to be used although its name suggests it."""
ONE_STATE = "the one state"
"""The name of the column that is made up for tables without states."""


def column(table: pd.DataFrame, field: str, name: str, remedy: str = "") -> pd.Series:
    """The column called ``name``, or an error that offers the nearest names."""
    if name not in table.columns:
        raise missing_column(table, field, name, remedy)
    found = table[name]
    if isinstance(found, pd.DataFrame):
        raise BadTable(what=f"the table has {found.shape[1]} columns {name!r}", remedy="rename or drop one")
    return found


def missing_column(table: pd.DataFrame, field: str, name: str, remedy: str = "") -> BadTable | ColumnNotFound:
    """The error for a column that is not there."""
    if not pd.to_numeric(pd.Series(table.columns, dtype=object), errors="coerce").isna().any():
        return BadTable(
            what=f"no column {name!r} for {field}, and all column names are numbers",
            remedy="add a header line, such as session,state,action",
        )
    return ColumnNotFound(field=field, column=name, available=[str(c) for c in table.columns], remedy=remedy)


def ordered_sessions(
    table: pd.DataFrame, session: str, subject: str | None, step: str | None
) -> tuple[pd.DataFrame, np.ndarray, list[str], list[str]]:
    """The table sorted so that each session is one run of rows; offsets, session names and subjects.

    A session is a pair (subject, session), in order of appearance; rows keep their order unless ``step``
    sorts them.
    """
    if len(table) == 0:
        raise EmptyData(what="the table has no rows", remedy="give at least one step")
    names = _written(column(table, "session", session))
    keys = pd.DataFrame({"subject": _subjects(table, names, subject, session), "session": names}, dtype=object)
    for name in keys:
        if keys[name].isna().any():
            row = _row(keys[name].isna())
            raise BadTable(what=f"{row} has no {name}", remedy="fill it in or drop the row")
    group = keys.groupby(["subject", "session"], sort=False).ngroup().to_numpy()
    order = np.argsort(group, kind="stable")
    if step not in (None, NO_COLUMN):
        order = _by_step(table, step, group, keys)
    group = group[order]
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    first = keys.iloc[order[starts]]
    offsets = np.r_[starts, len(table)].astype(np.int64)
    sorted_table = table.iloc[order].reset_index(drop=True)
    return sorted_table, offsets, list(first["session"]), list(first["subject"])


def _written(column: pd.Series) -> list[str | None]:
    """Names as people write them, so that 1, 1.0 and "1" are one session; None where there is none."""
    values = column.astype(object)
    return [None if gone else label_text(v).strip() or None for v, gone in zip(values, values.isna(), strict=True)]


def _row(bad: pd.Series) -> str:
    return f"row {int(bad.to_numpy().argmax()) + 1} of the table (the header not counted)"


def _subjects(
    table: pd.DataFrame, sessions: list[str | None], subject: str | None, session: str
) -> list[str | None] | str:
    """Whose each row is; without a subject column, sessions that clearly belong to several are an error."""
    if subject not in (None, NO_COLUMN):
        remedy = "if all rows are of one, say so: subject='none' (--subject none)"
        return _written(column(table, "subject", subject, remedy))
    for name in table.columns:
        if name != session and looks_like_subject(name):
            owners = pd.Series(_written(column(table, "subject", name)), dtype=object)
            shared = owners.groupby(pd.Series(sessions, dtype=object), sort=False).nunique() > 1
            if shared.any():
                raise BadTable(
                    what=f"session {shared.idxmax()!r} holds rows of several values of {name!r}",
                    remedy=f"pass subject={name!r}",
                )
    return "all"


def looks_like_subject(column: object) -> bool:
    """Whether a column of this name probably tells animals apart."""
    return str(column).lower().removesuffix("id").rstrip(" _-.") in SUBJECT_COLUMNS


def _by_step(table: pd.DataFrame, step: str, group: np.ndarray, keys: pd.DataFrame) -> np.ndarray:
    numbers = pd.to_numeric(column(table, "step", step), errors="coerce").astype(object)
    bad = numbers.isna() | numbers.isin([np.inf, -np.inf])
    if bad.any():
        value = table[step].iloc[int(bad.to_numpy().argmax())]
        raise BadTable(
            what=f"{_row(bad)}: step '{value}' is not a number",
            remedy="number the steps (write 0.5, not 0,5), or take the rows as they are (--step none)",
        )
    steps = numbers.infer_objects().to_numpy()
    order = np.lexsort((steps, group))
    same = (group[order][1:] == group[order][:-1]) & (steps[order][1:] == steps[order][:-1])
    if same.any():
        row = int(order[np.argmax(same)])
        raise BadTable(
            what=f"step {table[step].iloc[row]} occurs twice in session {keys['session'].iloc[row]!r} of subject "
            f"{keys['subject'].iloc[row]!r}",
            remedy="drop the duplicate rows, name the session or the subject column, or take the rows "
            "as they are (step='none'; --step none on the command line)",
        )
    return order


def trajectories_from_table(
    table: pd.DataFrame,
    session: str = "session",
    state: str | None = "state",
    action: str = "action",
    subject: str | None = None,
    next_state: str | None = None,
    *,
    step: str | None = None,
    n_states: int | None = None,
    n_actions: int | None = None,
    missing: Missing = None,
) -> Trajectories:
    """``Trajectories`` from the columns of a DataFrame; None is a column that it does not have.

    Without a column of states there is one state.
    """
    if state is None:
        state, table, n_states = ONE_STATE, table.assign(**{ONE_STATE: 0}), 1 if n_states is None else n_states
    named = {"state": state, "action": action, "next_state": next_state}
    roles = {role: (name,) for role, name in named.items() if name is not None}
    for field, (name,) in roles.items():
        column(table, field, name)
    marks = marks_of(missing, roles)
    table, offsets, names, subjects = ordered_sessions(table, session, subject, step)
    where = [state] if next_state is None else [state, next_state]
    unsaid = all(marks[name] is None for name in where)
    gone = None if unsaid else [value for name in where for value in marks[name] or ()]
    states = encode(*(table[name] for name in where), field="state", size=n_states, missing=gone)
    actions = encode(table[action], field="action", size=n_actions, missing=marks[action])
    if min(states.size, actions.size) < 1:
        raise EmptyData(what="every state or every action is missing", remedy="check the column names")
    if states.size * actions.size > MOST_PAIRS:
        raise BadTable(
            what=f"the table makes {states.size} states × {actions.size} actions, more than {MOST_PAIRS} pairs",
            remedy=f"check that {state!r} and {action!r} are the right columns; put rare values together",
        )
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
