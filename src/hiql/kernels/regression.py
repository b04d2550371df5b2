"""Multinomial regressions, step by step: how likely what was done is, and the slopes and curvature of that.

Many regressions read the same inputs: that of intention k in group g (an animal, a state; often there is one group) has
weights (A, F), and p_a = softmax_a(w_a · u). All loops add to what the result holds, so parts of the data add up. Their
twins in plain numpy are in ``tests/oracles/regression.py``.

Where weights are not known but Normal, ``unsure`` (G, K, A(A − 1)/2, T) has, for all pairs a < b of actions, what gives
the variance of (w_a − w_b) · u: a lower triangle, row by row, with entries off the diagonal counted twice
(:func:`hiql.parts.averaged.unsure`). log Σ_a exp(w_a · u) is then the tilted bound of its mean (Knowles & Minka 2011),

    B = min_q log Σ_a exp(μ_a + ½ Var[(w_a − Σ_b q_b w_b) · u]),

and p what these sums share. With T = 0 weights are known, and both are what they are called.
"""

from __future__ import annotations

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


TRIED = 50
"""Steps towards the best q, at most; two or three are usual."""
NEAR = 1e-12
"""B is known to half of this."""


@njit(inline="always")
def _shares(weights, unsure, g, k, inputs, t, p, mean, work):  # type: ignore[no-untyped-def]
    """Of regression (g, k) at step t, fill ``mean`` (A,) with weights · u and ``p`` (A,) with its softmax, and return
    log Σ exp; or its bound.

    ``work`` (A + 2, A) is room. Arrays are read by their indices: a view of each row would take longer than the sums.
    """
    for a in range(p.shape[0]):
        logit = 0.0
        for f in range(inputs.shape[1]):
            logit += weights[g, k, a, f] * inputs[t, f]
        mean[a] = logit
    total = _softmax(mean, p)
    if unsure.shape[3] == 0:
        return total
    return _tilted(unsure[g, k], inputs[t], p, mean, work)


@njit(inline="always")
def _softmax(logits, p):  # type: ignore[no-untyped-def]
    """Fill ``p`` with softmax(logits), and return the logarithm of what it was divided by."""
    top = -np.inf
    for a in range(p.shape[0]):
        top = max(top, logits[a])
    total = 0.0
    for a in range(p.shape[0]):
        p[a] = np.exp(logits[a] - top)
        total += p[a]
    share = 1.0 / total
    for a in range(p.shape[0]):
        p[a] *= share
    return top + np.log(total)


@compiled
def _tilted(unsure, u, p, mean, work):  # type: ignore[no-untyped-def]
    """The bound B, from q = ``p`` on, which becomes what the sums share: at the best q they are the same.

    Steps of Newton's, as far as two actions go; halved where they overshoot.
    """
    n_actions = p.shape[0]
    apart, q, before = work[:n_actions], work[n_actions], work[n_actions + 1]
    _variances(unsure, u, apart)
    for a in range(n_actions):
        q[a] = before[a] = p[a]
    best = np.inf
    for _ in range(TRIED):
        bound = _at(apart, q, mean, p)
        if bound > best:
            for a in range(n_actions):
                q[a] = 0.5 * (q[a] + before[a])
            continue
        best, bent, away = bound, 0.0, 0.0
        for a in range(n_actions):
            for b in range(a):
                bent += p[a] * p[b] * apart[a, b]
                away -= (p[a] - q[a]) * (p[b] - q[b]) * apart[a, b]
        if away < NEAR:
            break
        for a in range(n_actions):
            before[a] = q[a]
            q[a] += (p[a] - q[a]) / (1.0 + bent)
    return best


@compiled
def _variances(unsure, u, apart):  # type: ignore[no-untyped-def]
    """Fill ``apart`` (A, A) with the variances of differences of logits."""
    pair = 0
    for a in range(apart.shape[0]):
        apart[a, a] = 0.0
        for b in range(a + 1, apart.shape[0]):
            found, i = 0.0, 0
            for e in range(u.shape[0]):
                for f in range(e + 1):
                    found += unsure[pair, i] * u[e] * u[f]
                    i += 1
            apart[a, b] = apart[b, a] = found
            pair += 1


