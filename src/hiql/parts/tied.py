r"""Regressions that share weights: one step of Newton's for all of them.

Regression k reads u with weights W_k. Where some of these are the same number in several regressions, let θ be the
numbers that differ and W_kf = θ_{p(k, f)}, for each outcome. Slopes and Hessian of θ are sums of those of W,

.. math:: \nabla_\theta = \sum_k P_k^\top \nabla_{W_k}, \qquad H_\theta = \sum_k P_k^\top H_k P_k ,

and a step along θ moves all regressions together: both bounds of :mod:`hiql.parts.regression` add up, and no logit of
any of them changes by more than the largest c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hiql.parts.part import FloatArray
from hiql.parts.regression import Moments, contrasts, hessian, limits, safe_length, solved


@dataclass(frozen=True, eq=False)
class Tie:
    """``places`` (K, F): which number of θ is the weight of feature f in regression k."""

    places: npt.NDArray[np.intp]

    @property
    def size(self) -> int:
        return int(self.places.max()) + 1

    @property
    def features(self) -> npt.NDArray[np.intp]:
        """(size,) the feature that each number of θ weighs."""
        found = np.empty(self.size, dtype=np.intp)
        found[self.places] = np.arange(self.places.shape[1])
        return found

    def numbers(self, weights: FloatArray) -> FloatArray:
        """(J − 1, size) θ of weights (K, J, F) that keep the tie; the last regression's where they do not."""
        rows = contrasts(weights.shape[1]) @ weights
        theta = np.empty((rows.shape[1], self.size))
        theta[:, self.places] = rows.transpose(1, 0, 2)
        return theta

    def weights(self, theta: FloatArray) -> FloatArray:
        """(K, J, F) back from θ (J − 1, size)."""
        return np.asarray(contrasts(len(theta) + 1).T @ theta[:, self.places].transpose(1, 0, 2))

    def sums(self, slopes: FloatArray) -> FloatArray:
        """(J − 1, size) the slopes of θ, from those of weights (K, J, F)."""
        return np.asarray(np.einsum("kcf,kfp->cp", contrasts(slopes.shape[1]) @ slopes, self._where))

    def hessian(self, curvature: FloatArray, n_outcomes: int) -> FloatArray:
        """(n, n), n = (J − 1)·size: minus the Hessian of θ, from ``curvature`` (K, pairs, T)."""
        k, n_features = self.places.shape
        bent = hessian(curvature, n_outcomes).reshape(k, n_outcomes - 1, n_features, n_outcomes - 1, n_features)
        tied = np.einsum("kcfde,kfp,keq->cpdq", bent, self._where, self._where, optimize=True)
        n = (n_outcomes - 1) * self.size
        return np.asarray(tied.reshape(n, n))

    def apart(self, covariance: FloatArray, n_outcomes: int) -> FloatArray:
        """(K, n, n), n = (J − 1)·F: the covariances of each regression's coordinates, from that of θ."""
        own = (np.arange(n_outcomes - 1)[:, None] * self.size + self.places[:, None, :]).reshape(len(self.places), -1)
        return np.asarray(covariance[own[:, :, None], own[:, None, :]])

    @property
    def _where(self) -> FloatArray:
        """(K, F, size) 1 where the weight of feature f in regression k is this number."""
        return np.eye(self.size)[self.places]


def damped_together(weights: FloatArray, found: Moments, precision: FloatArray, tie: Tie) -> FloatArray:
    """The M-step of weights (K, J, F) that share numbers: better than these, or as good; never worse.

    ``found`` are the moments of one group, ``precision`` (size,) Λ of each number of θ, around 0.
    """
    n_outcomes = weights.shape[1]
    if n_outcomes == 1:
        return weights
    theta = tie.numbers(weights)
    held = np.tile(precision, n_outcomes - 1)
    slopes = (tie.sums(found.slopes[0]) - precision * theta).ravel()
    change = solved(tie.hessian(found.curvature[0], n_outcomes) + np.diag(held), slopes)
    moved = tie.weights(change.reshape(theta.shape))
    bound, c = limits(moved[None], found)
    slope, curvature = np.sum(slopes * change), bound.sum() + np.sum(held * change**2)
    length = safe_length(np.asarray(slope), np.asarray(curvature), np.asarray(c.max()))
    return np.asarray(tie.weights(theta + length * change.reshape(theta.shape)))
