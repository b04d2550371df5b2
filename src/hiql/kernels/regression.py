"""Multinomial regressions, step by step: how likely what was done is, and the slopes and curvature of that.

Many regressions read the same inputs: that of intention k in group g (an animal, a state; often there is one group) has
weights (A, F), and p_a = softmax_a(w_a · u). All loops add to what the result holds, so parts of the data add up. Their
twins in plain numpy are in ``tests/oracles/regression.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


@compiled
def _softmax(weights, u, p):  # type: ignore[no-untyped-def]
    """Fill ``p`` (A,) with softmax(weights · u), and return the logarithm of what it was divided by."""
    top = -np.inf
    for a in range(p.shape[0]):
        logit = 0.0
        for f in range(u.shape[0]):
            logit += weights[a, f] * u[f]
        p[a] = logit
        top = max(top, logit)
    total = 0.0
    for a in range(p.shape[0]):
        p[a] = np.exp(p[a] - top)
        total += p[a]
    for a in range(p.shape[0]):
        p[a] /= total
    return top + np.log(total)


@compiled
def log_likely(inputs, groups, actions, weights, result):  # type: ignore[no-untyped-def]
    """Fill ``result`` (n, K) with log p(actions[t]) under each of K regressions; 0 where the action is −1.

    ``inputs`` (n, F), ``groups`` (n,) the group of each step, ``weights`` (G, K, A, F).
    """
    n_intentions, n_actions = weights.shape[1], weights.shape[2]
    p = np.empty(n_actions)
    for t in range(inputs.shape[0]):
        done, u = actions[t], inputs[t]
        for k in range(n_intentions):
            if done < 0:
                result[t, k] = 0.0
                continue
            w = weights[groups[t], k]
            log_total, logit = _softmax(w, u, p), 0.0
            for f in range(u.shape[0]):
                logit += w[done, f] * u[f]
            result[t, k] = logit - log_total


@compiled
def tally(inputs, groups, actions, counts, observed):  # type: ignore[no-untyped-def]
    """Add Σ_t counts[t, k] · u_t to ``observed`` (G, K, A, F), for the action of each step; −1 is passed over."""
    for t in range(inputs.shape[0]):
        if actions[t] >= 0:
            for k in range(counts.shape[1]):
                for f in range(inputs.shape[1]):
                    observed[groups[t], k, actions[t], f] += counts[t, k] * inputs[t, f]


@compiled
def bend(inputs, groups, counts, weights, expected, spread, curvature):  # type: ignore[no-untyped-def]
    """What K regressions expect at their weights, each step counted ``counts[t, k]`` times.

    Adds Σ n p_a u to ``expected`` (G, K, A, F), Σ n u uᵀ to ``spread`` (G, K, T) and Σ n p_a p_b u uᵀ for all pairs
    a < b of actions to ``curvature`` (G, K, A(A − 1)/2, T), both as lower triangles, row by row: T = F(F + 1)/2.
    """
    n_inputs, n_actions = inputs.shape[1], weights.shape[2]
    p, outer = np.empty(n_actions), np.empty(spread.shape[2])
    for t in range(inputs.shape[0]):
        u, g = inputs[t], groups[t]
        i = 0
        for e in range(n_inputs):
            for f in range(e + 1):
                outer[i] = u[e] * u[f]
                i += 1
        for k in range(weights.shape[1]):
            n = counts[t, k]
            if n <= 0.0:
                continue
            _softmax(weights[g, k], u, p)
            here = spread[g, k]
            for i in range(outer.shape[0]):
                here[i] += n * outer[i]
            pair = 0
            for a in range(n_actions):
                for f in range(n_inputs):
                    expected[g, k, a, f] += n * p[a] * u[f]
                for b in range(a + 1, n_actions):
                    both, bent = n * p[a] * p[b], curvature[g, k, pair]
                    for i in range(outer.shape[0]):
                        bent[i] += both * outer[i]
                    pair += 1


@compiled
def reach(inputs, groups, power, result):  # type: ignore[no-untyped-def]
    """Add Σ_t |u_t|^(2^power) to ``result`` (G, F): its root is no less than the largest input, and it adds up."""
    for t in range(inputs.shape[0]):
        for f in range(inputs.shape[1]):
            x = abs(inputs[t, f])
            for _ in range(power):
                x *= x
            result[groups[t], f] += x


@compiled
def shares(inputs, weights, result):  # type: ignore[no-untyped-def]
    """Fill ``result`` (n, K, A) with the probabilities of all outcomes under K regressions (K, A, F)."""
    for t in range(inputs.shape[0]):
        for k in range(weights.shape[0]):
            _softmax(weights[k], inputs[t], result[t, k])
