r"""What a Dirichlet posterior says to the smoother, and what it is worth (docs/theory/evidence.md).

For a row of counts n and pseudo-counts α, sums N and α₀, with q(θ) = Dirichlet(α + n):

.. math:: \mathbb{E}_q \log\theta_a = \psi(\alpha_a + n_a) - \psi(\alpha_0 + N), \qquad
          \log\frac{B(\alpha + n)}{B(\alpha)} = \sum_a \log\frac{\Gamma(\alpha_a + n_a)}{\Gamma(\alpha_a)}
          - \log\frac{\Gamma(\alpha_0 + N)}{\Gamma(\alpha_0)}.

An entry without a pseudo-count is impossible, and has no part in its row.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hiql.kernels.log_tables import NEXT_TO_NOTHING

compiled = njit(nogil=True, cache=True, error_model="numpy")
LOWEST = -138.0
"""Expected logarithms below this are taken for this: ψ(0.001) is −1000, and its exponential would be 0. It lies above
the logarithm of ``kernels.smoother.FLOOR``, so that what is possible is not taken for impossible. Any table that the
smoother reads gives a bound; this gives one that is as good as the best but for e⁻¹³⁸."""


@compiled
def digamma(x):  # type: ignore[no-untyped-def]
    """ψ(x) of a positive number: below 8 by a recurrence of eight steps at once, then by the asymptotic series."""
    shift = 0.0
    if x < 8.0:
        y = x * x + 7.0 * x  # x (x + 7); the other pairs, (x + i)(x + 7 − i), lie 6, 10 and 12 above
        a, b, c = y + 6.0, y + 10.0, y + 12.0
        shift = (2.0 * x + 7.0) * ((y + a) * b * c + y * a * (b + c)) / (y * a * b * c)
        x += 8.0
    r = 1.0 / x
    q = r * r
    return math.log(x) - 0.5 * r - q * (1 / 12 - q * (1 / 120 - q * (1 / 252 - q * (1 / 240 - q / 132)))) - shift


@compiled
def expected_logs(raised):  # type: ignore[no-untyped-def]
    """(R, A) E log θ for rows of counts plus pseudo-counts; −inf where there are neither, log 1/A in an empty row."""
    result = np.empty_like(raised)
    n_rows, n_columns = raised.shape
    for row in range(n_rows):
        total = 0.0
        for column in range(n_columns):
            total += raised[row, column]
        if not total > NEXT_TO_NOTHING:
            result[row, :] = -math.log(n_columns)
            continue
        whole = digamma(total)
        for column in range(n_columns):
            x = raised[row, column]
            result[row, column] = max(digamma(x) - whole, LOWEST) if x > NEXT_TO_NOTHING else -np.inf
    return result


@compiled
def log_rise(x, n):  # type: ignore[no-untyped-def]
    """log Γ(x + n) / Γ(x): 0 where n is 0, −inf where n is not and x is."""
    if not n > 0.0:
        return 0.0
    return math.lgamma(x + n) - math.lgamma(x) if x > 0.0 else -np.inf


@compiled
def log_evidence(counts, pseudo_counts):  # type: ignore[no-untyped-def]
    """Σ over rows (R, A) of log B(α + n) / B(α)."""
    result = 0.0
    for row in range(counts.shape[0]):
        total = believed = 0.0
        for column in range(counts.shape[1]):
            result += log_rise(pseudo_counts[row, column], counts[row, column])
            total += counts[row, column]
            believed += pseudo_counts[row, column]
        result -= log_rise(believed, total)
    return result


@compiled
def log_evidence_of_policies(counts, pseudo_counts, n_actions):  # type: ignore[no-untyped-def]
    """The same for rows that lie in columns: (S·A, K), each ``n_actions`` in succession."""
    result = 0.0
    for first in range(0, counts.shape[0], n_actions):
        for k in range(counts.shape[1]):
            total = believed = 0.0
            for pair in range(first, first + n_actions):
                result += log_rise(pseudo_counts[pair, k], counts[pair, k])
                total += counts[pair, k]
                believed += pseudo_counts[pair, k]
            result -= log_rise(believed, total)
    return result


@compiled
def expected_shares(counts, pseudo_counts, result):  # type: ignore[no-untyped-def]
    """``result`` (R, K): exp E log θ of each row; equal shares where the row is empty."""
    for row in range(counts.shape[0]):
        total = 0.0
        for k in range(counts.shape[1]):
            total += counts[row, k] + pseudo_counts[row, k]
        whole = digamma(total) if total > NEXT_TO_NOTHING else 0.0
        for k in range(counts.shape[1]):
            x = counts[row, k] + pseudo_counts[row, k]
            share = math.exp(max(digamma(x) - whole, LOWEST)) if x > NEXT_TO_NOTHING else 0.0
            result[row, k] = share if total > NEXT_TO_NOTHING else 1.0 / counts.shape[1]


@compiled
def expected_emission(counts, pseudo_counts, n_actions, result):  # type: ignore[no-untyped-def]
    """``result`` (S·A + 1, K): exp E log p(a|s) of each intention, each row divided by its maximum.

    Pairs that nobody has met are read by no step: they have ones.
    """
    n_intentions = counts.shape[1]
    whole = np.empty(n_intentions)
    for first in range(0, counts.shape[0], n_actions):
        for k in range(n_intentions):
            total = 0.0
            for pair in range(first, first + n_actions):
                total += counts[pair, k] + pseudo_counts[pair, k]
            whole[k] = digamma(total) if total > NEXT_TO_NOTHING else 0.0
        for pair in range(first, first + n_actions):
            met, top = 0.0, -np.inf
            for k in range(n_intentions):
                met += counts[pair, k]
            for k in range(n_intentions):
                result[pair, k] = 0.0
                if met > 0.0:
                    x = counts[pair, k] + pseudo_counts[pair, k]
                    result[pair, k] = max(digamma(x) - whole[k], LOWEST) if x > NEXT_TO_NOTHING else -np.inf
                top = max(top, result[pair, k])
            for k in range(n_intentions):
                result[pair, k] = math.exp(result[pair, k] - top) if top > -np.inf else 1.0
