"""Sessions that are smoothed as one: laid end to end, and what is inferred of their steps put back in its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.data.step_columns import SESSION_COLUMNS, IntArray
from hiql.data.trajectories import Trajectories


def joined(data: Trajectories, units: IntArray) -> Trajectories:
    """The same steps with one session for each unit: its sessions end to end, in the order of the data.

    ``units`` (n_sessions,) is the number of the unit of each session. A unit is called as its first session is.
    """
    if len(np.unique(units)) == data.n_sessions:
        return data
    order = np.argsort(units, kind="stable")
    beside = data if (np.diff(order) > 0).all() else data.select(order)
    first = np.flatnonzero(np.diff(np.asarray(units)[order], prepend=-1))
    return replace(
        beside,
        offsets=beside.offsets[np.append(first, data.n_sessions)],
        session_names=tuple(beside.session_names[n] for n in first),
        subjects=tuple(beside.subjects[n] for n in first),
        **{name: getattr(beside, name)[first] for name in SESSION_COLUMNS},
    )


def apart(values: npt.NDArray[Any], data: Trajectories, units: IntArray) -> npt.NDArray[Any]:
    """What was found for the steps of ``joined(data, units)`` (N, …), in the order of the data."""
    order = np.argsort(units, kind="stable")
    if len(np.unique(units)) == data.n_sessions or (np.diff(order) > 0).all():
        return values
    steps = np.concatenate([np.arange(data.offsets[n], data.offsets[n + 1]) for n in order])
    placed = np.empty_like(values)
    placed[steps] = values
    return placed
