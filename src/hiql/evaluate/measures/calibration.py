"""Are predicted probabilities right? Of the actions given 70 %, 70 % should have been taken."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.models.scoring import Scored

FloatArray = npt.NDArray[np.float64]
MOST_STEPS = 200_000
"""More steps than this are thinned, evenly."""


class Calibration(NamedTuple):
    """Of B bins of predicted probability: the mean ``predicted`` in each, the share ``taken``, and ``n`` (B,)."""

    predicted: FloatArray
    taken: FloatArray
    n: npt.NDArray[np.int64]

    @property
    def error(self) -> FloatArray:
        """(B,) the standard error of ``taken`` if the prediction were right: √(p (1 − p) / n)."""
        return np.asarray(np.sqrt(self.predicted * (1.0 - self.predicted) / self.n))


def calibration(model: Scored, data: Trajectories, n_bins: int = 10) -> Calibration:
    """Every action at every observed step: its probability given the past, and whether it was the one taken."""
    steps = np.flatnonzero(data.observed)
    steps = steps[:: max(1, int(np.ceil(len(steps) / MOST_STEPS)))]
    taken = data.actions[steps, None] == np.arange(data.n_actions)
    return binned(model.predict_action_proba(data)[steps], taken, n_bins)


def binned(predicted: FloatArray, happened: npt.NDArray[np.bool_], n_bins: int = 10) -> Calibration:
    """Predictions, and whether each came true, in bins of equal width; those without a prediction are left out."""
    bins = np.minimum((predicted * n_bins).astype(np.int64), n_bins - 1).ravel()
    n = np.bincount(bins, minlength=n_bins)
    met = n > 0
    mean, share = (
        np.bincount(bins, values.ravel(), minlength=n_bins)[met] / n[met] for values in (predicted, happened)
    )
    return Calibration(mean, share, n[met])
