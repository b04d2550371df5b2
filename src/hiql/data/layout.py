"""What the columns of a table mean, and how to read it so: a table of steps, or one of trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data import doubts
from hiql.data.bandit import trials_from_table
from hiql.data.columns import Columns, combined, is_none, names_in, one_or_several, together
from hiql.data.missing import Missing, Roles, check_marks, marks_of
from hiql.data.table_columns import NOTHING_ELSE, Extra, add_columns, extra_from_dict
from hiql.data.tables import NO_COLUMN, column, missing_column, ordered_sessions, trajectories_from_table
from hiql.data.trajectories import Trajectories
from hiql.data.usual_names import USUAL_NAMES, candidates
from hiql.errors import InvalidParameter

Given = Mapping[str, Sequence[str] | str | None]
ONE_SESSION = "session"
"""The name of the column that is made up for tables without sessions."""
ROW = "row of the table"
OPTIONAL = ("session", "subject", "step", "next_state")
"""Roles that a table need not have."""


@dataclass(frozen=True)
class Layout:
    """The columns that tell sessions apart and put them in order; None where the table has none."""

    session: Columns | None = "session"
    subject: Columns | None = None
    step: str | None = None
    missing: Missing = None
    extra: Extra = NOTHING_ELSE
    coded: ClassVar[tuple[str, ...]] = ()
    """The roles whose values become codes."""

    def roles(self, names: tuple[str, ...] | None = None) -> Roles:
        """The columns of each role that the table has; by default of those that become codes."""
        wanted = self.coded if names is None else names
        return {role: columns for role in wanted if (columns := names_in(getattr(self, role)))}

    def check_missing(self, table: pd.DataFrame) -> None:
        """Refuse values that are said to mean "not observed" but never occur."""
        check_marks(self.missing, table, self.roles())

    def flat(self, table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, Any]]:
        """The table with one column a role, combined where several were named, and which it is."""
        roles = self.used()
        marks = marks_of(self.missing, self.roles())
        new: dict[str, Any] = {} if self.session is not None else {ONE_SESSION: "all"}
        for role, names in roles.items():
            if len(names) > 1:
                said = marks if role in self.coded else dict.fromkeys(names, ())
                new[together(names)] = combined(table, role, names, said).to_numpy()
        columns: dict[str, Any] = {role: together(names) for role, names in roles.items()}
        absent = {"session": ONE_SESSION, "subject": None, "step": None}
        return table.reset_index(drop=True).assign(**new), absent | columns

    def rows(self, table: pd.DataFrame) -> npt.NDArray[np.int64]:
        """(N,) the row of the table that each step of the trajectories comes from."""
        table, columns = self.flat(table)
        numbered = table.assign(**{ROW: np.arange(len(table))})
        ordered, *_ = ordered_sessions(numbered, columns["session"], columns["subject"], columns["step"])
        return ordered[ROW].to_numpy()

    def used(self) -> Roles:
        """The columns of every role that the table has."""
        return self.roles(("session", "subject", "step", *self.coded))

    def unused(self, table: pd.DataFrame) -> list[str]:
        """The columns of the table that mean nothing here."""
        used = {name for names in {**self.used(), **self.extra.names}.values() for name in names}
        return [str(name) for name in table.columns if name not in used]

    def cautions(self, table: pd.DataFrame) -> list[str]:
        """What may be wrong with the division into sessions, their order, and what the values mean."""
        unsaid = {name for name, values in marks_of(self.missing, self.roles()).items() if values is None}
        return [
            *doubts.sessions(table, self.session, self.subject),
            *doubts.order(*self.flat(table)),
            *doubts.gaps(*self.flat(table)),
            *doubts.values(table, self.roles(), unsaid),
        ]

    def _said(self) -> Missing:
        """What is missing in the columns of :meth:`flat`; combined ones have taken it in."""
        marks = marks_of(self.missing, self.roles())
        said = {together(names): marks[names[0]] if len(names) == 1 else () for names in self.roles().values()}
        return {name: values for name, values in said.items() if values is not None}

    def _with_columns(self, data: Trajectories, table: pd.DataFrame) -> Trajectories:
        """With inputs, contexts and whatever else the table holds for each step."""
        return data if self.extra == NOTHING_ELSE else add_columns(data, table.iloc[self.rows(table)], self.extra)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that :func:`layout_from_dict` turns back into this layout."""
        return {"kind": type(self).__name__} | asdict(self)


@dataclass(frozen=True)
class Steps(Layout):
    """A table with one row a step: its state and action; without a column of states there is one state."""

    state: Columns | None = "state"
    action: Columns = "action"
    next_state: Columns | None = None
    history: ClassVar[None] = None
    coded: ClassVar[tuple[str, ...]] = ("state", "action", "next_state")

    def read(self, table: pd.DataFrame, n_states: int | None = None, n_actions: int | None = None) -> Trajectories:
        flat, columns = self.flat(table)
        columns = {"state": None} | columns
        sizes: dict[str, Any] = {"n_states": n_states, "n_actions": n_actions}
        return self._with_columns(trajectories_from_table(flat, **columns, missing=self._said(), **sizes), table)


@dataclass(frozen=True)
class Trials(Layout):
    """A table with one row a trial: a choice and its outcome. The state is what happened in the last trials."""

    choice: Columns = "choice"
    outcome: str = "reward"
    history: int = 1
    coded: ClassVar[tuple[str, ...]] = ("choice", "outcome")

    def cautions(self, table: pd.DataFrame) -> list[str]:
        return [*super().cautions(table), *doubts.single_outcome(table[self.outcome])]

    def read(self, table: pd.DataFrame, n_states: int | None = None, n_actions: int | None = None) -> Trajectories:
        for name, value in (("n_states", n_states), ("n_actions", n_actions)):
            if value is not None:
                remedy = "leave it out: states of a table of trials are histories of its choices and outcomes"
                raise InvalidParameter(parameter=name, value=value, remedy=remedy)
        flat, columns = self.flat(table)
        return self._with_columns(trials_from_table(flat, self.history, **columns, missing=self._said()), table)


