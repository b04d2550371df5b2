"""From what people write in a table (labels, gaps, NaN) to the codes 0…n-1 that the models use."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.errors import BadTable, NotAnInteger

MISSING = -1
"""The code of a state or action that was not observed."""
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,99})(\.0*)?")
"""A whole number as text; "01" is a label, for it may differ from "1"."""
NUMBER = re.compile(r"[-+]?[0-9][0-9.,]*")
SPREADSHEET_ERRORS = {"#div/0!", "#n/a", "#name?", "#num!", "#ref!", "#value!"}
MARKS = {"-", "--", ".", "?", "na", "n/a", "nan", "nil", "none", "null", "missing"} | SPREADSHEET_ERRORS
"""What people and spreadsheets write where there is nothing. As text they could also be labels."""


def whole_numbers(
    values: npt.NDArray[Any], field: str, offsets: npt.NDArray[Any], names: Sequence[str]
) -> npt.NDArray[np.int64]:
    """Codes as integers, NaN and None as -1; what is not a whole number is an error that says where."""
    if np.issubdtype(values.dtype, np.integer) or values.dtype == bool:
        return values.astype(np.int64)
    missing = pd.isna(values)
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = ~missing & ~(np.isfinite(numbers) & (numbers == np.round(numbers)) & (np.abs(numbers) < 2**53))
    if bad.any():
        where = int(np.argmax(bad))
        session = int(np.searchsorted(offsets, where, side="right")) - 1
        step = where - int(offsets[session])
        raise NotAnInteger(field=field, value=_plain(values[where]), session=names[session], step=step)
    return np.where(missing, MISSING, numbers).astype(np.int64)


class Codes(NamedTuple):
    """A column as codes: -1 for missing, else ``labels[code]`` (None when codes are their own labels)."""

    codes: npt.NDArray[np.int64]
    labels: tuple[Hashable, ...] | None
    size: int


def encode(*columns: pd.Series, field: str, size: int | None = None, missing: Sequence[object] | None = None) -> Codes:
    """Code the values of one or more columns that share a meaning (state and next state), end to end.

    Integers 0…n-1 without gaps stay what they are, and so do all integers when ``size`` says how many codes
    there are. Strings, gaps and other numbers are sorted and numbered; their labels are kept.
    NaN, empty cells and the values in ``missing`` become the code -1. The value -1 is a label like any other. Where
    ``missing`` is None, what people write where there is nothing ("-", "none") is asked about, by an error.
    """
    values = pd.concat([c.reset_index(drop=True).astype(object) for c in columns], ignore_index=True)
    try:
        row_to_found, different = pd.factorize(values)
        found = _tidy([_plain(value) for value in different])
        absent = _absent(found, field, missing)
        labels = sorted(set(found) - absent)
    except TypeError as error:  # lists, or dates beside numbers
        raise BadTable(
            what=f"the {field} column mixes values that cannot be compared ({error})",
            remedy="write every value as a number or as text",
        ) from error
    if size is not None:
        _check_kept(labels, field)
    if all(isinstance(label, int) for label in labels) and (size is not None or labels == list(range(len(labels)))):
        code: dict[Any, int] = {label: label for label in labels}
        names, n_codes = None, len(labels) if size is None else size
    else:
        code = {label: i for i, label in enumerate(labels)}
        names = (*labels, *(f"unseen {i}" for i in range(len(labels), size or 0)))
        n_codes = len(names)
    if size is not None and n_codes > size:
        raise BadTable(
            what=f"the {field} column has {n_codes} different values but n_{field}s is {size}",
            remedy=f"raise n_{field}s or correct the column",
        )
    # The last entry serves the rows of code -1: NaN.
    codes = np.array([*(code.get(value, MISSING) for value in found), MISSING], dtype=np.int64)
    return Codes(codes[row_to_found], names, n_codes)


def _tidy(found: list[Any]) -> list[Any]:
    """The different values of a column as integers if all of them are whole, as text if any is text."""
    if any(isinstance(value, str) for value in found):
        found = [str(value).strip() for value in found]
        if not all(WHOLE.fullmatch(value) for value in found if value):
            return found
        found = [int(value.partition(".")[0]) if value else "" for value in found]
    whole = all(value == "" or (isinstance(value, int | float) and value % 1 == 0) for value in found)
    return [value if value == "" else int(value) for value in found] if whole else found


def _absent(found: list[Any], field: str, missing: Sequence[object] | None) -> set[Any]:
    """The values that mean "not observed"; an error where that is doubtful, or no value at all."""
    if any(isinstance(value, float) and not isfinite(value) for value in found):
        raise BadTable(
            what=f"the {field} column holds infinity, or a number beyond the range of numbers",
            remedy="correct it, or leave the cell empty if it was not observed",
        )
    if missing is None:
        present = set(found) - {""}
        marks = {value for value in present if isinstance(value, str) and value.casefold() in MARKS}
        others = [str(value) for value in present - marks]
        signs = any(not mark.isalnum() for mark in marks) and any(other.isalnum() for other in others)
        if marks and (signs or all(map(NUMBER.fullmatch, others))):  # "none" among words is a word
            raise _doubtful(field, tuple(sorted(marks)), sorted(others))
    gone = {text for value in missing or () for text in written_as(value)}
    return {"", *(value for value in found if label_text(value) in gone)}


def _doubtful(field: str, marks: tuple[object, ...], values: Sequence[object]) -> BadTable:
    listing = ", ".join(str(value)[:20] for value in values[:5]) or "nothing else"
    marked = ", ".join(map(repr, marks))
    return BadTable(
        what=f"the {field} column holds {listing}, and {marked} may be a value or the mark of a missing one",
        remedy=f"pass missing=() if {marked} is a real value (--missing none on the command line), "
        f"missing=({marked},) if it means not observed (--missing={marks[0]})",
    )


def _check_kept(labels: Sequence[Any], field: str) -> None:
    """Whole numbers are to be kept as codes: all labels must be such, or all codes would silently change."""
    numbers = [WHOLE.fullmatch(str(label)) is not None for label in labels]
    codes = [number and abs(float(label)) < 2**31 for number, label in zip(numbers, labels, strict=True)]
    if MISSING in labels:
        raise BadTable(
            what=f"with n_{field}s the numbers in the {field} column are codes, but it also holds -1",
            remedy=f"pass missing=(-1,) if -1 means not observed, or leave out n_{field}s",
        )
    if any(numbers) and not all(codes):
        other = labels[codes.index(False)]
        raise BadTable(
            what=f"with n_{field}s the numbers in the {field} column are codes, but it also holds {str(other)[:40]!r}",
            remedy=f"correct it, leave the cell empty if it was not observed, or leave out n_{field}s",
        )


def label_text(label: Hashable) -> str:
    """A label as people write it: 1.0 is 1."""
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return str(int(label))
    return str(label)


def written_as(value: Any) -> set[str]:
    """The texts that a value of a column may have if it is this one: "1.0", 1.0 and 1 are one number."""
    text = str(value).strip()
    return {text, str(int(text.partition(".")[0])) if WHOLE.fullmatch(text) else label_text(value)}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
