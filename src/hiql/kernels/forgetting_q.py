"""Forgetting Q-learning (Beron et al. 2022): the log-likelihood of choices between two, and its exact gradient.

Its twin, the recursion over action values in plain Python, is ``tests/oracles/forgetting_q.py``.
"""

from __future__ import annotations

import math

from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def forgetting_q(  # type: ignore[no-untyped-def]
    offsets, signs, last_signs, impulses, retention, weights, log_odds, gradient
):
    """Fill ``log_odds`` (N,) of choice 1 and ``gradient`` (4,), and return Σ_t log p(choice t | trials before t).

    x_t = β m_t + α c̄_t + b with ``weights`` = (β, α, b), ``last_signs`` (N,) = c̄ and the memory of rewards
    m_{t+1} = ρ m_t + i_t, ρ = ``retention``, i = ``impulses`` (N,): a trial's reward times ±1, the sign of its
    choice; m = 0 at a session's start, and where i is NaN nothing is added or forgotten. The sensitivity
    dm_{t+1}/dρ = m_t + ρ dm_t/dρ runs along. ``signs`` (N,) are +1 for choice 1, −1 for choice 0 and 0 for
    none, which is no evidence. The gradient is with respect to ρ, β, α, b.
    """
    total = 0.0
    gradient[:] = 0.0
    for s in range(offsets.shape[0] - 1):
        memory, slope = 0.0, 0.0
        for t in range(offsets[s], offsets[s + 1]):
            x = weights[0] * memory + weights[1] * last_signs[t] + weights[2]
            log_odds[t] = x
            if signs[t] != 0.0:
                small = math.exp(-abs(x))
                against = min(signs[t] * x, 0.0)
                total += against - math.log1p(small)
                likely = 1.0 / (1.0 + small)  # σ(|x|)
                surprise = signs[t] * (likely if against < 0.0 else 1.0 - likely)
                gradient[0] += surprise * weights[0] * slope
                gradient[1] += surprise * memory
                gradient[2] += surprise * last_signs[t]
                gradient[3] += surprise
            if not math.isnan(impulses[t]):
                memory, slope = retention * memory + impulses[t], memory + retention * slope
    return total
