"""Drawing from many categorical distributions at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def draw(probabilities: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """One category for each row of probabilities (n, C)."""
    return pick(probabilities, rng.random(len(probabilities)))


def pick(probabilities: npt.NDArray[np.float64], luck: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The category of each row of probabilities (n, C) that a number ``luck`` (n,) in [0, 1) falls on."""
    cumulative = probabilities.cumsum(axis=1)
    return (cumulative <= luck[:, None] * cumulative[:, -1:]).sum(axis=1)


def draw_from_sparse(
    matrix: Any, rows: npt.NDArray[np.integer[Any]], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """One column for each of the given rows of a sparse (CSR) stochastic matrix."""
    chosen = matrix[rows]
    cumulative = np.concatenate([[0.0], np.cumsum(chosen.data)])
    first, last = chosen.indptr[:-1], chosen.indptr[1:]
    u = cumulative[first] + rng.random(len(rows)) * (cumulative[last] - cumulative[first])
    entry = np.clip(np.searchsorted(cumulative, u, side="right") - 1, first, last - 1)
    return chosen.indices[entry].astype(np.int64)
