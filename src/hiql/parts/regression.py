r"""Multinomial regression: what EM has to know of the data, and a step of Newton's that cannot overshoot.

.. math:: p(a \mid u) = \mathrm{softmax}_a(W_a \cdot u), \qquad \sum_a W_a = 0, \qquad
          W_a \sim \mathrm{Normal}(M_a, \mathrm{diag}(\lambda)^{-1})

Weights have the shape (G, K, A, F): a regression for each intention k in each group g (an animal, a state; often there
is one). u has F = D + 1 entries: D standardised inputs, and last a 1 for the bias. Weights sum to 0 over the A
outcomes: no outcome is special.

**What adds up** (:class:`Moments`). One pass over a chunk, at the present weights, each step t counted n_t times, gives
the slopes Σ n (1[a] − p_a) u, the spread X = Σ n u uᵀ, and the curvature in pairs of outcomes,
M_ab = Σ n p_a p_b u uᵀ: minus the Hessian is H = Σ_{a<b} (e_a − e_b)(e_a − e_b)ᵀ ⊗ M_ab. All are sums over steps, so
chunks, threads and machines add them up, and no array is as long as the data.

**One step** (:func:`damped`). EM goes on from a better point as well as from the best (generalised EM): the M-step is
one step of Newton's, W + t·V with V = (H + Λ)⁻¹(slopes − Λ(W − M)). The whole step, t = 1, may overshoot. Let s be the
slope of the objective along V. Two lengths are certain not to:

- Böhning (1992): H ≼ ½(I − 11ᵀ/A) ⊗ X at any weights, so t = s / (Vᵀ(½(I − 11ᵀ/A) ⊗ X + Λ)V) maximises a lower bound;
- Bach (2010): no logit difference changes by more than c along V, so third derivatives are at most c times the second,
  and t = log(1 + c)/c maximises another one. It tends to 1: at the end steps are Newton's own.

The longer of the two is taken. ``benchmarks/regression.py`` counts the passes.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import helmert

from hiql.kernels import regression as kernel
from hiql.parts.part import FloatArray

POWER = 5
"""The largest input is bounded by the 32nd root of Σ u³²: at most 1.8 times too long for 10⁸ steps, and it adds up."""


class Moments(NamedTuple):
    """What regressions with weights (G, K, A, F) learn from some steps. Sums over steps: add them up field by field.

    ``weight`` (G, K) is Σ n; ``slopes`` (G, K, A, F); ``spread`` (G, K, T) and ``curvature`` (G, K, A(A − 1)/2, T) are
    lower triangles; ``reach`` (G, F) bounds the largest inputs (:func:`largest`).
    """

    weight: FloatArray
    slopes: FloatArray
    spread: FloatArray
    curvature: FloatArray
    reach: FloatArray

    @classmethod
    def nothing(cls, shape: tuple[int, int, int, int]) -> Moments:
        """Those of no steps, for weights of this shape."""
        g, k, a, f = shape
        triangle = f * (f + 1) // 2
        shapes = (g, k), shape, (g, k, triangle), (g, k, a * (a - 1) // 2, triangle), (g, f)
        return cls(*(np.zeros(each) for each in shapes))

    def packed(self) -> FloatArray:
        """(n,) all in one array, which adds up like its parts."""
        return np.concatenate([part.ravel() for part in self])

    @classmethod
    def unpacked(cls, flat: FloatArray, shape: tuple[int, int, int, int]) -> Moments:
        """Back from ``packed``, for weights of this shape."""
        like = cls.nothing(shape)
        ends = np.cumsum([part.size for part in like])[:-1]
        parts = zip(np.split(flat, ends), like, strict=True)
        return cls(*(part.reshape(other.shape) for part, other in parts))


def by_intention(found: Moments) -> FloatArray:
    """(K, n) a row for each intention; they add up as the moments do."""
    own = [np.swapaxes(part, 0, 1).reshape(part.shape[1], -1) for part in found[:4]]
    return np.column_stack([*own, np.tile(found.reach.ravel(), (len(own[0]), 1))])


def of_intentions(rows: FloatArray, shape: tuple[int, int, int, int]) -> Moments:
    """Back from :func:`by_intention`, for weights of this shape."""
    like = Moments.nothing(shape)
    *own, reach = np.split(rows, np.cumsum([part.size // shape[1] for part in like[:4]]), axis=1)
    turned = [np.swapaxes(part, 0, 1) for part in like[:4]]
    parts = [np.swapaxes(part.reshape(other.shape), 0, 1) for part, other in zip(own, turned, strict=True)]
    weight, slopes, spread, curvature = parts
    return Moments(weight, slopes, spread, curvature, reach[0].reshape(like.reach.shape))


def moments(
    inputs: FloatArray, groups: npt.NDArray[np.uint32], counts: FloatArray, weights: FloatArray, targets: FloatArray
) -> Moments:
    """The moments of some steps with inputs (n, F), the last of them 1, at weights (G, K, A, F).

    ``counts`` (n, K) says how often each step counts, ``groups`` (n,) which group it reads. ``targets`` (G, K, A, F) is
    Σ_t n_tka u_t, where outcome a was seen n_tka times (:func:`of_actions` for one action a step; expected counts of
    moves for a clock), with Σ_a n_tka = counts[t, k].
    """
    found, expected = Moments.nothing(weights.shape), np.zeros(weights.shape)
    counts = np.ascontiguousarray(counts)
    kernel.bend(inputs, groups, counts, weights, expected, found.spread, found.curvature)
    kernel.reach(inputs, groups, POWER, found.reach)
    weight = np.stack([np.bincount(groups, each, len(weights)).astype(np.float64) for each in counts.T], axis=1)
    return found._replace(weight=weight, slopes=targets - expected)


def of_actions(
    inputs: FloatArray,
    groups: npt.NDArray[np.uint32],
    actions: npt.NDArray[np.int32],
    counts: FloatArray,
    shape: tuple[int, int, int, int],
) -> FloatArray:
    """The ``targets`` of :func:`moments` where step t had one outcome, ``actions[t]``; −1 where none was observed."""
    observed = np.zeros(shape)
    kernel.tally(inputs, groups, actions, np.ascontiguousarray(counts), observed)
    return observed


# --- the sum-to-zero space ------------------------------------------------------------------------------------------


@cache
def contrasts(n_outcomes: int) -> FloatArray:
    """(A − 1, A) orthonormal rows that sum to 0: W = contrastsᵀ θ sums to 0 over outcomes, and ‖W‖ = ‖θ‖."""
    return np.asarray(helmert(n_outcomes))


def free(weights: FloatArray) -> FloatArray:
    """(…, (A − 1)·F) the coordinates θ of weights, or slopes, (…, A, F)."""
    rows = contrasts(weights.shape[-2]) @ weights
    return rows.reshape(*rows.shape[:-2], -1)


def symmetric(theta: FloatArray, n_outcomes: int) -> FloatArray:
    """(…, A, F) the weights of coordinates θ; they sum to 0 over outcomes."""
    rows = theta.reshape(*theta.shape[:-1], n_outcomes - 1, -1)
    return np.asarray(contrasts(n_outcomes).T @ rows)


def hessian(curvature: FloatArray, n_outcomes: int) -> FloatArray:
    """(…, n, n) minus the Hessian in coordinates θ, n = (A − 1)·F, from Σ n p_a p_b u uᵀ (…, pairs, T).

    Of weights themselves it is a Laplacian: −M_ab off the diagonal of blocks, and on it what makes their rows sum to 0.
    """
    c, (first, second) = contrasts(n_outcomes), np.triu_indices(n_outcomes, 1)
    blocks = np.moveaxis(square(curvature), -3, -1)  # (…, F, F, pairs)
    n_features, diagonal = blocks.shape[-2], np.arange(n_outcomes)
    bent = np.zeros((*blocks.shape[:-1], n_outcomes, n_outcomes))
    bent[..., first, second] = bent[..., second, first] = -blocks
    bent[..., diagonal, diagonal] = -bent.sum(axis=-1)
    rows = np.moveaxis(c @ bent @ c.T, (-4, -3, -2, -1), (-3, -1, -4, -2))  # (…, A − 1, F, A − 1, F)
    size = (n_outcomes - 1) * n_features
    return np.asarray(rows.reshape(*curvature.shape[:-2], size, size))


def square(triangles: FloatArray) -> FloatArray:
    """(…, F, F) symmetric matrices from their lower triangles (…, T)."""
    n = int(np.sqrt(2 * triangles.shape[-1]))
    rows, columns = np.tril_indices(n)
    full = np.empty((*triangles.shape[:-1], n, n))
    full[..., rows, columns] = triangles
    full[..., columns, rows] = triangles
    return full


# --- the step ---------------------------------------------------------------------------------------------------------


def largest(reach: FloatArray) -> FloatArray:
    """No input is larger than this: the 32nd root of a sum of 32nd powers."""
    return np.asarray(reach ** (1.0 / 2**POWER))


def limits(change: FloatArray, found: Moments) -> tuple[FloatArray, FloatArray]:
    """(G, K) twice: VᵀBV with Böhning's bound B, and c, by how much a difference of logits may change along V.

    ``change`` (G, K, A, F) is the V of each regression.
    """
    bound = 0.5 * np.einsum("gkaf,gkfe,gkae->gk", change, square(found.spread), change, optimize=True)
    span = change.max(axis=2) - change.min(axis=2)
    return np.asarray(bound), np.einsum("gkf,gf->gk", span, largest(found.reach))


def safe_length(slope: FloatArray, bound: FloatArray, c: FloatArray) -> FloatArray:
    """How far to go along a step of Newton's so as not to overshoot: 0 ≤ t ≤ 1.

    ``slope`` is that of the objective along it, ``bound`` Böhning's and the prior's curvature, VᵀBV + VᵀΛV. For several
    regressions that move together, all of these are sums, but c the largest.
    """
    by_curvature = np.divide(slope, bound, out=np.zeros_like(slope), where=bound > 0)
    by_change = np.divide(np.log1p(c), c, out=np.ones_like(c), where=c > 0)
    return np.where(slope > 0, np.minimum(np.maximum(by_curvature, by_change), 1.0), 0.0)


def damped(weights: FloatArray, found: Moments, precision: FloatArray, around: FloatArray | float = 0.0) -> FloatArray:
    """The M-step: weights (G, K, A, F) that explain the steps better than these, or as well; never worse.

    ``precision`` is Λ, of a shape that broadcasts to (G, K, F), and ``around`` the mean M of the prior, to that of the
    weights. Each regression is free of the others. A regression without evidence goes to its mean.
    """
    n_outcomes = weights.shape[2]
    held = np.broadcast_to(precision, (*weights.shape[:2], weights.shape[3]))
    ridge = np.tile(held, n_outcomes - 1)
    slopes = free(found.slopes - held[:, :, None, :] * (weights - around))
    change = solved(hessian(found.curvature, n_outcomes) + ridge[..., None] * np.eye(ridge.shape[-1]), slopes)
    moved = symmetric(change, n_outcomes)
    bound, c = limits(moved, found)
    length = safe_length((slopes * change).sum(axis=-1), bound + (ridge * change**2).sum(axis=-1), c)
    return np.asarray(weights + length[..., None, None] * moved)


def solved(matrices: FloatArray, right: FloatArray) -> FloatArray:
    """x (…, n) of matrices (…, n, n) x = right, for positive semi-definite matrices, however near to singular."""
    scale = np.sqrt(np.maximum(np.einsum("...ii->...i", matrices), 1e-300))
    even = matrices / scale[..., :, None] / scale[..., None, :] + 1e-12 * np.eye(right.shape[-1])
    return np.asarray(np.linalg.solve(even, (right / scale)[..., None])[..., 0] / scale)


def log_ridge(weights: FloatArray, precision: FloatArray, around: FloatArray | float = 0.0) -> float:
    """−½ Σ λ (W − M)²: the log-prior, up to a constant."""
    return -0.5 * float((np.asarray(precision)[..., None, :] * (weights - around) ** 2).sum())
