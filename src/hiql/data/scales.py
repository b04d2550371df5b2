"""Mean and spread of inputs: users' units outside, standardised numbers inside."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hiql.data.blocks import in_blocks

FloatArray = npt.NDArray[np.float64]


def mean_and_scale(inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(D,) mean and standard deviation of each column, NaN left out; the scale of a column without spread is 1.

    Blocks are merged by the update of Chan et al. (1983): n·δ²-corrections instead of Σx² − (Σx)²/n, which loses all
    digits where the mean is far from 0.
    """
    count, mean, squares = (np.zeros(inputs.shape[1]) for _ in range(3))
    for _, (part,) in in_blocks(inputs):
        known = ~np.isnan(part)
        n = known.sum(axis=0)
        of_part = np.where(known, part, 0.0).sum(axis=0) / np.maximum(n, 1)
        total = np.maximum(count + n, 1)
        away = of_part - mean
        squares += np.square(np.where(known, part - of_part, 0.0)).sum(axis=0) + away**2 * count * n / total
        mean += away * n / total
        count += n
    scale = np.sqrt(squares / np.maximum(count, 1))
    flat = scale <= 1e-12 * np.abs(mean)  # a constant column, up to rounding
    return mean, np.where(flat | ~np.isfinite(scale), 1.0, scale)


def standardise(inputs: FloatArray, mean: FloatArray, scale: FloatArray) -> FloatArray:
    """(n, D) (u − mean)/scale; 0, the mean, where an input is missing: such a step carries no evidence."""
    return np.nan_to_num((inputs - mean) / scale, nan=0.0, copy=False)
