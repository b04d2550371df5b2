"""The days of each subject, in their order, and which of them every session belongs to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hiql.data.step_columns import FloatArray, IntArray
from hiql.data.trajectories import Trajectories

Days = Sequence[Sequence[float]]


def days_of_subjects(data: Trajectories) -> tuple[tuple[float, ...], ...]:
    """The known days of each subject, each once, in ascending order; () if no day is known of anybody."""
    if np.isnan(data.session_days).all():
        return ()
    found: dict[str, set[float]] = {name: set() for name in data.subjects}
    for name, day in zip(data.subjects, data.session_days.tolist(), strict=True):
        if day == day:
            found[name].add(day)
    return tuple(tuple(sorted(days)) for days in found.values())


def day_codes(subjects: IntArray, days: FloatArray, known: Days) -> npt.NDArray[np.int64]:
    """(n,) which of the known days, numbered subject by subject, sessions of these subjects on these ``days`` are on.

    A day that is not known is as the last known one before it, and a session without a day as the subject's last. What
    comes before all known days, or belongs to a subject without any, has the number of them all.
    """
    first = np.cumsum([0, *map(len, known)])
    codes = np.full(len(subjects), first[-1], dtype=np.int64)
    for number, own in enumerate(known):
        mine = np.asarray(subjects) == number
        before = np.searchsorted(own, np.where(np.isnan(days[mine]), np.inf, days[mine]), side="right")
        codes[mine] = np.where(before > 0, first[number] + before - 1, first[-1])
    return codes