def layout_from_dict(values: dict[str, Any]) -> Steps | Trials:
    """A layout from :meth:`Layout.to_dict`; what is none is an error, for it may come from somebody's file."""
    kinds = {kind.__name__: kind for kind in (Steps, Trials)}
    try:
        named = {name: value for name, value in values.items() if name != "kind"}
        layout = kinds[values["kind"]](**named | {"extra": extra_from_dict(named.get("extra", {}))})
        if not all(isinstance(name, str) for names in layout.used().values() for name in names):
            raise TypeError("a column's name is text")
        return layout
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidParameter(parameter="layout", value=values, remedy="name the columns again") from error


def find_layout(
    table: pd.DataFrame,
    given: Given,
    *,
    history: int | None = None,
    missing: Missing = None,
    extra: Extra = NOTHING_ELSE,
) -> Steps | Trials:
    """Which columns mean what.

    ``given`` maps "session", "subject", "step", "state", "action", "next_state", "choice" and "outcome" to the name of
    a column, or to several, whose values together are one label; for what it leaves out (or None) the first usual name
    is taken that the table has, whatever its case. ``"none"`` means that there is no such column. A table with states
    and actions is read as steps, one with choices and outcomes as trials; when it has both, naming a choice, an outcome
    or a ``history`` decides. A state that is named makes the choice, where there is no action, the action; ``"none"``
    says that there is one state. ``extra`` names further columns; an outcome of steps is one of them.
    """
    extra.check(table)
    found = {role: _find(table, role, given.get(role)) for role in USUAL_NAMES}
    of_steps = _is_of_steps(found, given, history)
    if of_steps and names_in(given.get("outcome")) and found["outcome"] is not None:
        extra = replace(extra, outcome=str(found["outcome"]))
    extra, missing = extra.taking(missing)
    shared: dict[str, Any] = {role: found[role] for role in ("session", "subject", "step")}
    shared |= {"missing": missing, "extra": extra}
    layout: Steps | Trials
    if of_steps:
        if names_in(given.get("state")) and found["action"] is None:
            found["action"] = found["choice"]  # with a state of its own, a choice is an action
        state = None if is_none(given.get("state")) else _needed(table, "state", found, given)
        action = _needed(table, "action", found, given)
        following = found["next_state"] if state is None else _next_state(table, state, found["next_state"], given)
        layout = Steps(**shared, state=state, action=action, next_state=following)
    else:
        choice, outcome = (_needed(table, role, found, given) for role in ("choice", "outcome"))
        layout = Trials(**shared, choice=choice, outcome=str(outcome), history=1 if history is None else history)
    for role, names in layout.used().items():
        for name in names:
            column(table, role, name)
    layout.check_missing(table)
    return layout


def _is_of_steps(found: Mapping[str, Columns | None], given: Given, history: int | None) -> bool:
    """Whether a table is one of steps: as the user's words imply, or else by the columns that it has."""
    steps = [role for role in ("state", "action", "next_state") if names_in(given.get(role)) and found[role]]
    steps += ["state"] if is_none(given.get("state")) else []
    trials = ["history"] if history is not None else []
    if steps and trials:
        raise InvalidParameter(
            parameter=" and ".join(steps),
            value=" and ".join(together(found[role] or NO_COLUMN) for role in steps),
            remedy=f"leave out {' and '.join(trials)}, which makes states of past trials; or leave out {steps[0]}",
        )
    of_trials = [role for role in ("choice", "outcome") if names_in(given.get(role)) and found[role]]
    if steps or trials or of_trials:
        return bool(steps)
    return bool(found["state"] and found["action"]) or not (found["choice"] and found["outcome"])


def _next_state(
    table: pd.DataFrame,
    state: Columns,
    found: Columns | None,
    given: Given,
) -> Columns | None:
    """The next state, if it is told in the same terms as the state: one that was named, or belongs to the usual one."""
    if not names_in(given.get("next_state")):
        return found if state in candidates(table, "state") else None
    if found is not None and len(names_in(found)) != len(names_in(state)):
        remedy = f"name as many columns as for the state, {together(state)}, in the same order"
        raise InvalidParameter(parameter="next_state", value=together(found), remedy=remedy)
    return found


def _find(table: pd.DataFrame, role: str, given: Sequence[str] | str | None) -> Columns | None:
    if is_none(given):
        return None
    remedy = f"if there is none, say so: {role}='none' (--{role.replace('_', '-')} none)" if role in OPTIONAL else ""
    for name in names_in(given):
        column(table, role, name, remedy)
    return one_or_several(role, given) or next(iter(candidates(table, role)), None)


def _needed(table: pd.DataFrame, role: str, found: Mapping[str, Columns | None], given: Given) -> Columns:
    columns = found[role]
    if columns is not None:
        return columns
    usual = USUAL_NAMES[role]
    remedy = (
        "name the columns: state and action for a table of steps (state='none' if there is but one), choice and "
        "outcome for a table of trials (--state, --action, --choice, --outcome on the command line; usual names for "
        f"{role}: {', '.join(usual)})"
    )
    if is_none(given.get(role)):
        raise InvalidParameter(parameter=role, value=NO_COLUMN, remedy=remedy)
    raise missing_column(table, role, usual[0], remedy)
