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
    unit = _units(inputs)
    count, mean, squares = (np.zeros(inputs.shape[1]) for _ in range(3))
    for _, (part,) in in_blocks(inputs):
        known = ~np.isnan(part)
        n = known.sum(axis=0)
        scaled = np.where(known, part / unit, 0.0)
        of_part = scaled.sum(axis=0) / np.maximum(n, 1)
        total = np.maximum(count + n, 1)
        away = of_part - mean
        squares += np.square(np.where(known, scaled - of_part, 0.0)).sum(axis=0) + away**2 * count * n / total
        mean += away * n / total
        count += n
    scale = np.sqrt(squares / np.maximum(count, 1))
    is_flat = scale <= 1e-12 * np.abs(mean)  # a constant column, up to rounding
    return mean * unit, np.where(is_flat | (scale * unit == 0), 1.0, scale * unit)


def _units(inputs: FloatArray) -> FloatArray:
    """(D,) a power of two near the largest number of each column: exact to divide by, and no square overflows."""
    largest = np.zeros(inputs.shape[1])
    for _, (part,) in in_blocks(inputs):
        largest = np.fmax(largest, np.fmax.reduce(np.abs(part), axis=0, initial=0.0))
    return np.ldexp(1.0, np.maximum(np.frexp(largest)[1] - 1, -1000))


def standardise(inputs: FloatArray, mean: FloatArray, scale: FloatArray) -> FloatArray:
    """(n, D) (u − mean)/scale; 0, the mean, where an input is missing: such a step carries no evidence."""
    halved = inputs * 0.5 - mean * 0.5  # of the largest numbers the difference itself may be none
    return np.nan_to_num(halved / (scale * 0.5), nan=0.0, copy=False)
