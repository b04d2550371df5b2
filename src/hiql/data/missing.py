"""Which values of which columns mean "not observed", as the user says it: by role, by column, or for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from hiql.data.codes import MARKS, label_text, written_as
from hiql.errors import BadTable, InvalidParameter

Missing = Sequence[object] | Mapping[str, Sequence[object]] | None
"""Values that mean "not observed": in every column; or by role ("state", "action", "choice", "outcome") or by column,
where the key "" stands for every column. None: nothing was said."""
Roles = Mapping[str, tuple[str, ...]]
"""The columns of each role."""
NO_VALUE = "none"
"""What people type where no value means "not observed"."""
Marks = dict[str, tuple[object, ...] | None]
"""The values that mean "not observed" in each column; None where nothing was said of it."""


def marks_of(missing: Missing, roles: Roles) -> Marks:
    """What ``missing`` says of each column; a key that is neither a role nor a column in use is refused.

    Values for every column say something of every column; those for one leave the others unsaid.
    """
    columns = [name for names in roles.values() for name in names]
    marks: Marks = dict.fromkeys(columns)
    for key, values in _entries(missing):
        for name in _meant(key, roles):
            marks[name] = (*(marks[name] or ()), *values)
    return marks


def check_marks(missing: Missing, table: pd.DataFrame, roles: Roles) -> None:
    """Refuse a value that occurs in none of its columns: it is a slip, and what was meant would count as observed."""
    for key, values in _entries(missing):
        names = _meant(key, roles)
        found = {text for name in names for text in _texts(table[name])}
        for value in values:
            if not (found & written_as(value) or _is_empty(value)):
                columns = " and ".join(dict.fromkeys(map(repr, names)))
                raise BadTable(
                    what=f"missing: {label_text(value)!r} does not occur in {columns}, which holds {_some(found)}",
                    remedy="give the value as it stands in the table, or leave it out: empty cells count as missing "
                    "anyway",
                )


def said_missing(texts: Sequence[str]) -> dict[str, tuple[str, ...]] | tuple[()]:
    """Values as people type them: "9" is about every column, "action=9" about one role or column, "none" about none."""
    said: dict[str, tuple[str, ...]] = {}
    for text in texts:
        key, _, value = text.rpartition("=")
        if text != NO_VALUE:
            said[key] = (*said.get(key, ()), value)
    return said or ()


def _entries(missing: Missing) -> Iterator[tuple[str, tuple[object, ...]]]:
    given = missing if isinstance(missing, Mapping) else {} if missing is None else {"": missing}
    for key, values in given.items():
        single = isinstance(values, str) or not isinstance(values, Sequence | set | frozenset)
        yield key, (values,) if single else tuple(values)


def _meant(key: str, roles: Roles) -> tuple[str, ...]:
    """The columns that a key is about; a next state is a state."""
    if key == "":
        return tuple(name for names in roles.values() for name in names)
    if key in roles:
        return roles[key] + (roles.get("next_state", ()) if key == "state" else ())
    if any(key in names for names in roles.values()):
        return (key,)
    known = [*roles, *(name for names in roles.values() for name in names)]
    raise InvalidParameter(
        parameter="the column in missing",
        value=key,
        remedy=f"name a role or a column that is in use: {', '.join(dict.fromkeys(known))}",
    )


def _texts(column: pd.Series) -> list[str]:
    return [label_text(value).strip() for value in column.dropna().unique().tolist()]


def _is_empty(value: object) -> bool:
    """Whether it is a way to write nothing, which tables are read by anyway."""
    return bool(pd.isna(value)) or str(value).strip().casefold() in MARKS | {""}


def _some(texts: set[str], most: int = 8) -> str:
    """A few of the values of a column, numbers in their order."""
    numbers = pd.to_numeric(pd.Series(list(texts), dtype=object), errors="coerce")
    ordered = [text for _, text in sorted(zip(numbers.fillna(float("inf")), texts, strict=True))]
    return ", ".join(text[:20] for text in ordered[:most]) + (", …" if len(ordered) > most else "")
