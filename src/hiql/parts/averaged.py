r"""Regressions averaged over: a Normal posterior of the weights, a bound of the evidence, and a step that raises it.

.. math:: q(\theta) = \mathrm{Normal}(m, S), \qquad \mathbb{E}_q \log p(a \mid u) \ge \mu_a - B(u; m, S), \qquad
          \mu_a = m_a \cdot u,

with θ the coordinates of the weights (:func:`~hiql.parts.regression.free`) and B the tilted bound of the mean of the
logarithm (:mod:`hiql.kernels.regression`). With n_t the counts of steps, what is climbed is

.. math:: L(m, S) = \sum_t n_t (\mu_{t a_t} - B_t) - \mathrm{KL}[q \,\|\, \mathrm{Normal}(0, \Lambda^{-1})].

B has the slope p along μ and ½(diag p − p pᵀ) along the covariance of the logits, p being what its sums share. So L is
stationary where the slopes Σ n (1[a] − p) u − Λm vanish and S⁻¹ = H + Λ, with H the Hessian of the moments at p: the
same two sums as for a mode. B exceeds the mean by the third power of the logits' deviation, where quadratic bounds
(Böhning; Jaakkola & Jordan) lose by the second, which is up to a nat for each weight.

**One step** (:func:`better`) goes t of the way to m + (H + Λ)⁻¹ slopes and τ of the way from S⁻¹ to H + Λ. With q held
where it is, B is a log Σ exp of what changes, Δ; so B rises by no more than p · Δ + κ(c) Var_p Δ, where c is the range
of Δ and κ(c) = (eᶜ − 1 − c)/c², and falls by at least e⁻ᶜ of what narrower widths promise. All is bounded by the
moments, so of many t and τ the pair that surely gains most is taken, and L never falls. Near the optimum t = τ = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from hiql.parts.part import FloatArray
from hiql.parts.regression import contrasts, solved

LENGTHS = 0.5 ** np.arange(11.0)
"""Parts of the way to the next mean that are tried; and, with 0, to the next precision."""
LOWEST = 1e-9
"""Widths grow no further than this in one step, relatively."""
Limits = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


class Belief(NamedTuple):
    """Normal posteriors of K regressions: ``mean`` (K, n) and ``covariance`` (K, n, n)."""

    mean: FloatArray
    covariance: FloatArray

    @property
    def is_wide(self) -> bool:
        """Whether there is a covariance: a mode has none, (K, 0, 0)."""
        return self.covariance.shape[-1] == self.mean.shape[-1] > 0


def unsure(covariance: FloatArray, n_outcomes: int) -> FloatArray:
    """(…, A(A − 1)/2, T) what kernels read of covariances (…, n, n): triangles of those of w_a − w_b, for a < b."""
    c = contrasts(n_outcomes)
    apart = np.array([c[:, a] - c[:, b] for a, b in combinations(range(n_outcomes), 2)]).reshape(-1, len(c))
    n_features = covariance.shape[-1] // max(n_outcomes - 1, 1)
    blocks = covariance.reshape(*covariance.shape[:-2], len(c), n_features, len(c), n_features)
    pairs = np.einsum("pi,pj,...idje->...pde", apart, apart, blocks, optimize=True)
    rows, columns = np.tril_indices(n_features)
    return np.ascontiguousarray(
        (pairs + np.swapaxes(pairs, -1, -2))[..., rows, columns] * np.where(rows == columns, 0.5, 1.0)
    )


def divergence(belief: Belief, held: FloatArray) -> float:
    """KL of the posteriors from Normal(0, diag(``held``)⁻¹); infinite where nothing is left to be unsure of."""
    mean, covariance = belief
    if not belief.is_wide:
        return np.inf if mean.size else 0.0
    diagonal = np.einsum("...ii->...i", covariance)
    apart = held * (mean**2 + diagonal) - 1.0 - np.log(np.broadcast_to(held, mean.shape))
    return 0.5 * float(apart.sum() - np.linalg.slogdet(covariance)[1].sum())


def better(belief: Belief, slopes: FloatArray, bent: FloatArray, held: FloatArray, limits: Limits) -> Belief:
    """Posteriors that raise L, or leave it; never worse. ``held`` (K, n) is Λ, ``slopes`` (K, n) are those of L.

    ``bent`` (K, n, n) is H; ``limits(change)`` gives vᵀBv with Böhning's B and the largest change of a difference of
    logits, both (K,), along a change (K, n) of the mean.
    """
    mean, covariance = belief
    precision = with_prior(bent, held)
    change = solved(precision, slopes)
    if not belief.is_wide:
        return Belief(mean, inverse(precision))
    root = np.linalg.cholesky(covariance)
    precisions, axes = np.linalg.eigh(np.swapaxes(root, -1, -2) @ precision @ root)
    wanted = np.maximum(precisions, LOWEST)
    frame = root @ axes
    told = 0.5 * np.einsum("kai,kab,kbi->ki", frame, bent, frame)
    spans = np.stack([limits(axis)[1] for axis in np.moveaxis(frame, -1, 0)], axis=-1)
    t, tau = _surest(_Mean.along(change, slopes, bent, held, limits), _Width(wanted, told, np.square(spans)))
    width = 1.0 / (1.0 + tau[:, None] * (wanted - 1.0))
    return Belief(mean + t[:, None] * change, (frame * width[:, None, :]) @ np.swapaxes(frame, -1, -2))


def with_prior(bent: FloatArray, held: FloatArray) -> FloatArray:
    """(K, n, n) H + Λ."""
    return np.asarray(bent + held[..., None] * np.eye(held.shape[-1]))


class _Mean(NamedTuple):
    """Of all the way of the means, (K,) each: slope of L, vᵀΛv, vᵀHv, vᵀBv, the largest change of a difference."""

    slope: FloatArray
    ridge: FloatArray
    curved: FloatArray
    bound: FloatArray
    c: FloatArray

    @classmethod
    def along(cls, change: FloatArray, slopes: FloatArray, bent: FloatArray, held: FloatArray, limits: Limits) -> _Mean:
        curved = np.einsum("ki,kij,kj->k", change, bent, change)
        return cls((slopes * change).sum(axis=1), (held * change**2).sum(axis=1), curved, *limits(change))

    @property
    def lengths(self) -> FloatArray:
        """(K, T) those that are tried: 0 first, and last what Böhning's bound is sure of."""
        whole = self.bound + self.ridge
        sure = np.divide(self.slope, whole, out=np.zeros_like(whole), where=whole > 0)
        tried = np.broadcast_to(np.r_[0.0, LENGTHS], (len(whole), len(LENGTHS) + 1))
        return np.column_stack([tried, np.clip(sure, 0.0, 1.0)])


