r"""How strongly weights are held to 0, learned from the weights themselves (type-II maximum likelihood).

The weights of input d, in all regressions, are Normal(0, 1/λ_d). At the mode, with minus the Hessian H + Λ there, the
evidence is stationary where (MacKay 1992)

.. math:: \lambda_d = \gamma_d / \sum w_d^2, \qquad \gamma_d = \sum (1 - \lambda_d [(H + \Lambda)^{-1}]_{dd}):

of the weights of input d the data tell γ_d. The evidence is Laplace's approximation, and H counts the steps as if it
were known which intention each belongs to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.errors import InvalidParameter
from hiql.parts.part import FloatArray
from hiql.parts.regression import free, hessian

LEARNED = "learned"
BEFORE_LEARNING = 1.0
"""The precision of the weights of standardised inputs until it is learned."""
LEAST, MOST = 1e-3, 1e6
"""Learned precisions stay between these: weights of separable data stay finite, and no input is ruled out for good."""
SETTLED = 0.02
"""A precision that changes by less than this, relatively, has been learned."""
PINNED = 100.0
"""A precision of so many times the curvature holds its weights at 0: more of it would change nothing."""


def check_ridge(ridge: Any, bias_ridge: Any, n_inputs: int) -> None:
    """Raise a named error unless these are ``"learned"``, or precisions of the weights; and one of the bias."""
    learned = isinstance(ridge, str)
    given = np.asarray(1.0 if learned else ridge, dtype=np.float64)
    good = ridge == LEARNED if learned else given.shape in ((), (n_inputs,))
    if not good or not (np.isfinite(given).all() and (given > 0).all()):
        remedy = f'choose "{LEARNED}", a number > 0, or {n_inputs} of them'
        raise InvalidParameter(parameter="ridge", value=ridge, remedy=remedy)
    if not (np.isfinite(bias_ridge) and bias_ridge >= 0):
        raise InvalidParameter(parameter="bias_ridge", value=bias_ridge, remedy="choose a number ≥ 0")


def given_precision(ridge: Any, bias_ridge: float, n_features: int) -> FloatArray:
    """(F,) the precisions before anything is learned."""
    inputs = np.broadcast_to(BEFORE_LEARNING if isinstance(ridge, str) else ridge, n_features - 1)
    return np.r_[inputs, bias_ridge].astype(np.float64)


def learned_precision(away: FloatArray, curvature: FloatArray, precision: FloatArray) -> FloatArray:
    """(F,) the precisions λ that regressions (…, A, F) teach, given how far their weights are ``away`` from the mean.

    ``curvature`` (…, A(A − 1)/2, T) is that of :class:`~hiql.parts.regression.Moments`, ``precision`` (F,) the present
    λ, which is also the answer for inputs whose λ stands still.
    """
    n_outcomes, n_features = away.shape[-2:]
    of_what = np.tile(np.arange(n_features), n_outcomes - 1)
    return taught(free(away), hessian(curvature, n_outcomes), of_what, precision)


def taught(away: FloatArray, bent: FloatArray, of_what: npt.NDArray[np.intp], precision: FloatArray) -> FloatArray:
    """(F,) the same from free coordinates (…, n), minus their Hessian (…, n, n), and which λ holds each (n,)."""
    held = precision[of_what]
    unsure = np.einsum("...ii->...i", inverted(bent + np.diag(held)))
    told, squares, curvature = (
        np.bincount(of_what, each.reshape(-1, len(of_what)).sum(axis=0), minlength=len(precision))
        for each in (np.clip(1.0 - held * unsure, 0.0, 1.0), np.square(away), np.einsum("...ii->...i", bent))
    )
    each = np.bincount(of_what, minlength=len(precision)) * (away.size // len(of_what))
    new = np.clip(told / np.maximum(squares, 1e-300), LEAST, MOST)
    most = PINNED * curvature / np.maximum(each, 1)
    settled = np.isclose(new, precision, rtol=SETTLED, atol=0.0) | (np.minimum(new, precision) > most)
    return np.where(settled, precision, new)


def inverted(matrices: FloatArray) -> FloatArray:
    """(…, n, n) the inverses of positive semi-definite matrices, however near to singular."""
    scale = np.sqrt(np.maximum(np.einsum("...ii->...i", matrices), 1e-300))
    across = scale[..., :, None] * scale[..., None, :]
    return np.asarray(np.linalg.inv(matrices / across + 1e-12 * np.eye(matrices.shape[-1])) / across)
