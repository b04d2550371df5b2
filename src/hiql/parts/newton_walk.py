r"""A step of a Markov chain through the weights of regressions: Newton's step, and noise of the curvature's own shape.

With the slopes g and minus the Hessian H of the log-density at x, a point is proposed from

.. math:: y \sim \mathrm{Normal}\big(x + \tau H^{-1} g,\; \tau(2 - \tau) H^{-1}\big)

and taken with the probability of Metropolis and Hastings, which makes the answer exact whatever the density. Where that
is Normal every proposal is taken: with τ = 1 it does not depend on x, as in Laplace's approximation; with a smaller τ
it stays nearer, for densities that are less like one. Which τ is drawn for each step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hiql.parts.part import FloatArray

LENGTHS = 1.0, 0.3
OFTEN = 0.75
"""How often the first of the lengths is drawn."""


class Terrain(NamedTuple):
    """Of K densities at x (K, n), each of its own row: logarithms (K,), slopes (K, n), minus Hessians (K, n, n)."""

    log_density: FloatArray
    slopes: FloatArray
    hessian: FloatArray


Surveyed = Callable[[FloatArray], Terrain]


def newton_walk(x: FloatArray, surveyed: Surveyed, rng: np.random.Generator) -> FloatArray:
    """(K, n) one step from x, each of the K densities on its own; where it is refused, x itself."""
    tau = LENGTHS[0] if rng.random() < OFTEN else LENGTHS[1]
    here = surveyed(x)
    y = _centre(x, here, tau) + np.sqrt(tau * (2.0 - tau)) * _shaped(here.hessian, rng.standard_normal(x.shape))
    there = surveyed(y)
    gain = there.log_density - here.log_density + _log_odds(x, y, there, tau) - _log_odds(y, x, here, tau)
    taken = np.log(rng.random(len(x))) < gain
    return np.where(taken[:, None], y, x)


def _even(hessian: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Square roots of the diagonals (K, n), and Cholesky factors L of H divided by them: H = D L Lᵀ D."""
    scale = np.sqrt(np.maximum(np.einsum("kii->ki", hessian), 1e-12))
    across = scale[:, :, None] * scale[:, None, :]
    return scale, np.linalg.cholesky(hessian / across + 1e-9 * np.eye(hessian.shape[-1]))


def _centre(x: FloatArray, at: Terrain, tau: float) -> FloatArray:
    scale, root = _even(at.hessian)
    half = np.linalg.solve(root, (at.slopes / scale)[..., None])
    return np.asarray(x + tau * np.linalg.solve(root.swapaxes(1, 2), half)[..., 0] / scale)


def _shaped(hessian: FloatArray, noise: FloatArray) -> FloatArray:
    """Noise (K, n) with covariance H⁻¹, from that with covariance I."""
    scale, root = _even(hessian)
    return np.asarray(np.linalg.solve(root.swapaxes(1, 2), noise[..., None])[..., 0] / scale)


def _log_odds(y: FloatArray, x: FloatArray, at: Terrain, tau: float) -> FloatArray:
    """(K,) the logarithm of the density of proposing y from x, up to a constant."""
    scale, root = _even(at.hessian)
    away = (y - _centre(x, at, tau)) * scale
    squares = np.square(np.einsum("kij,ki->kj", root, away)).sum(axis=1)
    log_det = np.log(np.einsum("kii->ki", root)).sum(axis=1) + np.log(scale).sum(axis=1)
    return np.asarray(log_det - 0.5 * squares / (tau * (2.0 - tau)))
