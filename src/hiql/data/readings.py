"""The ways in which one table can be read, where the user has not said: which memory, and which columns are stimuli.

A table of trials alone does not tell how far back animals look. So it is read several times, and a sweep compares the
readings on the same steps: histories of one, two and three trials, and leaky traces of past choices and rewards.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from hiql.data.codes import label_text
from hiql.data.columns import is_none, names_in
from hiql.data.layout import Given, Steps, Trials, find_layout
from hiql.data.missing import Missing
from hiql.data.table_columns import NOTHING_ELSE, Extra
from hiql.data.tables import NO_COLUMN
from hiql.data.usual_names import candidates, occurs_once

HISTORIES = (1, 2, 3)
WIDE_MEMORY = (1.0, 2.0, 4.0, 8.0, 16.0, 40.0)
"""Time constants, in trials, of traces that stand for a whole history."""
SHORT_MEMORY = (1.0, 4.0, 16.0)
"""Those beside a stimulus."""
ENOUGH_VISITS = 20
"""Trials for each history that could occur, below which longer histories are not tried."""
STIMULUS = re.compile(
    r"(signed|log)?[\W_]*(stim|stimulus|stimuli|contrast|coherence|coh|evidence|tone|intensity|orientation|cue)"
    r"[\W_]*(left|right|l|r|a|b|\d|strength|level|value|size|difference|diff)?",
    re.IGNORECASE,
)
MEASURED = re.compile(r"[sx][\W_]?\d?", re.IGNORECASE)
"""Names of stimuli if the column holds measured numbers; with whole numbers they are as likely a place or a stage."""
"""Names of columns that are probably seen, or heard, before the choice. A name alone tells: what was measured after
the choice, such as the time that it took, may predict it just as well."""


def stimuli_in(table: pd.DataFrame, used: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns that are stimuli by their names: numbers without gaps that are not all the same."""
    single = [name for name in table.columns if name not in used and occurs_once(table, name)]
    numbers = {str(name): pd.to_numeric(table[name], errors="coerce") for name in single}
    sound = {name: column for name, column in numbers.items() if column.notna().all() and column.nunique() > 1}
    return tuple(name for name, column in sound.items() if _is_stimulus(name.strip(), column))


def may_be_stimulus(name: str) -> bool:
    return bool(STIMULUS.fullmatch(name) or MEASURED.fullmatch(name))


def _is_stimulus(name: str, numbers: pd.Series) -> bool:
    return may_be_stimulus(name) and bool(STIMULUS.fullmatch(name) or (numbers % 1 != 0).any())


def readings(
    table: pd.DataFrame,
    given: Given,
    *,
    histories: Sequence[int] | None = None,
    missing: Missing = None,
    extra: Extra = NOTHING_ELSE,
) -> dict[Hashable, Steps | Trials]:
    """Every reading worth comparing, by what tells it apart: a length of history, or a memory in words.

    What the user said is taken: ``given`` columns, ``histories``, and inputs and memory in ``extra``; "none" for the
    inputs in ``given`` says that no column is one, whatever its name. The rest is as in
    :func:`hiql.data.layout.find_layout`. A table with one reading has the key None.
    """
    used = [name for names in given.values() for name in names_in(names)]
    stimuli = () if extra.inputs or is_none(given.get("inputs")) else stimuli_in(table, used)
    extra = replace(extra, inputs=extra.inputs or stimuli)
    if histories is not None:
        return {length: find_layout(table, given, history=length, missing=missing, extra=extra) for length in histories}
    if extra.inputs and _lacks(table, given, "state") and _lacks(table, given, "outcome"):
        given = {**given, "state": NO_COLUMN, "action": given.get("action") or _choice(table, given)}
    layout = find_layout(table, given, missing=missing, extra=extra)
    if not isinstance(layout, Trials):
        return {None: layout}
    return _readings_of_trials(layout, table)


def _readings_of_trials(layout: Trials, table: pd.DataFrame) -> dict[Hashable, Steps | Trials]:
    plain = replace(layout, history=0)
    if layout.extra.memory:
        return {None: plain}
    if layout.extra.inputs:
        return {None: plain, **_with_memory(plain, table, SHORT_MEMORY), **_as_table(plain, table)}
    n_choices, n_outcomes = (max(table[name].nunique(), 1) for name in (*names_in(layout.choice)[:1], layout.outcome))
    lengths = [n for n in HISTORIES if n == 1 or len(table) >= ENOUGH_VISITS * (n_choices * n_outcomes) ** n]
    return {**{n: replace(layout, history=n) for n in lengths}, **_with_memory(plain, table, WIDE_MEMORY)}


def _with_memory(layout: Trials, table: pd.DataFrame, memory: tuple[float, ...]) -> dict[Hashable, Steps | Trials]:
    """The reading with traces, if outcomes are amounts."""
    if pd.to_numeric(table[layout.outcome].dropna(), errors="coerce").isna().any():
        return {}
    key = f"memory {', '.join(map(label_text, memory))}"
    return {key: replace(layout, extra=replace(layout.extra, memory=memory))}


def _as_table(layout: Trials, table: pd.DataFrame) -> dict[Hashable, Steps | Trials]:
    """The reading in which each set of stimuli is a state, where these are few: choices need not be linear in them.

    With no more sets than a regression has weights it could say nothing else.
    """
    stimuli = layout.extra.inputs
    n_sets, n_choices = table.groupby(list(stimuli)).ngroups, table[names_in(layout.choice)[0]].nunique()
    if n_sets <= len(stimuli) + 1 or len(table) < ENOUGH_VISITS * n_choices * n_sets:
        return {}
    extra, missing = replace(layout.extra, inputs=(), outcome=layout.outcome).taking(layout.missing)
    shared: dict[str, Any] = {name: getattr(layout, name) for name in ("session", "subject", "step")}
    shared |= {"missing": missing, "extra": extra}
    state = stimuli if len(stimuli) > 1 else stimuli[0]
    return {f"table of {' and '.join(stimuli)}": Steps(**shared, state=state, action=layout.choice)}


def _lacks(table: pd.DataFrame, given: Given, role: str) -> bool:
    said = given.get(role)
    return is_none(said) or not (names_in(said) or candidates(table, role))


def _choice(table: pd.DataFrame, given: Given) -> Sequence[str] | str | None:
    return given.get("choice") or next(iter(candidates(table, "action") or candidates(table, "choice")), None)


def told_reading(key: Hashable) -> str:
    """ "history 2", "memory 1, 4, 16", or nothing for the only reading."""
    return f"history {key:g}" if isinstance(key, int | float) else "" if key is None else str(key)
