r"""The evidence of pooled rows: a bound with a posterior on leaves and interior rows (docs/theory/evidence.md).

q has a row Dirichlet(u_c) for every interior node c, and for each leaf, given the row m of its parent, what follows
from it, Dirichlet(s m + n). With L_c = E log θ_c the bound is

.. math:: \sum_{\text{leaves}} \mathbb{E}\log\frac{B(s m + n)}{B(s m)} + \sum_{\text{interior}} \big(n_c \cdot L_c
          + \mathbb{H}[q_c] + \mathbb{E}\log p(\theta_c \mid \theta_{\text{parent}})\big).

Expectations over m are integrals over single entries, which are done numerically. Fractional counts are no exception:
log B is convex, so that their Dirichlets are as good a posterior as those of whole ones. It is a bound for any u and
any strengths; those of :func:`hiql.priors.learn` are taken.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, psi

from hiql.kernels.pooled_evidence import leaves_around, normalisers_around
from hiql.priors.pooled import STRONGEST, WEAKEST, Learned, held
from hiql.priors.tree import Tree

FloatArray = npt.NDArray[np.float64]


TRIED = 5.0 ** np.arange(-3, 4)
"""Strengths are tried at these multiples of what was learned, then between those next to the best."""
FINER = 4


def pooled_evidence(tree: Tree, counts: FloatArray, root: FloatArray, learned: Learned) -> float:
    """A lower bound of E log p(counts) for expected counts (n, F, A); the entropy of their paths comes on top.

    Strengths maximise it level by level, for each family by itself: type-II maximum likelihood of the bound.
    """
    strength = learned.strength
    for level in np.unique(tree.level[tree.parent >= 0]):
        strength = _better(tree, counts, root, strength, int(level))
    return float(evidence_at(tree, counts, root, strength).sum())


def _better(tree: Tree, counts: FloatArray, root: FloatArray, strength: FloatArray, level: int) -> FloatArray:
    """(L, F) the same with the best strengths of a level."""
    found = strength
    for factors in (TRIED, *(5.0 ** np.array([-(0.5**n), 0.0, 0.5**n]) for n in range(1, FINER))):
        tried = np.tile(found, (len(factors), 1, 1))
        tried[:, level] = np.clip(factors[:, None] * found[level], WEAKEST, STRONGEST)
        worth = np.stack([evidence_at(tree, counts, root, each) for each in tried])
        found = found.copy()
        found[level] = np.take_along_axis(tried[:, level], worth.argmax(axis=0)[None], axis=0)[0]
    return found


def evidence_at(tree: Tree, counts: FloatArray, root: FloatArray, given: FloatArray) -> FloatArray:
    """(F,) the bound for each family, at given strengths (L, F)."""
    strength = np.ascontiguousarray(given)
    counts = np.ascontiguousarray(counts, dtype=np.float64)
    learned = held(tree, counts, counts.sum(axis=1, keepdims=True), root, strength)
    beliefs = np.ascontiguousarray(counts + learned.pseudo_counts)
    has_children = np.isin(np.arange(len(tree.parent)), tree.parent)
    at_root = tree.parent < 0
    leaves, between = np.flatnonzero(~has_children & ~at_root), np.flatnonzero(has_children & ~at_root)
    inner = np.flatnonzero(has_children | at_root)
    logs = psi(beliefs) - psi(beliefs.sum(axis=-1, keepdims=True))
    around = _mean_around(tree, beliefs, root, strength)
    found = leaves_around(leaves, tree.parent, tree.level, counts, strength, beliefs)
    found += normalisers_around(between, tree.parent, tree.level, strength, beliefs)
    found += (_log_beta(beliefs[inner]) + ((counts + around - beliefs) * logs)[inner].sum(axis=-1)).sum(axis=0)
    prior = np.broadcast_to(root, beliefs[at_root].shape)
    return np.asarray(found - _log_beta(prior).sum(axis=0))


def averaged(tree: Tree, counts: FloatArray, learned: Learned) -> Learned:
    """The same, with pseudo-counts s · exp E log θ_parent for leaves: what to read where the parent is averaged over.

    E ψ(s m + n) is near ψ(s exp(E log m) + n), and far below ψ(s E m + n) where the parent has hardly met an outcome.
    """
    beliefs = counts + learned.pseudo_counts
    m = np.exp(psi(beliefs) - psi(beliefs.sum(axis=-1, keepdims=True)))
    leaves = (~np.isin(np.arange(len(tree.parent)), tree.parent) & (tree.parent >= 0))[:, None, None]
    around = learned.strength[tree.level][..., None] * m[tree.parent]
    return learned._replace(pseudo_counts=np.where(leaves, around, learned.pseudo_counts))


def _mean_around(tree: Tree, beliefs: FloatArray, root: FloatArray, strength: FloatArray) -> FloatArray:
    """(n, F, A) E s·θ_parent, and the roots' pseudo-counts."""
    means = beliefs / beliefs.sum(axis=-1, keepdims=True)
    around = strength[tree.level][..., None] * means[tree.parent]
    return np.where((tree.parent >= 0)[:, None, None], around, root)


def _log_beta(x: FloatArray) -> FloatArray:
    return np.asarray(gammaln(x).sum(axis=-1) - gammaln(x.sum(axis=-1)))
