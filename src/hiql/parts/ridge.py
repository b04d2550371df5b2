r"""How strongly weights are held to 0, learned from the weights themselves (type-II maximum likelihood).

The weights of input d, in all regressions, are Normal(0, 1/λ_d). At the mode, with minus the Hessian H + Λ there, the
evidence is stationary where (MacKay 1992)

.. math:: \lambda_d = \gamma_d / \sum w_d^2, \qquad \gamma_d = \sum (1 - \lambda_d [(H + \Lambda)^{-1}]_{dd}):

of the weights of input d the data tell γ_d. The evidence is Laplace's approximation, and H counts the steps as if it
were known which intention each belongs to.
"""

from __future__ import annotations

import numpy as np

from hiql.parts.part import FloatArray
from hiql.parts.regression import free, hessian

LEAST, MOST = 1e-3, 1e6
"""Learned precisions stay between these: weights of separable data stay finite, and no input is ruled out for good."""
SETTLED = 0.02
"""A precision that changes by less than this, relatively, has been learned."""
PINNED = 100.0
"""A precision of so many times the curvature holds its weights at 0: more of it would change nothing."""


def learned_precision(away: FloatArray, curvature: FloatArray, precision: FloatArray) -> FloatArray:
    """(F,) the precisions λ that regressions (…, A, F) teach, given how far their weights are ``away`` from the mean.

    ``curvature`` (…, A(A − 1)/2, T) is that of :class:`~hiql.parts.regression.Moments`, ``precision`` (F,) the present
    λ, which is also the answer for inputs whose λ stands still.
    """
    n_outcomes, n_features = away.shape[-2:]
    held = np.tile(precision, n_outcomes - 1)
    bent = hessian(curvature, n_outcomes)
    unsure = np.einsum("...ii->...i", inverted(bent + np.diag(held)))
    told = np.clip(1.0 - held * unsure, 0.0, 1.0).reshape(-1, n_features).sum(axis=0)
    squares = np.square(free(away)).reshape(-1, n_features).sum(axis=0)
    new = np.clip(told / np.maximum(squares, 1e-300), LEAST, MOST)
    most = PINNED * np.einsum("...ii->...i", bent).reshape(-1, n_features).mean(axis=0)
    settled = np.isclose(new, precision, rtol=SETTLED, atol=0.0) | (np.minimum(new, precision) > most)
    return np.where(settled, precision, new)


def inverted(matrices: FloatArray) -> FloatArray:
    """(…, n, n) the inverses of positive semi-definite matrices, however near to singular."""
    scale = np.sqrt(np.maximum(np.einsum("...ii->...i", matrices), 1e-300))
    across = scale[..., :, None] * scale[..., None, :]
    return np.asarray(np.linalg.inv(matrices / across + 1e-12 * np.eye(matrices.shape[-1])) / across)