class _Width(NamedTuple):
    """In the frame where S is the identity, (K, n) each: the precisions wanted, half of what H has of them, and the
    largest squares of differences of logits along each axis."""

    wanted: FloatArray
    told: FloatArray
    squares: FloatArray

    def steps(self, tau: FloatArray) -> _Steps:
        away = 1.0 / (1.0 + tau[:, None] * (self.wanted[:, None, :] - 1.0)) - 1.0
        told, half = self.told[:, None, :] * away, 0.5 * away * self.squares[:, None, :]
        straight = 0.5 * (np.log1p(away) - self.wanted[:, None, :] * away)
        grown, shrunk = away > 0.0, away < 0.0
        parts = (told, grown), (-told, shrunk), (half, grown), (-half, shrunk)
        return _Steps(straight.sum(axis=-1), *(np.where(where, each, 0.0).sum(axis=-1) for each, where in parts))


class _Steps(NamedTuple):
    """For each τ that is tried, (K, U): the gain if B were straight, and of the axes that grow and of those that shrink
    what B is thought to lose or gain by them, and the largest change of half a variance."""

    straight: FloatArray
    loses: FloatArray
    gains: FloatArray
    grows: FloatArray
    shrinks: FloatArray


def _surest(mean: _Mean, width: _Width) -> tuple[FloatArray, FloatArray]:
    """(K,) t and τ of the largest gain that is sure, 0 where none is.

    What shrinks lowers B, and as no p falls by more than e^−c, by at least that part of what is thought.
    """
    t, tau = mean.lengths, np.r_[0.0, LENGTHS]
    steps = _Steps(*(each[:, None, :] for each in width.steps(tau)))
    linear = (t * mean.slope[:, None] - 0.5 * t**2 * mean.ridge[:, None])[:, :, None]
    deviation = (t * np.sqrt(mean.curved)[:, None])[:, :, None] + np.sqrt(steps.grows * steps.loses)
    c = (t * mean.c[:, None])[:, :, None] + 2.0 * steps.grows
    lost = _kappa(c) * deviation**2 - steps.gains * np.expm1(-c - 2.0 * steps.shrinks)
    lost[:, :, 0] = np.minimum(lost[:, :, 0], 0.5 * t**2 * mean.bound[:, None])
    gain = linear + steps.straight - lost
    gain[:, 0, 0] = 0.0
    i, j = np.unravel_index(gain.reshape(len(gain), -1).argmax(axis=1), gain.shape[1:])
    return t[np.arange(len(t)), i], tau[j]


def _kappa(c: FloatArray) -> FloatArray:
    """(eᶜ − 1 − c)/c², ½ at 0."""
    small, x = c < 1e-3, np.clip(c, 1e-3, 300.0)
    return np.where(small, 0.5 + c / 6.0 + c**2, (np.expm1(x) - x) / x**2)


def inverse(matrices: FloatArray) -> FloatArray:
    """The inverses (…, n, n) of positive definite matrices, symmetric to the last bit."""
    found = np.linalg.inv(matrices)
    return np.asarray(0.5 * (found + np.swapaxes(found, -1, -2)))


# --- as numbers without constraints, for jumps ----------------------------------------------------------------------


def numbers(covariance: FloatArray) -> FloatArray:
    """(m,) the Cholesky factors of covariances (…, n, n), with the logarithms of their diagonals."""
    n = covariance.shape[-1]
    root = np.linalg.cholesky(covariance)
    rows, columns = np.tril_indices(n)
    flat = root[..., rows, columns]
    return np.asarray(np.where(rows == columns, np.log(np.where(rows == columns, flat, 1.0)), flat)).ravel()


def parted(numbers: FloatArray, shape: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Covariances of this shape (…, n, n) from what :func:`numbers` gave and more numbers; and these."""
    rows, columns = np.tril_indices(shape[-1])
    n_rows = int(np.prod(shape[:-2]))
    flat, rest = np.split(numbers, [n_rows * len(rows)])
    flat = flat.reshape(*shape[:-2], len(rows))
    root = np.zeros(shape)
    root[..., rows, columns] = np.where(rows == columns, np.exp(np.clip(flat, -30.0, 30.0)), flat)
    return np.asarray(root @ np.swapaxes(root, -1, -2)), rest
