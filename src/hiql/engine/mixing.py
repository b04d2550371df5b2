r"""Have the chains met, and what are their draws worth? Split R̂ and effective sample sizes (Vehtari et al. 2021).

Every chain is cut in half, and draws are replaced by normal scores of their ranks, so that heavy tails do not matter.
With the variance B between the halves' means and W within them, n draws in each of m halves,

.. math:: \hat R = \sqrt{\Big(\tfrac{n-1}{n} W + B/n\Big)/W}, \qquad
          n_{\mathrm{eff}} = m n / \Big(1 + 2 \sum_{t \ge 1} \rho_t\Big),

with autocorrelations ρ_t summed as Geyer (1992) says: in pairs, while these are positive, never rising.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri
from scipy.stats import rankdata

from hiql.parts.part import FloatArray


class Mixing(NamedTuple):
    """Of n quantities: R̂, near 1 where chains agree, and how many independent draws theirs are worth."""

    r_hat: FloatArray
    worth: FloatArray


def mixing(draws: FloatArray, n_chains: int) -> Mixing:
    """Of draws (D, …), chain after chain. What never changes is known, R̂ = 1, and every draw is worth one."""
    flat = np.asarray(draws, dtype=np.float64).reshape(len(draws), -1)
    n = len(draws) // n_chains // 2
    by_chain = flat.reshape(n_chains, -1, flat.shape[1])
    halves = np.concatenate([by_chain[:, :n], by_chain[:, -n:]])  # (m, n, quantities)
    ranks = rankdata(halves.reshape(-1, flat.shape[1]), axis=0)
    scores = ndtri((ranks - 0.375) / (len(ranks) + 0.25)).reshape(halves.shape)
    still = np.ptp(scores, axis=(0, 1)) < 1e-12
    within = np.where(still, 1.0, scores.var(axis=1, ddof=1).mean(axis=0))
    within = np.maximum(within, 1e-12)
    between = np.where(still, 0.0, scores.mean(axis=1).var(axis=0, ddof=1))
    total = (n - 1) / n * within + between
    shape = draws.shape[1:]
    worth = np.where(still, len(draws), _worth(scores, within, np.where(still, 1.0, total)))
    r_hat = np.where(still, 1.0, np.sqrt(total / within))
    return Mixing(r_hat.reshape(shape), worth.reshape(shape))


def _worth(scores: FloatArray, within: FloatArray, total: FloatArray) -> FloatArray:
    """(quantities,) effective sample sizes of scores (m, n, quantities)."""
    m, n, _ = scores.shape
    away = scores - scores.mean(axis=1, keepdims=True)
    spectrum = rfft(away, next_fast_len(2 * n), axis=1)
    covariance = irfft(np.abs(spectrum) ** 2, next_fast_len(2 * n), axis=1)[:, :n].mean(axis=0) / n
    rho = 1.0 - (within - covariance * n / (n - 1)) / total
    pairs = rho[: n // 2 * 2].reshape(n // 2, 2, -1).sum(axis=1)
    falling = np.minimum.accumulate(pairs, axis=0)
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    tau = np.maximum(2.0 * np.where(positive, falling, 0.0).sum(axis=0) - 1.0, 1.0 / np.log10(m * n))
    return np.asarray(m * n / tau)
