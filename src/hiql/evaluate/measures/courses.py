"""How something develops along a session, averaged over sessions of any length."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import ShapeMismatch

FloatArray = npt.NDArray[np.float64]


class Course(NamedTuple):
    """Mean (T, …) and standard error (T, …) over the ``n`` (T,) sessions still running at each step."""

    mean: FloatArray
    error: FloatArray
    n: npt.NDArray[np.integer[Any]]


def mean_course(data: Trajectories, values: npt.ArrayLike) -> Course:
    """The course of ``values`` (N,) or (N, K) over the steps of a session.

    A standard error needs two sessions; where only one still runs it is NaN.
    """
    values = np.asarray(values, dtype=np.float64)
    if len(values) != data.n_steps or values.ndim not in (1, 2):
        raise ShapeMismatch(
            field="values", shape=values.shape, expected=f"({data.n_steps}, …)", remedy="give one row for each step"
        )
    n = np.bincount(data.time)
    per_step = n.reshape(-1, *[1] * (values.ndim - 1))
    mean = _sum_by_time(data, values) / per_step
    spread = _sum_by_time(data, (values - mean[data.time]) ** 2)
    with np.errstate(invalid="ignore"):
        error = np.sqrt(spread / (per_step - 1) / per_step)
    return Course(mean, error, n)


def _sum_by_time(data: Trajectories, values: FloatArray) -> FloatArray:
    total = np.zeros((int(data.lengths.max()), *values.shape[1:]))
    np.add.at(total, data.time, values)
    return total
