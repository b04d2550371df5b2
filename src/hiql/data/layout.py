"""Which columns of a table mean what: said by the user, or recognised by their names."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.bandit import bandit_trials
from hiql.data.codes import Missing
from hiql.data.tables import SUBJECT_COLUMNS, column, ordered_sessions, trajectories_from_table
from hiql.data.trajectories import Trajectories
from hiql.errors import BadTable, InvalidParameter

NO_COLUMN = "none"
"""What to write for a column that is not to be used although its name suggests it."""
ONE_SESSION = "session"
"""The name of the column that is made up for tables without sessions."""
ROW = "row of the table"
CLOCKS = ("step", "trial", "time", "frame", "order", "index", "second")
"""Columns with such words in their names probably tell the order of rows."""
USUAL_NAMES = {
    "session": ("session", "session_id", "session_name", "session_number", "sess", "recording", "bout", "day", "date"),
    "subject": (*SUBJECT_COLUMNS, "subject_id", "animal_id", "mouse_id", "rat_id", "participant"),
    "step": ("step", "step_number", "trial", "trial_number", "trial_id", "t"),
    "state": ("state", "node", "cell", "location", "position"),
    "next_state": ("next_state",),
    "action": ("action", "move"),
    "choice": ("choice", "chosen", "response"),
    "outcome": ("reward", "outcome", "rewarded", "feedback"),
}


@dataclass(frozen=True)
class Layout:
    """The columns that tell sessions apart and put them in order; None where the table has none."""

    session: str | None = "session"
    subject: str | None = None
    step: str | None = None
    missing: Missing = None

    def rows(self, table: pd.DataFrame) -> npt.NDArray[np.int64]:
        """(N,) the row of the table that each step of the trajectories comes from."""
        numbered = self._with_sessions(table).assign(**{ROW: np.arange(len(table))})
        ordered, *_ = ordered_sessions(numbered, self.session or ONE_SESSION, self.subject, self.step)
        return ordered[ROW].to_numpy()

    def cautions(self, table: pd.DataFrame) -> list[str]:
        """What may be wrong with the division into sessions and their order."""
        return [*self._doubtful_order(table), *self._doubtful_sessions(table)]

    def _doubtful_order(self, table: pd.DataFrame) -> list[str]:
        """Rows are taken as they stand; does a column that counts or keeps time say otherwise?"""
        if self.step is not None:
            return []
        keys = [table[name] for name in (self.subject, self.session) if name is not None] or np.zeros(len(table))
        clocks = [name for name in table.columns if any(word in _bare(name) for word in CLOCKS)]
        numbers = {name: pd.to_numeric(table[name], errors="coerce") for name in clocks}
        return [
            f"the rows are taken in the order of the file, but {str(name)!r} does not always grow within a session; "
            "if it tells the order, name it (--step)"
            for name, column in numbers.items()
            if column.notna().all() and (column.groupby(keys, sort=False).diff() < 0).any()
        ]

    def _doubtful_sessions(self, table: pd.DataFrame) -> list[str]:
        if self.session is None:
            return ["no session column was found, so each subject is one session; name it if there is one (--session)"]
        keys = [name for name in (self.subject, self.session) if name is not None]
        others = [name for name in _candidates(table, "session") if name not in keys]
        return [
            f"{name!r} changes within sessions of the same name in {self.session!r}: if these are several sessions, "
            "make one column that tells them apart"
            for name in others
            if (table.groupby(keys, sort=False)[name].nunique() > 1).any()
        ]

    def _with_sessions(self, table: pd.DataFrame) -> pd.DataFrame:
        return table if self.session is not None else table.assign(**{ONE_SESSION: "all"})

    def _shared(self) -> dict[str, Any]:
        return {
            "session": self.session or ONE_SESSION,
            "subject": self.subject,
            "step": self.step,
            "missing": self.missing,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values that :func:`layout_from_dict` turns back into this layout."""
        return {"kind": type(self).__name__} | asdict(self)


