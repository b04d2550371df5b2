"""One epoch of inverse Q-learning (paper, Algorithm 2), for weighted demonstrations.

Its twin, the algorithm as printed in plain Python, is ``tests/oracles/algorithms.py``.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def iql_epoch(  # type: ignore[no-untyped-def]
    order, states, actions, next_states, weights, discount, rates, visits, shifted, reward, q
):
    """Pass once over the demonstrations in the given ``order``, updating all tables (S, A) in place.

    ``rates`` are (α_r, α_Q, α_Sh); ``visits`` is ρ, ``shifted`` is Q^Sh. A demonstration of weight w counts w
    visits and learns at w times the rate: what Bernoulli sampling with probability w does on average.
    Returns the largest change of Q. In the target of eq. (3) the normaliser of log π cancels, so log ρ serves.
    """
    n_actions = q.shape[1]
    rate_reward, rate_q, rate_shifted = rates
    log_visits = np.log(visits)
    largest = 0.0
    for n in range(order.shape[0]):
        t = order[n]
        w = weights[t]
        s, a, following = states[t], actions[t], next_states[t]
        if w <= 0.0 or s < 0 or a < 0 or following < 0:
            continue
        visits[s, a] += w
        w = min(w, 1.0)  # a step longer than the whole way would never settle
        log_visits[s, a] = math.log(visits[s, a])
        best_next = q[following, 0]
        for b in range(1, n_actions):
            best_next = max(best_next, q[following, b])
        shifted[s, a] += w * rate_shifted * (discount * best_next - shifted[s, a])
        others = 0.0
        for b in range(n_actions):
            if b != a:
                others += reward[s, b] - (log_visits[s, b] - shifted[s, b])
        target = log_visits[s, a] - shifted[s, a] + others / max(n_actions - 1, 1)
        reward[s, a] += w * rate_reward * (target - reward[s, a])
        change = w * rate_q * (reward[s, a] + discount * best_next - q[s, a])
        q[s, a] += change
        largest = max(largest, abs(change))
    return largest
