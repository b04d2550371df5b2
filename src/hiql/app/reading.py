"""What a table holds, and what it was understood to mean; for the page, as plain values. Runs apart from the server."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from hiql.app.uploads import check_unpacked
from hiql.app.wishes import SINGLE, Wishes, wishes_in
from hiql.data.codes import label_text
from hiql.data.columns import is_none
from hiql.data.layout import Layout, Steps, Trials
from hiql.data.missing import said_missing
from hiql.data.readings import readings
from hiql.data.table_columns import Extra
from hiql.data.table_files import load_table
from hiql.data.understanding import understood
from hiql.errors import HiqlError, InvalidParameter
from hiql.sweep.proposal import propose

MOST_COLUMNS = 200
"""More than these are not shown, and cannot be chosen on the page."""
N_EXAMPLES, LONGEST_TEXT = 4, 40


def read(path: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Columns with examples and roles, what was understood, what to try; or, in words, why not."""
    found: dict[str, Any] = {"columns": [], "rows": 0, "facts": {}, "error": "", "proposed": [], "of_trials": False}
    try:
        check_unpacked(Path(path))
        table = load_table(path)
        wishes = wishes_in(wanted)
        found |= {"rows": len(table), "n_columns": table.shape[1], "columns": columns_of(table, wishes.roles or {})}
        layouts = layouts_of(table, wishes)
        layout = next(iter(layouts.values()))
        found |= {"columns": columns_of(table, roles_in(layout)), "of_trials": isinstance(layout, Trials)}
        data = {key: each.read(table) for key, each in layouts.items()}
        found["facts"] = understood(Path(path).name, table, layout, next(iter(data.values())))
        found["proposed"] = list(propose(data).reasons)
    except HiqlError as error:
        found["error"] = str(error).replace(path, Path(path).name)
    except MemoryError:
        found["error"] = "The table does not fit into memory; give the columns that matter."
    return found


def layouts_of(table: pd.DataFrame, wishes: Wishes) -> dict[Hashable, Steps | Trials]:
    """The readings that the command line finds, from the same words (:meth:`Wishes.options`)."""
    columns = wishes.columns()
    for role in SINGLE:
        if len(columns[role]) > 1:
            remedy = "choose one column"
            raise InvalidParameter(parameter=role, value=" and ".join(columns[role]), remedy=remedy)
    extra = Extra(
        inputs=() if is_none(columns["inputs"]) else tuple(columns["inputs"]),
        contexts=tuple(columns["context"]),
        memory=_time_constants(wishes.memory),
        day=next(iter(columns["day"]), None),
        order=next(iter(columns["order"]), None),
    )
    missing = said_missing(wishes.not_observed()) if wishes.missing else None
    return readings(table, columns, missing=missing, extra=extra)


def roles_in(layout: Layout) -> dict[str, str]:
    """What each column means."""
    further = {{"contexts": "context"}.get(role, role): names for role, names in layout.extra.names.items()}
    return {name: role for role, names in {**layout.used(), **further}.items() for name in names}


def columns_of(table: pd.DataFrame, roles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every column: its name, a few of its values, and what it means."""
    shown = [str(name) for name in table.columns[:MOST_COLUMNS]]
    firsts = [_examples(table.iloc[:, i]) for i in range(len(shown))]
    return [
        {"name": name, "examples": examples, "role": roles.get(name, "")}
        for name, examples in zip(shown, firsts, strict=True)
        if "\0" not in name
    ]


def _examples(values: pd.Series) -> list[str]:
    """The first different values, as text."""
    first = values.iloc[:1000].dropna().astype(object).map(label_text).drop_duplicates()[:N_EXAMPLES]
    return [text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…" for text in first]


def _time_constants(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",")) if text else ()
    except ValueError as error:
        remedy = "write time constants in steps with commas between: 1,4,16"
        raise InvalidParameter(parameter="memory", value=text, remedy=remedy) from error
