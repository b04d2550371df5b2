"""Plain-numpy twins of what draws paths and tables: slow, short, in logarithms."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from tests.oracles.forward_backward import log_forward_backward


def picked(log_weights, u):
    """The first i at which the sum of the weights exceeds u times their total."""
    weights = np.exp(log_weights - log_weights.max())
    return int(np.searchsorted(np.cumsum(weights), u * weights.sum(), side="right"))


def draw_path(pairs, rows, initial, bank, policy, uniforms):
    """A path (T,) of one session, the last step first: p(z_t−1 = i | z_t = k) ∝ φ_t−1(i) A_t(i, k)."""
    with np.errstate(divide="ignore"):
        filtered = np.log(log_forward_backward(pairs, rows, initial, bank, policy).filtered)
        path = [picked(filtered[-1], uniforms[-1])]
        for t in range(len(pairs) - 1, 0, -1):
            path.append(picked(filtered[t - 1] + np.log(bank[rows[t]][:, path[-1]]), uniforms[t - 1]))
    return np.array(path[::-1])


def draw_tables(weight, count, uniforms):
    """One count after another opens a table with probability x / (x + those before it)."""
    return sum(before == 0 or u < weight / (weight + before) for before, u in zip(range(count), uniforms, strict=True))


def log_stirling(n):
    """(n + 1,) log S(n, t), unsigned Stirling numbers of the first kind."""
    row = np.array([0.0])
    for m in range(n):
        up = np.r_[-np.inf, row]
        row = logsumexp([up, np.r_[row + (np.log(m) if m else -np.inf), -np.inf]], axis=0)
    return row
