"""A leaky trace as the sum it is: the twin of ``hiql.kernels.leaky``."""

from __future__ import annotations

import numpy as np


def trace_before(impulses, time_constant):
    """(1 − e^(−1/τ)) Σ_{j ≥ 0} e^(−j/τ) x_{t−1−j} at every step t of one session."""
    decay = np.exp(-1.0 / time_constant)
    return np.array([(1 - decay) * sum(decay**j * impulses[t - 1 - j] for j in range(t)) for t in range(len(impulses))])
