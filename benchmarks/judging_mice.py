"""Thirteen mice that judge stimuli, 49,177 trials with ten inputs: simulated, of the shape of a real experiment.

Of the ten inputs three are sparse (one-sided contrasts, and a reward that was missed), four are correlated (the last
choice, two leaky traces of choices, and whether the last choice won), one drifts through a session (the trial's
number), one is in units of its own (a pupil in thousands) and one is noise. Three intentions: engaged, biased to the
left, and disengaged, which repeats choices and hardly looks. Every mouse has weights of its own around these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

import hiql

N_MICE, N_TRIALS, SESSIONS_EACH = 13, 49_177, 8
NAMES = ("left", "right", "choice", "won", "missed", "trace 4", "trace 16", "trial", "pupil", "noise")
CONTRASTS = (0.0, 0.0, 0.06, 0.12, 0.25, 1.0)
WEIGHTS = np.array(
    [  # left, right, choice, won, missed, trace 4, trace 16, trial, pupil, noise, bias
        [-1.7, 1.7, 0.1, 0.15, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.05],
        [-0.7, 0.5, 0.2, 0.3, -0.2, 0.2, 0.2, -0.1, 0.0, 0.0, -0.6],
        [-0.2, 0.2, 0.3, 0.1, 0.2, 0.4, 0.4, 0.2, 0.0, 0.0, 0.1],
    ]
)
STAY = 0.97


class Cohort(NamedTuple):
    """The data; of every trial what the true intentions would do, the probability (N, K) of going right; the chain; and
    the weights (K, D + 1) of the log-odds that mice have in common, in the units of the data."""

    data: hiql.Trajectories
    right: np.ndarray
    transition: np.ndarray
    weights: np.ndarray


def lengths_of_sessions(rng: np.random.Generator, n_trials: int, n_sessions: int) -> np.ndarray:
    shares = rng.dirichlet(np.full(n_sessions, 20.0))
    lengths = np.floor(shares * n_trials).astype(int)
    lengths[: n_trials - lengths.sum()] += 1
    return lengths


def simulated(
    seed: int,
    *,
    apart: float = 0.15,
    n_trials: int = N_TRIALS,
    n_mice: int = N_MICE,
    sessions_each: int = SESSIONS_EACH,
    stay: float = STAY,
    strength: float = 1.0,
) -> Cohort:
    """One cohort; ``apart`` is how much mice differ in each weight, and all that they share is ``strength`` times as
    large."""
    rng = np.random.default_rng([seed, 13])
    lengths = lengths_of_sessions(rng, n_trials, n_mice * sessions_each)
    common = strength * WEIGHTS
    n, longest, k = len(lengths), int(lengths.max()), len(common)
    mice = np.repeat(np.arange(n_mice), sessions_each)
    own = (common + apart * rng.normal(size=(n_mice, *common.shape)))[mice]
    transition = np.full((k, k), (1 - stay) / (k - 1)) + (stay - (1 - stay) / (k - 1)) * np.eye(k)
    inputs, right = np.zeros((n, longest, len(NAMES))), np.empty((n, longest, k))
    actions, intentions = np.zeros((2, n, longest), dtype=int)
    contrast, side = rng.choice(CONTRASTS, size=(n, longest)), rng.integers(2, size=(n, longest))
    pupil, noise = rng.normal(3000.0, 400.0, size=(n, longest)), rng.normal(size=(n, longest))
    before, traces, z = np.zeros((3, n)), np.zeros((2, n)), rng.integers(k, size=n)
    for t in range(longest):
        shown = contrast[:, t] ** 0.5
        seen = [shown * (side[:, t] == 0), shown * (side[:, t] == 1), *before, *traces, np.full(n, t / 250.0 - 1.0)]
        inputs[:, t] = np.column_stack([*seen, pupil[:, t], noise[:, t]])
        felt = np.column_stack([*seen, (pupil[:, t] - 3000.0) / 400.0, noise[:, t], np.ones(n)])
        right[:, t] = expit(np.einsum("nkf,nf->nk", own, felt))
        if t > 0:
            z = (transition[z].cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
        intentions[:, t], actions[:, t] = z, rng.random(n) < right[np.arange(n), t, z]
        went = 2.0 * actions[:, t] - 1.0
        won = actions[:, t] == side[:, t]
        before = np.stack([went, went * won, went * ~won])
        traces += (went - traces) / np.array([[4.0], [16.0]])
    cut = [slice(0, length) for length in lengths]
    data = hiql.Trajectories.from_arrays(
        None,
        [row[c] for row, c in zip(actions, cut, strict=True)],
        n_actions=2,
        inputs=[row[c] for row, c in zip(inputs, cut, strict=True)],
        input_names=list(NAMES),
        intentions=[row[c] for row, c in zip(intentions, cut, strict=True)],
        subjects=[f"mouse {m}" for m in mice],
    )
    return Cohort(data, np.concatenate([row[c] for row, c in zip(right, cut, strict=True)]), transition, common)
