"""Parameters that are tables of log-probabilities, each normalised over its last axis."""

from __future__ import annotations

from dataclasses import astuple, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from hiql.errors import InvalidParameter

FloatArray = npt.NDArray[np.float64]
LOWEST = -700.0
"""Logarithms below this are alike to a jump; exp of them is next to nothing."""


class LogProbabilities:
    """What parts whose parameters are such tables have in common: a mixin."""

    def vector(self, params: Any) -> FloatArray:
        return np.concatenate([np.maximum(table, LOWEST).ravel() for table in _tables(params)])

    def from_vector(self, vector: FloatArray, like: Any) -> Any:
        tables, start = {}, 0
        for field, table in zip(fields(like), _tables(like), strict=True):
            part = vector[start : start + table.size].reshape(table.shape)
            tables[field.name], start = log_softmax(part, axis=-1), start + table.size
        return replace(like, **tables)


def check_tables(params: Any, kind: type, **shapes: tuple[int, ...]) -> None:
    """Raise unless ``params`` are of this kind, with arrays of these shapes whose exponentials sum to 1 in each row."""
    if not isinstance(params, kind):
        raise InvalidParameter(parameter="parameters", value=type(params).__name__, remedy=f"give {kind.__name__}")
    for name, shape in shapes.items():
        table = getattr(params, name)
        fits = isinstance(table, np.ndarray) and table.dtype == np.float64 and table.shape == shape
        if not fits or not _normalised(table):
            shown = table.shape if isinstance(table, np.ndarray) else type(table).__name__
            remedy = f"give logarithms of probabilities of shape {shape} that sum to 1 over the last axis"
            raise InvalidParameter(parameter=name, value=shown, remedy=remedy)


def _normalised(table: FloatArray) -> bool:
    """Whether the exponentials of every row sum to 1; −inf is the logarithm of a zero."""
    with np.errstate(over="ignore"):
        return bool(np.allclose(np.exp(table).sum(axis=-1), 1.0, atol=1e-6))


def _tables(params: Any) -> tuple[FloatArray, ...]:
    return astuple(params)