@compiled
def _at(apart, q, mean, p):  # type: ignore[no-untyped-def]
    """The bound with this q, which may be any that sums to 1, and in ``p`` what its sums share."""
    half = 0.0
    for a in range(q.shape[0]):
        p[a] = 0.0
        for b in range(q.shape[0]):
            p[a] += 0.5 * q[b] * apart[a, b]
        half += 0.5 * q[a] * p[a]
    for a in range(q.shape[0]):
        p[a] += mean[a] - half
    return _softmax(p, p)


@compiled
def log_likely(inputs, groups, actions, weights, unsure, result):  # type: ignore[no-untyped-def]
    """Fill ``result`` (n, K) with log p(actions[t]) under each of K regressions; 0 where the action is −1.

    ``inputs`` (n, F), ``groups`` (n,) the group of each step, ``weights`` (G, K, A, F).
    """
    n_intentions, n_actions = weights.shape[1], weights.shape[2]
    p, mean, work = np.empty(n_actions), np.empty(n_actions), np.empty((n_actions + 2, n_actions))
    for t in range(inputs.shape[0]):
        done, g = actions[t], groups[t]
        for k in range(n_intentions):
            if done < 0:
                result[t, k] = 0.0
                continue
            log_total = _shares(weights, unsure, g, k, inputs, t, p, mean, work)
            result[t, k] = mean[done] - log_total


@compiled
def tally(inputs, groups, actions, counts, observed):  # type: ignore[no-untyped-def]
    """Add Σ_t counts[t, k] · u_t to ``observed`` (G, K, A, F), for the action of each step; −1 is passed over."""
    for t in range(inputs.shape[0]):
        if actions[t] >= 0:
            for k in range(counts.shape[1]):
                for f in range(inputs.shape[1]):
                    observed[groups[t], k, actions[t], f] += counts[t, k] * inputs[t, f]


@compiled
def bend(inputs, groups, counts, weights, unsure, expected, spread, curvature):  # type: ignore[no-untyped-def]
    """What K regressions expect at their weights, each step counted ``counts[t, k]`` times.

    Adds Σ n p_a u to ``expected`` (G, K, A, F), Σ n u uᵀ to ``spread`` (G, K, T) and Σ n p_a p_b u uᵀ for all pairs
    a < b of actions to ``curvature`` (G, K, A(A − 1)/2, T), both as lower triangles, row by row: T = F(F + 1)/2.
    """
    n_inputs, n_actions = inputs.shape[1], weights.shape[2]
    p, mean, work = np.empty(n_actions), np.empty(n_actions), np.empty((n_actions + 2, n_actions))
    outer = np.empty(spread.shape[2])
    for t in range(inputs.shape[0]):
        g, i = groups[t], 0
        for e in range(n_inputs):
            for f in range(e + 1):
                outer[i] = inputs[t, e] * inputs[t, f]
                i += 1
        for k in range(weights.shape[1]):
            n = counts[t, k]
            if n <= 0.0:
                continue
            _shares(weights, unsure, g, k, inputs, t, p, mean, work)
            for i in range(outer.shape[0]):
                spread[g, k, i] += n * outer[i]
            pair = 0
            for a in range(n_actions):
                for f in range(n_inputs):
                    expected[g, k, a, f] += n * p[a] * inputs[t, f]
                for b in range(a + 1, n_actions):
                    both = n * p[a] * p[b]
                    for i in range(outer.shape[0]):
                        curvature[g, k, pair, i] += both * outer[i]
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
def shares(inputs, weights, unsure, result):  # type: ignore[no-untyped-def]
    """Fill ``result`` (n, K, A) with the probabilities of all outcomes under K regressions (1, K, A, F).

    Where weights are unsure, they are exp(μ_a − B), and sum to less than 1.
    """
    n_actions = weights.shape[2]
    p, mean, work = np.empty(n_actions), np.empty(n_actions), np.empty((n_actions + 2, n_actions))
    for t in range(inputs.shape[0]):
        for k in range(weights.shape[1]):
            log_total = _shares(weights, unsure, 0, k, inputs, t, p, mean, work)
            for a in range(n_actions):
                result[t, k, a] = np.exp(mean[a] - log_total)