@dataclass(frozen=True)
class Steps(Layout):
    """A table with one row a step: its state and action."""

    state: str = "state"
    action: str = "action"
    next_state: str | None = None
    history: ClassVar[None] = None

    def read(self, table: pd.DataFrame) -> Trajectories:
        columns: dict[str, Any] = {"state": self.state, "action": self.action, "next_state": self.next_state}
        return trajectories_from_table(self._with_sessions(table), **self._shared(), **columns)


@dataclass(frozen=True)
class Trials(Layout):
    """A table with one row a trial: a choice and its outcome. The state is what happened in the last trials."""

    choice: str = "choice"
    outcome: str = "reward"
    history: int = 1

    def cautions(self, table: pd.DataFrame) -> list[str]:
        outcomes = table[self.outcome].dropna().unique()
        single = f"every outcome is {outcomes[0]!s}: wins and losses cannot be told apart" if len(outcomes) == 1 else ""
        return [*super().cautions(table), *filter(None, [single])]

    def read(self, table: pd.DataFrame) -> Trajectories:
        columns: dict[str, Any] = {"choice": self.choice, "outcome": self.outcome, "history": self.history}
        return bandit_trials(self._with_sessions(table), **self._shared(), **columns)


def layout_from_dict(values: dict[str, Any]) -> Steps | Trials:
    """A layout from :meth:`Layout.to_dict`; what is none is an error, for it may come from somebody's file."""
    kinds = {kind.__name__: kind for kind in (Steps, Trials)}
    try:
        return kinds[values["kind"]](**{name: value for name, value in values.items() if name != "kind"})
    except (KeyError, TypeError) as error:
        raise InvalidParameter(parameter="layout", value=values, remedy="name the columns again") from error


def find_layout(
    table: pd.DataFrame,
    given: dict[str, str | None],
    *,
    history: int | None = None,
    missing: Missing = None,
) -> Steps | Trials:
    """Which columns mean what.

    ``given`` maps "session", "subject", "step", "state", "action", "next_state", "choice" and "outcome" to column
    names; for what it leaves out (or None) the first usual name is taken that the table has, whatever its case.
    ``"none"`` means that there is no such column. A table with states and actions is read as steps, one with
    choices and outcomes as trials; when it has both, naming a choice, an outcome or a ``history`` decides.
    """
    found = {role: _find(table, role, given.get(role)) for role in USUAL_NAMES}
    shared: dict[str, Any] = {role: found[role] for role in ("session", "subject", "step")} | {"missing": missing}
    as_trials = history is not None or given.get("choice") or given.get("outcome")
    if as_trials or not (found["state"] and found["action"]):
        choice, outcome = (_needed(table, role, found[role]) for role in ("choice", "outcome"))
        return Trials(**shared, choice=choice, outcome=outcome, history=1 if history is None else history)
    state, action = (_needed(table, role, found[role]) for role in ("state", "action"))
    return Steps(**shared, state=state, action=action, next_state=found["next_state"])


def _find(table: pd.DataFrame, role: str, given: str | None) -> str | None:
    if given == NO_COLUMN:
        return None
    if given is not None:
        column(table, role, given)
        return given
    return next(iter(_candidates(table, role)), None)


def _candidates(table: pd.DataFrame, role: str) -> list[str]:
    """The columns with a usual name for a role, whatever their case, spaces and underscores."""
    by_name = {_bare(name): str(name) for name in reversed(table.columns)}
    return [by_name[_bare(name)] for name in USUAL_NAMES[role] if _bare(name) in by_name]


def _bare(name: object) -> str:
    return re.sub(r"[\W_]+", "", str(name)).lower()


def _needed(table: pd.DataFrame, role: str, found: str | None) -> str:
    if found is not None:
        return found
    raise BadTable(
        what=f"no column looks like a {role}; the table has {', '.join(map(repr, map(str, table.columns)))}",
        remedy=f"name the columns: --state and --action for a table of steps, --choice and --outcome for a table of "
        f"trials (usual names for {role}: {', '.join(USUAL_NAMES[role])})",
    )
