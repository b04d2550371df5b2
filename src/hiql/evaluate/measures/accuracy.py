"""How well each intention explains its own steps, and how well it does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]


class Accuracy(NamedTuple):
    """(K,) each, over the steps of an intention, weighted by its posterior; NaN for one that has none.

    ``typical`` is exp(mean log p(action)); ``guessed`` the share of steps at which the action it held most probable was
    the one taken; ``outcome`` the mean outcome (in psychophysics the share of correct trials) and ``outcome_error`` its
    standard error, NaN where outcomes are unknown.
    """

    typical: FloatArray
    guessed: FloatArray
    outcome: FloatArray
    outcome_error: FloatArray


def accuracy(model: IntentionModel, data: Trajectories, smoothed: FloatArray | None = None) -> Accuracy:
    """How well each intention predicts the steps that are its own, and what it earns in them."""
    posterior = model.smooth_proba(data) if smoothed is None else smoothed
    seen = np.flatnonzero(data.observed)
    policy, taken = model.policy_at(data, seen), data.actions[seen]
    probable = policy[np.arange(len(seen)), :, taken]
    with np.errstate(divide="ignore"):
        typical, _ = weighted_mean(np.log(probable), posterior[seen])
    guessed, _ = weighted_mean((policy.argmax(axis=2) == taken[:, None]).astype(np.float64), posterior[seen])
    return Accuracy(np.exp(typical), guessed, *_outcomes(data, posterior))


def _outcomes(data: Trajectories, posterior: FloatArray) -> tuple[FloatArray, FloatArray]:
    if data.outcomes is None:
        unknown = np.full(posterior.shape[1], np.nan)
        return unknown, unknown
    known = np.isfinite(data.outcomes)
    return weighted_mean(data.outcomes[known, None], posterior[known])


def weighted_mean(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(K,) Σ w x / Σ w over rows (n, K), and its standard error, from n_eff = (Σ w)² / Σ w² rows; NaN for none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        total = weights.sum(axis=0)
        mean = np.where(weights > 0, weights * values, 0.0).sum(axis=0) / total
        spread = np.where(weights > 0, weights * (values - mean) ** 2, 0.0).sum(axis=0) / total
        error = np.sqrt(spread * (weights**2).sum(axis=0)) / total
    return mean, error
