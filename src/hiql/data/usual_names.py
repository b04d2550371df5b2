"""The names that columns usually have, whatever their case, spaces and underscores."""

from __future__ import annotations

import re

import pandas as pd

from hiql.data.tables import SUBJECT_COLUMNS

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
    "outcome": ("reward", "outcome", "rewarded", "feedback", "correct"),
}


def candidates(table: pd.DataFrame, role: str) -> list[str]:
    """The columns with a usual name for a role."""
    by_name = {bare(name): str(name) for name in reversed(table.columns)}
    return [by_name[bare(name)] for name in USUAL_NAMES[role] if bare(name) in by_name]


def usual_role(name: object) -> str | None:
    """The role that a column of this name would be found for."""
    return next((role for role, usual in USUAL_NAMES.items() if bare(name) in map(bare, usual)), None)


def clocks(table: pd.DataFrame) -> list[str]:
    """The columns that probably count or keep time."""
    return [name for name in table.columns if any(word in bare(name) for word in CLOCKS) and occurs_once(table, name)]


def occurs_once(table: pd.DataFrame, name: str) -> bool:
    return list(table.columns).count(name) == 1


def bare(name: object) -> str:
    return re.sub(r"[\W_]+", "", str(name)).lower()
