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
    forth = _Proposal.at(x, here, tau)
    y = forth.drawn(rng.standard_normal(x.shape))
    there = surveyed(y)
    back = _Proposal.at(y, there, tau)
    gain = there.log_density - here.log_density + back.log_density(x) - forth.log_density(y)
    taken = np.log(rng.random(len(x))) < gain
    return np.where(taken[:, None], y, x)


class _Proposal(NamedTuple):
    """Normal(centre, width² H⁻¹), with H = D L Lᵀ D: D are the square roots of its diagonal, so that no unit counts."""

    centre: FloatArray
    width: float
    scale: FloatArray
    root: FloatArray

    @classmethod
    def at(cls, x: FloatArray, terrain: Terrain, tau: float) -> _Proposal:
        scale = np.sqrt(np.maximum(np.einsum("kii->ki", terrain.hessian), 1e-12))
        even = terrain.hessian / (scale[:, :, None] * scale[:, None, :])
        root = np.linalg.cholesky(even + 1e-9 * np.eye(x.shape[1]))
        half = np.linalg.solve(root, (terrain.slopes / scale)[..., None])
        newton = np.linalg.solve(root.swapaxes(1, 2), half)[..., 0] / scale
        return cls(x + tau * newton, float(np.sqrt(tau * (2.0 - tau))), scale, root)

    def drawn(self, noise: FloatArray) -> FloatArray:
        """A point from standard noise (K, n)."""
        shaped = np.linalg.solve(self.root.swapaxes(1, 2), noise[..., None])[..., 0]
        return np.asarray(self.centre + self.width * shaped / self.scale)

    def log_density(self, y: FloatArray) -> FloatArray:
        """(K,) up to a constant."""
        away = ((y - self.centre) * self.scale)[:, None, :] @ self.root
        log_det = np.log(np.einsum("kii->ki", self.root) * self.scale).sum(axis=1)
        return np.asarray(log_det - 0.5 * np.square(away[:, 0] / self.width).sum(axis=1))
