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
    tree: Tree,
    level: int,
    counts: FloatArray,
    visits: npt.ArrayLike,
    root: FloatArray,
    strength: FloatArray,
    rows: FloatArray | None = None,
) -> Learned:
    """As :func:`hiql.priors.learn`, but the strength of one ``level``, a chain, is the one of most evidence on a grid.

    There each row is nearly all that its parent's is made of: given the rows, Newton's method takes that for likeness,
    and ends at the highest strength. The grid is searched near the ``strength`` at hand, and whole where the best there
    is at an edge. Integrated over, with n̂_c the counts of c and the tables of its child,

        Σ_c {log Dirichlet-multinomial(n̂_c | s · θ_parent(c)) − Σ_a tables log θ_ca}.
    """

    def worth(places: npt.NDArray[np.intp]) -> FloatArray:
        found = (_held(tree, level, counts, visits, root, strength, GRID[each], rows) for each in places)
        evidence = [_evidence(tree, counts, visits, root, each) for each in found]
        return np.array(evidence) - 0.5 * ((GRID[places] - USUAL) / SPREAD) ** 2

    near = np.clip(np.rint(np.log(strength[level]) / GRID[1]).astype(np.intp), 1, len(GRID) - 2)
    places = near + np.arange(-1, 2)[:, None]
    values = worth(places)
    if not _is_top(places, values).all():
        places = np.tile(np.arange(len(GRID))[:, None], len(near))
        values = worth(places)
    return _held(tree, level, counts, visits, root, strength, _tops(places, values), rows)


def _held(
    tree: Tree,
    level: int,
    counts: FloatArray,
    visits: npt.ArrayLike,
    root: FloatArray,
    strength: FloatArray,
    at: FloatArray,
    rows: FloatArray | None,
) -> Learned:
    """What is learned where the strengths (F,) of one level are given, in logarithms."""
    start, free = np.array(strength, dtype=np.float64), np.ones(strength.shape, dtype=np.bool_)
    start[level], free[level] = np.exp(at), False
    return still(tree, counts, visits, root, start, free, rows)


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


def _is_top(places: npt.NDArray[np.intp], values: FloatArray) -> npt.NDArray[np.bool_]:
    """(F,) whether the best of the values (n, F) at neighbouring places is better than both its neighbours."""
    best = np.take_along_axis(places, values.argmax(axis=0)[None], axis=0)[0]
    edges = (best == places[0]) | (best == places[-1])
    return ~edges | (best == 0) | (best == len(GRID) - 1)


def _tops(places: npt.NDArray[np.intp], values: FloatArray) -> FloatArray:
    """(F,) where the parabola through the best of the values (n, F) and its neighbours is highest."""
    best, each = values.argmax(axis=0), np.arange(values.shape[1])
    inner = np.clip(best, 1, len(values) - 2)
    low, middle, high = (values[inner + step, each] for step in (-1, 0, 1))
    shift = np.clip(0.5 * (low - high) / np.minimum(low - 2 * middle + high, -1e-12), -0.5, 0.5)
    moved = np.where(best == inner, shift, best - inner)
    return np.asarray(GRID[places[inner, each]] + moved * GRID[1])
