"""Parameters that are tables of log-probabilities, each normalised over its last axis where they are a mode."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from hiql.errors import InvalidParameter
from hiql.parts.part import NothingToLearn

FloatArray = npt.NDArray[np.float64]
LOWEST = -700.0
"""Logarithms below this are alike to a jump; exp of them is next to nothing."""


class LogProbabilities(NothingToLearn):
    """What parts with such tables among their parameters, called log_…, have in common: a mixin."""

    def vector(self, params: Any) -> FloatArray:
        return np.concatenate([np.maximum(table, LOWEST).ravel() for table in _tables(params).values()])

    def from_vector(self, vector: FloatArray, like: Any) -> Any:
        tables, start = {}, 0
        for name, table in _tables(like).items():
            part = vector[start : start + table.size].reshape(table.shape)
            tables[name], start = rows_of(part, posterior=self.is_posterior), start + table.size
        return replace(like, **tables)


def rows_of(logs: FloatArray, *, posterior: bool) -> FloatArray:
    """Rows of log-probabilities from any numbers; what the smoother reads of a posterior need not sum to 1."""
    return np.minimum(logs, 0.0) if posterior else np.asarray(log_softmax(logs, axis=-1))


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


def check_positive(params: Any, kind: type, **shapes: tuple[int, ...]) -> None:
    """Raise unless ``params`` are of this kind, with arrays of these shapes of finite numbers ≥ 0."""
    if not isinstance(params, kind):
        raise InvalidParameter(parameter="parameters", value=type(params).__name__, remedy=f"give {kind.__name__}")
    for name, shape in shapes.items():
        array = getattr(params, name)
        fits = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.shape == shape
        if not fits or not (np.isfinite(array).all() and (array >= 0).all()):
            shown = array.shape if isinstance(array, np.ndarray) else type(array).__name__
            raise InvalidParameter(parameter=name, value=shown, remedy=f"give finite numbers ≥ 0 of shape {shape}")


def log_dirichlet(pseudo_counts: float | FloatArray, log_table: FloatArray) -> float:
    """Σ pseudo-count · log θ: the logarithm of a Dirichlet prior of the rows, up to a constant."""
    believed = np.broadcast_to(np.asarray(pseudo_counts) > 0, log_table.shape)
    return float(np.multiply(log_table, pseudo_counts, where=believed, out=np.zeros(log_table.shape)).sum())


def _tables(params: Any) -> dict[str, FloatArray]:
    return {field.name: getattr(params, field.name) for field in fields(params) if field.name.startswith("log_")}
