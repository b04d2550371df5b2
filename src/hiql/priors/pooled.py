"""Rows around their parents' rows, with learned strengths: θ_c ~ Dirichlet(s · θ_parent(c)).

The maths is on the page ``docs/theory/pooling.md``. All arrays have the nodes of the tree first, then the families that
share nothing (one for each intention), then the outcomes of a row: (n, F, A).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.kernels.strengths import slopes, tables
from hiql.priors.tree import Nodes, Tree

FloatArray = npt.NDArray[np.float64]
WEAKEST, STRONGEST = 0.1, 1e4
"""Strengths are pseudo-counts of a whole row: below, a parent says nothing; above, a child has nothing of its own."""
USUAL, SPREAD = np.log(10.0), 3.0
"""log s ~ Normal(log 10, 3²): it decides only where the data say nothing."""
MOST_SWEEPS, MOST_STEPS = 60, 60
SETTLED = 1e-3
"""Sweeps end when no log-strength and no probability moves by more."""


class Learned(NamedTuple):
    """``rows`` (n, F, A) of all nodes, ``strength`` (L, F), and ``pseudo_counts`` (n, F, A): what is added to the
    counts of each row itself, s · θ_parent(c) and what its children have handed up."""

    rows: FloatArray
    strength: FloatArray
    pseudo_counts: FloatArray


class Gathered(NamedTuple):
    """What a node has of its own and from its children: counts (n, F, A), P(count > 0) and P(any count > 0) (n, F)."""

    counts: FloatArray
    chance: FloatArray
    any_chance: FloatArray


Renewed = Callable[[Tree, Gathered, FloatArray, FloatArray], FloatArray]


def chance_of_any(counts: FloatArray, visits: npt.ArrayLike) -> FloatArray:
    """P(n > 0) where ``visits`` steps were each counted with the same weight: 1 − (1 − n/v)^v.

    An expected count of 0.01 is a hundredth of a step, not a step seen through a fog: without this, contexts that an
    intention has hardly met would each tell its parent of almost one step.
    """
    v = np.broadcast_to(np.maximum(visits, counts), counts.shape)
    share = np.divide(counts, v, out=np.zeros_like(counts), where=v > 0)
    with np.errstate(divide="ignore"):
        return np.minimum(-np.expm1(np.maximum(v, 1.0) * np.log1p(-np.minimum(share, 1.0))), np.maximum(counts, 0.0))


def learn(tree: Tree, counts: FloatArray, visits: npt.ArrayLike, root: FloatArray, strength: FloatArray) -> Learned:
    """Rows and strengths that explain expected counts (n, F, A), from ``strength`` (L, F) on.

    ``visits`` is how many steps each count was taken from, and ``root`` the pseudo-counts of the roots' rows. Counts go
    up the tree as tables, rows come down, and strengths are found by Newton's method, until all stand still.
    """
    return _still(tree, counts, visits, root, strength, _strengths)


def held(tree: Tree, counts: FloatArray, visits: npt.ArrayLike, root: FloatArray, strength: FloatArray) -> Learned:
    """The same for strengths that are known."""
    return _still(tree, counts, visits, root, strength, lambda *given: given[-1])


def _still(
    tree: Tree, counts: FloatArray, visits: npt.ArrayLike, root: FloatArray, strength: FloatArray, renewed: Renewed
) -> Learned:
    counts = np.ascontiguousarray(counts, dtype=np.float64)
    own = Gathered(counts, chance_of_any(counts, visits), chance_of_any(counts.sum(-1), np.max(visits, axis=-1)))
    rows, gathered = _descended(tree, own.counts, root, strength), own
    for _ in range(MOST_SWEEPS):
        before = rows, strength
        gathered = _climbed(tree, own, rows, strength)
        rows = _descended(tree, gathered.counts, root, strength)
        strength = renewed(tree, gathered, rows, strength)
        if np.abs(rows - before[0]).max() < SETTLED and np.abs(np.log(strength / before[1])).max() < SETTLED:
            break
    return Learned(rows, strength, gathered.counts - counts + _around(tree, rows, root, strength))


def settled(before: FloatArray, after: FloatArray) -> bool:
    """Whether pseudo-counts have stopped to move: by a hundredth of themselves, or of a step."""
    return bool(np.allclose(after, before, rtol=0.01, atol=0.01))


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


def _around(tree: Tree, rows: FloatArray, root: FloatArray, strength: FloatArray) -> FloatArray:
    """(n, F, A) the parents' rows times the strengths."""
    around = strength[tree.level][..., None] * rows[tree.parent]
    return np.where((tree.parent >= 0)[:, None, None], around, root)


