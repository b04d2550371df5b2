"""Which columns of a table mean what: said by the user, or recognised by their names."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.bandit import bandit_trials
from hiql.data.tables import SUBJECT_COLUMNS, column, ordered_sessions, trajectories_from_table
from hiql.data.trajectories import Trajectories
from hiql.errors import BadTable

NO_COLUMN = "none"
"""What to write for a column that is not to be used although its name suggests it."""
ONE_SESSION = "session"
"""The name of the column that is made up for tables without sessions."""
ROW = "row of the table"
USUAL_NAMES = {
    "session": ("session", "session_id", "session_name", "bout", "day", "date"),
    "subject": (*SUBJECT_COLUMNS, "subject_id", "animal_id", "mouse_id", "rat_id", "participant"),
    "step": ("step", "trial", "trial_number", "trial_id", "t"),
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
    missing: tuple[object, ...] | None = None

    def rows(self, table: pd.DataFrame) -> npt.NDArray[np.int64]:
        """(N,) the row of the table that each step of the trajectories comes from."""
        numbered = self._with_sessions(table).assign(**{ROW: np.arange(len(table))})
        ordered, *_ = ordered_sessions(numbered, self.session or ONE_SESSION, self.subject, self.step)
        return ordered[ROW].to_numpy()

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

    def read(self, table: pd.DataFrame) -> Trajectories:
        columns: dict[str, Any] = {"choice": self.choice, "outcome": self.outcome, "history": self.history}
        return bandit_trials(self._with_sessions(table), **self._shared(), **columns)


def layout_from_dict(values: dict[str, Any]) -> Steps | Trials:
    kinds = {kind.__name__: kind for kind in (Steps, Trials)}
    fields = {name: value for name, value in values.items() if name != "kind"}
    return kinds[values["kind"]](**fields)


def find_layout(
    table: pd.DataFrame,
    given: dict[str, str | None],
    *,
    history: int | None = None,
    missing: tuple[object, ...] | None = None,
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
    by_name = {str(name).strip().lower(): str(name) for name in reversed(table.columns)}
    return next((by_name[name] for name in USUAL_NAMES[role] if name in by_name), None)


def _needed(table: pd.DataFrame, role: str, found: str | None) -> str:
    if found is not None:
        return found
    raise BadTable(
        what=f"no column looks like a {role}; the table has {', '.join(map(repr, map(str, table.columns)))}",
        remedy=f"name the columns: --state and --action for a table of steps, --choice and --outcome for a table of "
        f"trials (usual names for {role}: {', '.join(USUAL_NAMES[role])})",
    )
