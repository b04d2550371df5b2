"""What follows from a fit's attributes, by name: quantities that have intervals beside the attributes themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.parts.part import FloatArray


def expected_dwell(transition: npt.ArrayLike) -> FloatArray:
    """(K,) mean number of steps in a row, 1 / (1 − Λ_ii), of a Markov chain; infinite where it never leaves."""
    leave = 1.0 - np.diag(np.asarray(transition, dtype=np.float64))
    return np.divide(1.0, leave, out=np.full(len(leave), np.inf), where=leave > 1e-12)


def durations(model: Any) -> FloatArray:
    """(K,) how many steps in a row an intention lasts on average, 1 / (1 − Λ_ii); infinite if it is never left."""
    return expected_dwell(model.transition_)


def thresholds(model: Any) -> FloatArray:
    """(K, D) for two actions: the value of each input at which both are equally likely, all others at their means."""
    weights, means = model.weights_[:, 1] - model.weights_[:, 0], np.array(model.coding_.input_means)
    slopes, at_means = weights[:, :-1], weights[:, -1:] + weights[:, :-1] @ means[:, None]
    with np.errstate(divide="ignore"):
        return np.asarray(means - at_means / slopes)


def _has_thresholds(model: Any) -> bool:
    return hasattr(model, "weights_") and model.weights_.ndim == 3 and model.weights_.shape[1] == 2


Derived = tuple[Callable[[Any], bool], Callable[[Any], FloatArray]]
DERIVED: dict[str, Derived] = {
    "durations": (lambda model: hasattr(model, "transition_"), durations),
    "thresholds": (_has_thresholds, thresholds),
}
"""For each name the models that have it, and how it is found."""
