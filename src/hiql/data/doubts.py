"""What may have been misread of a table although nothing in it is wrong. Each function returns sentences."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
import pandas as pd

from hiql.data.columns import Columns, names_in, together
from hiql.data.missing import Roles
from hiql.data.usual_names import candidates, clocks, occurs_once

MANY_LEVELS = 10
"""More different measured numbers than this are hardly meant as unrelated states."""
REGULAR = 0.5
"""Where this share of the steps are the same distance apart, a longer distance is a gap."""


def sessions(table: pd.DataFrame, session: Columns | None, subject: Columns | None) -> list[str]:
    """Is there a session column, and does another one divide its sessions?"""
    if session is None:
        return ["no session column was found, so each subject is one session; name it if there is one (--session)"]
    keys = [*names_in(subject), *names_in(session)]
    others = [name for name in candidates(table, "session") if name not in keys and occurs_once(table, name)]
    return [
        f"{name!r} changes within sessions of the same name in {together(session)!r}: if these are several sessions, "
        f"name both (--session {names_in(session)[0]} --session {name})"
        for name in others
        if (table.groupby(keys, sort=False)[name].nunique() > 1).any()
    ]


def order(table: pd.DataFrame, columns: dict[str, Any]) -> list[str]:
    """Rows are taken as they stand; does a column that counts or keeps time say otherwise?"""
    if columns["step"] is not None:
        return []
    numbers = {name: _numbers(table[name]) for name in clocks(table)}
    return [
        f"the rows are taken in the order of the file, but {str(name)!r} does not always grow within a session; "
        "if it tells the order, name it (--step)"
        for name, column in numbers.items()
        if column.notna().all() and (column.groupby(_keys(table, columns), sort=False).diff() < 0).any()
    ]


def gaps(table: pd.DataFrame, columns: dict[str, Any]) -> list[str]:
    """Where the step numbers jump, steps are missing, and those on both sides are taken as neighbours."""
    if columns["step"] is None:
        return []
    steps = _numbers(table[columns["step"]])
    keys = _keys(table, columns)
    apart = steps.sort_values(kind="stable").groupby(keys, sort=False).diff().reindex(table.index)
    usual = apart.mode()
    if usual.empty or (apart.dropna() == usual[0]).mean() < REGULAR or usual[0] <= 0:
        return []
    jumps = apart > usual[0]
    if not jumps.any():
        return []
    first = int(np.flatnonzero(jumps.to_numpy())[0])
    number, before = steps.iloc[first], steps.iloc[first] - apart.iloc[first]
    n_sessions = table[jumps.to_numpy()].groupby(_names(columns), sort=False).ngroups
    lost = int((apart[jumps] / usual[0]).round().sum() - jumps.sum())
    return [
        f"{columns['step']!r} jumps {int(jumps.sum()):,} times, in {n_sessions:,} sessions (first from {before:g} to "
        f"{number:g} in session {str(table[columns['session']].iloc[first])!r}): about {lost:,} steps seem to be "
        "missing, and those before and after are taken as neighbours; put in a row with empty cells for each missing "
        "one if it took place"
    ]


def values(table: pd.DataFrame, roles: Roles, unsaid: Set[str]) -> list[str]:
    """Numbers that may mean something else than labels."""
    found = []
    for role, names in roles.items():
        for name in names:
            numbers = _numbers(table[name])
            if numbers.notna().sum() == table[name].notna().sum():
                found += _minus_one(role, name, numbers) if name in unsaid else []
                found += _continuous(role, name, numbers) if role != "outcome" else []
    return found


def _minus_one(role: str, name: str, numbers: pd.Series) -> list[str]:
    """-1 beside 0, 1, … may be the mark of a missing value; beside 1 alone, or other negative numbers, it is not."""
    present = set(numbers.dropna().unique().tolist())
    codes = all(value % 1 == 0 for value in present)
    if -1 not in present or min(present) < -1 or present <= {-1, 1} or not codes:
        return []
    return [
        f"-1 is taken as {_a(role)} like any other ({(numbers == -1).mean():.1%} of the rows of {name!r}); if it means "
        f"not observed, say so: --missing {name}=-1, missing={{{name!r}: (-1,)}} in Python"
    ]


def _continuous(role: str, name: str, numbers: pd.Series) -> list[str]:
    """Measured numbers have fractions or both signs; codes have neither."""
    present = numbers.dropna().unique()
    measured = bool((present % 1 != 0).any()) or bool(present.min(initial=0) < -1)
    if len(present) <= MANY_LEVELS or not measured:
        return []
    return [
        f"{name!r} holds {len(present):,} different numbers ({present.min():g} to {present.max():g}), and each becomes "
        f"{_a(role)} of its own that knows nothing of its neighbours; put them into a few classes first, such as "
        f'table["{role}"] = pandas.qcut(table["{name}"], 4, labels=False)'
    ]


def _a(role: str) -> str:
    return f"an {role}" if role[0] in "aeiou" else f"a {role.replace('_', ' ')}"


def single_outcome(outcomes: pd.Series) -> list[str]:
    """Do all choices end alike?"""
    different = outcomes.dropna().unique()
    if len(different) != 1:
        return []
    return [f"every outcome is {different[0]!s}: wins and losses cannot be told apart"]


def _numbers(column: pd.Series) -> pd.Series:
    """A column as floats, NaN where it holds none."""
    numbers = pd.to_numeric(column, errors="coerce")
    return pd.Series(numbers.to_numpy(dtype=np.float64, na_value=np.nan), index=column.index)


def _names(columns: dict[str, Any]) -> list[str]:
    return [name for name in (columns["subject"], columns["session"]) if name is not None]


def _keys(table: pd.DataFrame, columns: dict[str, Any]) -> list[pd.Series]:
    return [table[name] for name in _names(columns)]
