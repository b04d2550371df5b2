"""How far policies that change from day to day have come since a subject's first day."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter

FloatArray = npt.NDArray[np.float64]


class Drifting(NamedTuple):
    """Of each subject in ``subjects``, the ``days`` (D,) it has data of, and how much of what it does has ``changed``
    (D, K) since the first: the share of choices that would be others, between 0 and 1."""

    subjects: tuple[str, ...]
    days: tuple[FloatArray, ...]
    changed: tuple[FloatArray, ...]

    @property
    def most(self) -> float:
        """The largest share: the end of a scale that all share."""
        return max(float(each.max(initial=0.0)) for each in self.changed)


def has_drift(model: Any) -> bool:
    """Whether the model's policies may change from day to day, and there is more than one."""
    return hasattr(model, "policy_by_day_") and any(len(days) > 1 for days in model.coding_.days)


def drifting(model: Any, data: Trajectories) -> Drifting:
    """Half of Σ_a |π(a|s) on a day − π(a|s) on the first day|, states weighed as they occur in ``data``."""
    if not hasattr(model, "policy_by_day_"):
        raise InvalidParameter(parameter="pool", value=model.pool, remedy='fit with pool="days"')
    visits = np.bincount(data.states[data.states >= 0], minlength=data.n_states)
    drifts = [model.drift_of(name) for name in model.coding_.subjects]
    apart = [0.5 * np.abs(drift.policy - drift.policy[:1]).sum(axis=-1) for drift in drifts]
    changed = tuple(each @ (visits / visits.sum()) for each in apart)
    return Drifting(model.coding_.subjects, tuple(drift.days for drift in drifts), changed)
