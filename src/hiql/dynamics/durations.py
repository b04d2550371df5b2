"""How long an intention lasts that is a row of phases: a mixture of negative binomials."""

from __future__ import annotations

import numpy as np

from hiql.parts.part import FloatArray

COVERED = 0.999
"""Durations are shown up to where they cover this share, for every intention."""
MOST_SHOWN = 10_000


def duration_proba(entered: FloatArray, stay: FloatArray, n_steps: int) -> FloatArray:
    """(…, K, n_steps) p(lasts exactly d steps), d = 1, 2, …; ``entered`` (…, K, n) are amounts in each phase.

    From phase m of n, D is the sum of n − m + 1 geometric durations of mean 1 / (1 − s): a negative binomial.
    """
    return _left(entered, stay, n_steps)[0]


def survival_proba(entered: FloatArray, stay: FloatArray, n_steps: int) -> FloatArray:
    """(…, K, n_steps) p(lasts at least d steps), d = 1, 2, …"""
    return _left(entered, stay, n_steps)[1]


def mean_duration(entered: FloatArray, stay: FloatArray) -> FloatArray:
    """(…, K) Σ_m E(m) (n − m + 1) / (1 − s): infinite where no phase is ever left."""
    phases = entered @ np.arange(entered.shape[-1], 0, -1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(phases / (1.0 - stay))


def shown_durations(entered: FloatArray, stay: FloatArray) -> FloatArray:
    """(K, D) p(lasts exactly d steps), D where all have at least ``COVERED`` behind them, or ``MOST_SHOWN``."""
    n_steps = entered.shape[-1]
    while n_steps < MOST_SHOWN and survival_proba(entered, stay, n_steps + 1)[..., -1].max() > 1.0 - COVERED:
        n_steps = min(2 * n_steps, MOST_SHOWN)
    proba = duration_proba(entered, stay, n_steps)
    enough = (np.cumsum(proba, axis=-1) >= COVERED).all(axis=0)
    return proba[:, : int(enough.argmax()) + 1] if enough.any() else proba


def _left(entered: FloatArray, stay: FloatArray, n_steps: int) -> tuple[FloatArray, FloatArray]:
    """What leaves the last phase after each step, and what is there before."""
    here, go = entered.copy(), (1.0 - stay)[..., None]
    left, there = np.empty((2, *entered.shape[:-1], n_steps))
    for step in range(n_steps):
        there[..., step], left[..., step] = here.sum(axis=-1), here[..., -1] * go[..., 0]
        moved = here * stay[..., None]
        moved[..., 1:] += here[..., :-1] * go
        here = moved
    return left, there
