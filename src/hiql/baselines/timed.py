"""Steps by their place in the session: how behaviour is counted when it may change with time."""

from __future__ import annotations

import numpy as np

from hiql.data.trajectories import IntArray, Trajectories
from hiql.models.scoring import FloatArray


def timed_counts(data: Trajectories) -> FloatArray:
    """(T, S, A) how often each action was taken in each state at each time; T is the longest session."""
    n_times, n_pairs = int(data.lengths.max()), data.n_states * data.n_actions
    seen = data.pairs < n_pairs
    cells = data.time[seen] * n_pairs + data.pairs[seen]
    counts = np.bincount(cells, minlength=n_times * n_pairs).astype(np.float64)
    return counts.reshape(n_times, data.n_states, data.n_actions)


def time_of_step(data: Trajectories, n_times: int) -> IntArray:
    """(N,) the place of each step in its session; the last known time serves all later ones."""
    return np.minimum(data.time, n_times - 1)
