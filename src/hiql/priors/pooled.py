"""Rows around their parents' rows, with learned strengths: θ_c ~ Dirichlet(s · θ_parent(c)).

The maths is on the page ``docs/theory/pooling.md``. All arrays have the nodes of the tree first, then the families that
share nothing (one for each intention), then the outcomes of a row: (n, F, A).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.kernels.strengths import handed_down, settle
from hiql.priors.tree import Tree

FloatArray = npt.NDArray[np.float64]
FreeArray = npt.NDArray[np.bool_]
WEAKEST, STRONGEST = 0.1, 1e4
"""Strengths are pseudo-counts of a whole row: below, a parent says nothing; above, a child has nothing of its own."""
USUAL, SPREAD = np.log(10.0), 3.0
"""log s ~ Normal(log 10, 3²): it decides only where the data say nothing."""
BELIEF, BOUNDS = (float(USUAL), SPREAD), (float(np.log(WEAKEST)), float(np.log(STRONGEST)))
MOST_SWEEPS = 120
SETTLED, STEADY = 1e-3, 1e-2
"""Sweeps end when no probability, and no log-strength, moves by more."""


class Learned(NamedTuple):
    """``rows`` (n, F, A) of all nodes, ``strength`` (L, F), and ``pseudo_counts`` (n, F, A): what is added to the
    counts of each row itself, s · θ_parent(c) and what its children have handed up."""

    rows: FloatArray
    strength: FloatArray
    pseudo_counts: FloatArray


def chance_of_any(counts: FloatArray, visits: npt.ArrayLike) -> FloatArray:
    """P(n > 0) where ``visits`` steps were each counted with the same weight: 1 − (1 − n/v)^v.

    An expected count of 0.01 is a hundredth of a step, not a step seen through a fog: without this, contexts that an
    intention has hardly met would each tell its parent of almost one step.
    """
    v = np.broadcast_to(np.maximum(visits, counts), counts.shape)
    share = np.divide(counts, v, out=np.zeros_like(counts), where=v > 0)
    with np.errstate(divide="ignore"):
        return np.minimum(-np.expm1(np.maximum(v, 1.0) * np.log1p(-np.minimum(share, 1.0))), np.maximum(counts, 0.0))


def learn(
    tree: Tree,
    counts: FloatArray,
    visits: npt.ArrayLike,
    root: FloatArray,
    strength: FloatArray,
    rows: FloatArray | None = None,
) -> Learned:
    """Rows and strengths that explain expected counts (n, F, A), from ``strength`` (L, F), and ``rows`` if given, on.

    ``visits`` is how many steps each count was taken from, and ``root`` the pseudo-counts of the roots' rows. Counts go
    up the tree as tables, rows come down, and strengths are found by Newton's method, until all stand still.
    """
    return still(tree, counts, visits, root, strength, np.ones(np.shape(strength), dtype=bool), rows)


def held(tree: Tree, counts: FloatArray, visits: npt.ArrayLike, root: FloatArray, strength: FloatArray) -> Learned:
    """The same for strengths that are known."""
    return still(tree, counts, visits, root, strength, np.zeros(np.shape(strength), dtype=bool))


def still(
    tree: Tree,
    counts: FloatArray,
    visits: npt.ArrayLike,
    root: FloatArray,
    strength: FloatArray,
    free: FreeArray,
    rows: FloatArray | None = None,
) -> Learned:
    """The same where only ``free`` (L, F) strengths move."""
    own = np.ascontiguousarray(counts, dtype=np.float64)
    chance, any_chance = chance_of_any(own, visits), chance_of_any(own.sum(-1), np.max(visits, axis=-1))
    start = np.ascontiguousarray(strength, dtype=np.float64)
    if rows is None:
        first = np.empty(own.shape)
        handed_down(tree.order, tree.parent, tree.level, start, root, own, first)
    else:
        first = np.ascontiguousarray(rows)
    rows, found, gathered, *_ = settle(
        tree.order, tree.parent, tree.level, own, chance, any_chance, root, first, start, free, BELIEF, BOUNDS,
        (SETTLED, STEADY), MOST_SWEEPS,
    )  # fmt: skip
    found = np.where(free, np.clip(found, WEAKEST, STRONGEST), start)
    return Learned(rows, found, gathered - own + _around(tree, rows, root, found))


def settled(before: FloatArray, after: FloatArray, counts: FloatArray) -> bool:
    """Whether rows of these counts stand still: whether other pseudo-counts (…, A) move none of them by a thousandth.

    What strengths do is small where they are large: they may go on for long without a say.
    """
    rows = [n / n.sum(axis=-1, keepdims=True) for n in (counts + before, counts + after)]
    return bool(np.abs(rows[1] - rows[0]).max() < SETTLED)


def told_bounds(what: str, strength: FloatArray) -> tuple[str, ...]:
    """Sentences about the intentions (F,) whose strength (L, F) has come to a bound at some level."""
    same, free = (strength >= 0.99 * STRONGEST).any(axis=0), (strength <= 1.01 * WEAKEST).any(axis=0)
    sentences = (
        (same, f"no difference is seen between {what}: they are held together with the highest strength"),
        (free, f"{what} have nothing in common: they are held together with the lowest strength"),
    )
    return tuple(
        f"in intention {', '.join(str(i + 1) for i in np.flatnonzero(which))}, {words}, at some level of the tree"
        for which, words in sentences
        if which.any()
    )


def first_guess(tree: Tree, counts: FloatArray, root: FloatArray, strength: float) -> Learned:
    """Rows for given strengths, where every count is handed up to the root as it is, and priors around them."""
    totals = np.array(counts, dtype=np.float64)
    for nodes in reversed(tree.generations[1:]):
        np.add.at(totals, tree.parent[nodes], totals[nodes])
    strengths, rows = np.full((tree.n_levels, totals.shape[1]), strength), np.empty_like(totals)
    handed_down(tree.order, tree.parent, tree.level, strengths, root, totals, rows)
    return Learned(rows, strengths, _around(tree, rows, root, strengths))


def _around(tree: Tree, rows: FloatArray, root: FloatArray, strength: FloatArray) -> FloatArray:
    """(n, F, A) the parents' rows times the strengths."""
    around = strength[tree.level][..., None] * rows[tree.parent]
    return np.where((tree.parent >= 0)[:, None, None], around, root)
