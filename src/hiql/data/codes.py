"""From what people write in a table (labels, gaps, NaN) to the codes 0…n-1 that the models use."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.errors import BadTable, NotAnInteger


def whole_numbers(
    values: npt.NDArray[Any], field: str, offsets: npt.NDArray[Any], names: Sequence[str]
) -> npt.NDArray[np.int32]:
    """Codes as int32, NaN and None as -1; anything that is not a whole number is an error that says where."""
    if np.issubdtype(values.dtype, np.integer) or values.dtype == bool:
        return np.clip(values, -(2**31), 2**31 - 1).astype(np.int32)
    missing = pd.isna(values)
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = ~missing & ~(np.isfinite(numbers) & (numbers == np.round(numbers)) & (np.abs(numbers) < 2**31))
    if bad.any():
        where = int(np.argmax(bad))
        session = int(np.searchsorted(offsets, where, side="right")) - 1
        value = values[where]
        raise NotAnInteger(
            field=field,
            value=value.item() if hasattr(value, "item") else value,
            session=names[session],
            step=where - int(offsets[session]),
        )
    return np.where(missing, -1, numbers).astype(np.int32)


class Codes(NamedTuple):
    """A column as codes: -1 for missing, ``labels[code]`` for the rest (None when codes are their own labels)."""

    codes: npt.NDArray[np.int64]
    labels: tuple[Hashable, ...] | None
    size: int


def encode(*columns: pd.Series, field: str, size: int | None = None, missing: Sequence[object] = (-1,)) -> Codes:
    """Code the values of one or more columns that share a meaning (state and next state), end to end.

    Integers 0…n-1 without gaps stay what they are, and so does everything when ``size`` says how many codes
    there are. Strings, gaps and other numbers are sorted and numbered; their labels are kept.
    NaN, empty cells and the values in ``missing`` become -1.
    """
    values = pd.concat([c.reset_index(drop=True) for c in columns], ignore_index=True)
    values = values.replace(r"^\s*$", None, regex=True) if _is_text(values) else values
    numbers = pd.to_numeric(values, errors="coerce")
    whole = bool((numbers.notna() == values.notna()).all() and (numbers.dropna() % 1 == 0).all())
    tidy = numbers.astype("Float64").astype("Int64") if whole else values
    present = set(tidy.dropna().unique())
    if whole and present == {-1, 1} and -1 in missing:
        raise BadTable(
            what=f"the {field} column holds only -1 and 1, and -1 would be read as missing",
            remedy="pass missing=() if -1 is a real value, or recode it",
        )
    tidy = tidy.mask(tidy.isin(list(missing)))
    labels = sorted(set(tidy.dropna().unique()), key=lambda label: (isinstance(label, str), label))
    if whole and (size is not None or labels == list(range(len(labels)))):
        return Codes(tidy.fillna(-1).to_numpy(dtype=np.int64), None, len(labels) if size is None else size)
    if size is not None and len(labels) > size:
        raise BadTable(
            what=f"the {field} column has {len(labels)} different values but n_{field}s is {size}",
            remedy=f"raise n_{field}s or correct the column",
        )
    codes = pd.Categorical(tidy, categories=labels).codes.astype(np.int64)
    unseen = [f"unseen {i}" for i in range(len(labels), size or 0)]
    return Codes(codes, (*(_plain(label) for label in labels), *unseen), len(labels) + len(unseen))


def _is_text(values: pd.Series) -> bool:
    return bool(pd.api.types.is_object_dtype(values) or pd.api.types.is_string_dtype(values))


def _plain(label: Any) -> Hashable:
    return label.item() if hasattr(label, "item") else label
