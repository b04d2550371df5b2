"""The strength of a tree that is a chain, as days are: each parent has one child."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from hiql.priors.pooled import SPREAD, STRONGEST, USUAL, FloatArray, Learned, chance_of_any, still
from hiql.priors.tree import Tree

GRID = np.linspace(0.0, np.log(STRONGEST), 9)
"""Log-strengths that are tried."""


def learn_chained(
    tree: Tree, level: int, counts: FloatArray, visits: npt.ArrayLike, root: FloatArray, strength: FloatArray
) -> Learned:
    """As :func:`hiql.priors.learn`, but the strength of one ``level``, a chain, is the one of most evidence on a grid.

    There each row is nearly all that its parent's is made of: given the rows, Newton's method takes that for likeness,
    and ends at the highest strength. Integrated over, with n̂_c the counts of c and the tables of its child,

        Σ_c {log Dirichlet-multinomial(n̂_c | s · θ_parent(c)) − Σ_a tables log θ_ca}.
    """
    found = [_held(tree, level, counts, visits, root, strength, np.full(strength.shape[1], y)) for y in GRID]
    evidence = [_evidence(tree, counts, visits, root, each) - 0.5 * ((y - USUAL) / SPREAD) ** 2
                for each, y in zip(found, GRID, strict=True)]  # fmt: skip
    return _held(tree, level, counts, visits, root, strength, _tops(np.array(evidence)))


def _held(
    tree: Tree,
    level: int,
    counts: FloatArray,
    visits: npt.ArrayLike,
    root: FloatArray,
    strength: FloatArray,
    at: FloatArray,
) -> Learned:
    """What is learned where the strengths (F,) of one level are given, in logarithms."""
    start, free = np.array(strength, dtype=np.float64), np.ones(strength.shape, dtype=np.bool_)
    start[level], free[level] = np.exp(at), False
    return still(tree, counts, visits, root, start, free)


def _evidence(tree: Tree, counts: FloatArray, visits: npt.ArrayLike, root: FloatArray, found: Learned) -> FloatArray:
    """(F,) of the counts of each family."""
    around = found.strength[tree.level][..., None] * found.rows[tree.parent]
    x = np.where((tree.parent >= 0)[:, None, None], around, root)
    tables = found.pseudo_counts - x
    n = np.maximum(counts + tables, 0.0)
    v = np.maximum(np.broadcast_to(visits, n.shape), n)
    of_rows = _raised(n, x, chance_of_any(n, v)).sum(-1) - _raised(
        n.sum(-1), x.sum(-1), chance_of_any(n.sum(-1), v.max(-1))
    )
    return np.asarray((of_rows - xlogy(np.maximum(tables, 0.0), found.rows).sum(-1)).sum(axis=0))


def _raised(counts: FloatArray, pseudo_counts: FloatArray, chance: FloatArray) -> FloatArray:
    """p [log Γ(x + n/p) − log Γ(x)]; 0 where nothing was counted."""
    p = np.where(chance > 0, chance, 1.0)
    return np.where(chance > 0, p * (gammaln(pseudo_counts + counts / p) - gammaln(pseudo_counts)), 0.0)


def _tops(values: FloatArray) -> FloatArray:
    """(F,) where the parabola through the best of the values (n, F) and its neighbours is highest."""
    best, each = values.argmax(axis=0), np.arange(values.shape[1])
    inner = np.clip(best, 1, len(values) - 2)
    low, middle, high = (values[inner + step, each] for step in (-1, 0, 1))
    shift = np.clip(0.5 * (low - high) / np.minimum(low - 2 * middle + high, -1e-12), -0.5, 0.5)
    return np.asarray(GRID[inner] + np.where(best == inner, shift, best - inner) * (GRID[1] - GRID[0]))