def first_guess(tree: Tree, counts: FloatArray, root: FloatArray, strength: float) -> Learned:
    """Rows for given strengths, where every count is handed up to the root as it is, and priors around them."""
    totals = np.array(counts, dtype=np.float64)
    for nodes in reversed(tree.generations[1:]):
        np.add.at(totals, tree.parent[nodes], totals[nodes])
    strengths = np.full((tree.n_levels, totals.shape[1]), strength)
    rows = _descended(tree, totals, root, strengths)
    return Learned(rows, strengths, _around(tree, rows, root, strengths))


def _climbed(tree: Tree, own: Gathered, rows: FloatArray, strength: FloatArray) -> Gathered:
    """What every node has when the tables of its children have been handed up to it."""
    counts, nothing, empty = own.counts.copy(), 1.0 - own.chance, 1.0 - own.any_chance
    for nodes in reversed(tree.generations[1:]):
        met = nodes[empty[nodes].min(axis=-1) < 1.0]
        above, handed = tree.parent[met], np.empty((len(met), *counts.shape[1:]))
        tables(strength[tree.level[met]], rows[above], counts[met], 1.0 - nothing[met], handed)
        np.add.at(counts, above, handed)
        np.multiply.at(nothing, above, nothing[met])
        np.multiply.at(empty, above, empty[met])
    return Gathered(counts, 1.0 - nothing, 1.0 - empty)


def _descended(tree: Tree, counts: FloatArray, root: FloatArray, strength: FloatArray) -> FloatArray:
    """(n, F, A) the rows: shares of counts and of the parent's row times the strength, from the roots on."""
    rows = np.empty_like(counts)
    for depth, nodes in enumerate(tree.generations):
        around = strength[tree.level[nodes]][..., None] * rows[tree.parent[nodes]] if depth else root
        raised = counts[nodes] + around
        total = raised.sum(axis=-1, keepdims=True)
        equal = np.full_like(raised, 1.0 / raised.shape[-1])
        rows[nodes] = np.divide(raised, total, out=equal, where=total > 0)
    return rows


def _strengths(tree: Tree, gathered: Gathered, rows: FloatArray, strength: FloatArray) -> FloatArray:
    """(L, F) the most likely strengths, given the rows of the parents."""
    found = strength.copy()
    pooled = np.flatnonzero((tree.parent >= 0) & (gathered.any_chance.max(axis=-1) > 0))
    for level in range(tree.n_levels):
        nodes: Nodes = pooled[tree.level[pooled] == level]
        if len(nodes):
            around = rows[tree.parent[nodes]]
            found[level] = _newton(strength[level], around, *(part[nodes] for part in gathered))
        else:
            found[level] = np.exp(USUAL)
    return found


def _newton(start: FloatArray, around: FloatArray, *gathered: FloatArray) -> FloatArray:
    """(F,) Newton's method on log s, to convergence; where the evidence is not concave, a step uphill."""
    y = np.log(start)
    for _ in range(MOST_STEPS):
        s = np.exp(y)
        first, second = slopes(s, around, *gathered)
        slope = s * first - (y - USUAL) / SPREAD**2
        curvature = s * first + s * s * second - 1.0 / SPREAD**2
        newton = np.divide(-slope, curvature, out=np.sign(slope), where=curvature < 0)
        after = np.clip(y + np.clip(newton, -2.0, 2.0), np.log(WEAKEST), np.log(STRONGEST))
        moved, y = np.abs(after - y).max(), after
        if moved < SETTLED / 10:
            break
    return np.clip(np.exp(y), WEAKEST, STRONGEST)
