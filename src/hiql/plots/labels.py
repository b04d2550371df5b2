"""The words on figures: names of intentions, states and actions; and the check that arrays fit them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.errors import ShapeMismatch, UnequalLengths

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.integer[Any]]


def intention_names(n_intentions: int) -> tuple[str, ...]:
    """ "intention 1", "intention 2", …: names for intentions nobody has named yet."""
    return tuple(f"intention {i + 1}" for i in range(n_intentions))


def named(names: Sequence[str] | None, n_intentions: int) -> tuple[str, ...]:
    """The names given, or the default ones."""
    return intention_names(n_intentions) if names is None else labelled(names, n_intentions, "intention")


def labelled(labels: Sequence[Hashable] | None, n: int, what: str) -> tuple[str, ...]:
    """n labels as text; codes are their own labels where none are given."""
    texts = tuple(str(label) for label in (range(n) if labels is None else labels))
    if len(texts) != n:
        raise UnequalLengths(field=f"{what} names", length=len(texts), other=f"{what}s", other_length=n)
    return texts


def shaped(field: str, values: npt.ArrayLike, *shape: int | None) -> FloatArray:
    """``values`` as floats, if they have this shape; None stands for any length."""
    array = np.asarray(values, dtype=np.float64)
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape, strict=True))
    if not fits:
        expected = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"
        raise ShapeMismatch(field=field, shape=array.shape, expected=expected, remedy=f"give {field} in that shape")
    return array
