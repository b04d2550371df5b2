"""One role, several columns: a state made of two stimuli, a session of a day and a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from hiql.data.codes import Codes, encode, label_text
from hiql.data.tables import NO_COLUMN, column
from hiql.errors import InvalidParameter

Columns = str | tuple[str, ...]
"""The name of a column, or of several whose values together are one label."""
BETWEEN = ", "
"""Stands between the values of a combined label: "left, 3"."""


def names_in(columns: Sequence[str] | str | None) -> tuple[str, ...]:
    """The columns as a tuple, of none, one or several names."""
    return () if columns is None else (columns,) if isinstance(columns, str) else tuple(columns)


def is_none(columns: Sequence[str] | str | None) -> bool:
    """Whether it was said that there is no such column."""
    return names_in(columns) == (NO_COLUMN,)


def together(columns: Sequence[str] | str) -> str:
    """How the combination of columns is called: "x1 + x3"."""
    return " + ".join(names_in(columns))


def one_or_several(role: str, given: Sequence[str] | str | None) -> Columns | None:
    """A single name as text, several as a tuple; an order or an outcome cannot be put together."""
    names = names_in(given)
    if len(names) < 2:
        return names[0] if names else None
    if role in {"step", "outcome"} or len(set(names)) < len(names):
        remedy = "name one column" if len(set(names)) == len(names) else "name each column once"
        raise InvalidParameter(parameter=role, value=together(names), remedy=remedy)
    return names


def combined(
    table: pd.DataFrame, role: str, names: Sequence[str], marks: Mapping[str, Sequence[object] | None]
) -> pd.Series:
    """The values of several columns, row by row, as one label; nothing where any of them was not observed."""
    texts = [
        _texts(encode(column(table, role, name), field=f"{role} ({name})", missing=marks.get(name))) for name in names
    ]
    return pd.Series([None if None in row else BETWEEN.join(row) for row in zip(*texts, strict=True)], dtype=object)


def _texts(coded: Codes) -> list[str | None]:
    labels = [*(label_text(label) for label in coded.labels or range(coded.size)), None]  # the last serves code -1
    return [labels[code] for code in coded.codes.tolist()]
