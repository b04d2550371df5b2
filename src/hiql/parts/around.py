r"""Regressions around a common one: a step of Newton's for all of them and what they have in common, at once.

The weights of group g (an animal, a state) are W_g ~ Normal(M, diag(λ)⁻¹), and M ~ Normal(0, diag(λ₀)⁻¹). Steps of a
group that nobody knows read M itself. With H_g and s_g, minus the Hessian and the slopes of group g, D_g = H_g + Λ, and
H_0 and s_0 those of the steps that read M, the step is

.. math:: \left(H_0 + \Lambda_0 + \sum_g \Lambda D_g^{-1} H_g\right) dM = \nabla_M + \sum_g \Lambda D_g^{-1} \nabla_g ,
          \qquad dW_g = D_g^{-1} (\nabla_g + \Lambda\, dM),

with ∇_g = s_g − Λ(W_g − M) and ∇_M = s_0 − Λ₀M + Λ Σ(W_g − M). Going to and fro between W and M would take a thousand
passes where λ is large. The sum in brackets is what the data tell of M.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hiql.parts.part import FloatArray
from hiql.parts.regression import Moments, free, hessian, limits, safe_length, solved, symmetric


class Around(NamedTuple):
    """``own`` (G, K, A, F) weights around ``common`` (K, A, F) ones, held with ``precision`` (F,), and these to 0 with
    ``common_precision`` (F,); or left where they are, where they ``stay`` (1; else 0)."""

    own: FloatArray
    common: FloatArray
    precision: FloatArray
    common_precision: FloatArray
    stay: float = 0.0

    @property
    def all(self) -> FloatArray:
        """(G + 1, K, A, F) the weights that steps read, the common ones last."""
        return np.concatenate([self.own, self.common[None]])

    @property
    def away(self) -> FloatArray:
        return np.asarray(self.own - self.common)

    @property
    def log_prior(self) -> float:
        """Up to a constant."""
        own, common = self.precision * self.away**2, self.common_precision * self.common**2
        return -0.5 * float(own.sum() + common.sum())

    def slopes(self, found: Moments) -> FloatArray:
        """(G + 1, K, n) the slopes of log-likelihood and log-prior, those of the common weights last."""
        pull = self.precision * self.away
        own, common = (
            found.slopes[:-1] - pull,
            found.slopes[-1] - self.common_precision * self.common + pull.sum(axis=0),
        )
        return free(np.concatenate([own, (1.0 - self.stay) * common[None]]))

    def told(self, found: Moments) -> FloatArray:
        """(K, n, n) minus the Hessian of the log-likelihood of the common weights, the others going with them."""
        bent = hessian(found.curvature, self.own.shape[2])
        return self._told(bent, solved_columns(bent[:-1], self._held, bent[:-1]))

    @property
    def _held(self) -> FloatArray:
        return np.tile(self.precision, self.own.shape[2] - 1)

    def _told(self, bent: FloatArray, shrunk: FloatArray) -> FloatArray:
        """From H (G + 1, K, n, n) and D⁻¹H (G, K, n, n)."""
        return np.asarray(bent[-1] + (self._held[:, None] * shrunk).sum(axis=0))

    def better(self, found: Moments) -> Around:
        """The M-step: weights that explain the steps better than these, or as well; never worse."""
        n_outcomes = self.own.shape[2]
        held, common_held = self._held, np.tile(self.common_precision, n_outcomes - 1)
        bent, slopes = hessian(found.curvature, n_outcomes), self.slopes(found)
        both = np.concatenate([bent[:-1], slopes[:-1, ..., None]], axis=-1)
        shrunk, pulled = np.split(solved_columns(bent[:-1], held, both), [-1], axis=-1)
        right = slopes[-1] + (held * pulled[..., 0]).sum(axis=0)
        common = (1.0 - self.stay) * solved(self._told(bent, shrunk) + np.diag(common_held), right)
        own = pulled[..., 0] + common - (shrunk @ common[..., None])[..., 0]  # Λ = D − H
        change = np.concatenate([own, common[None]])
        moved = symmetric(change, n_outcomes)
        bound, c = limits(moved, found)
        prior = (held * (own - common) ** 2).sum(axis=(0, 2)) + (common_held * common**2).sum(axis=1)
        length = safe_length((slopes * change).sum(axis=(0, 2)), bound.sum(axis=0) + prior, c.max(axis=0))
        moved = moved * length[:, None, None]
        return self._replace(own=self.own + moved[:-1], common=self.common + moved[-1])


def solved_columns(bent: FloatArray, held: FloatArray, right: FloatArray) -> FloatArray:
    """(…, n, m) (H + Λ)⁻¹ right, for H (…, n, n) and Λ = diag(held); however near to singular."""
    matrices = bent + np.diag(held)
    scale = np.sqrt(np.maximum(np.einsum("...ii->...i", matrices), 1e-300))
    even = matrices / scale[..., :, None] / scale[..., None, :] + 1e-12 * np.eye(len(held))
    return np.asarray(np.linalg.solve(even, right / scale[..., None]) / scale[..., None])
