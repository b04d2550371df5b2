r"""Rows of a tree and their strengths drawn from their posterior, given whole counts: Gibbs sampling.

The model is that of :mod:`hiql.priors.pooled`. With the rows integrated out, Γ(x + n)/Γ(x) = Σ_t S(n, t) x^t makes the
*tables* t that the counts of each row came from a variable of their own (``docs/theory/intervals.md``). In turn,

- tables, from the leaves up: p(t_ca) ∝ S(n_ca, t_ca) x^t_ca, x = s θ_parent,a; a parent counts its children's tables;
- strengths, with all rows integrated out: p(s | tables) ∝ p(s) Π_c s^T_c Γ(s)/Γ(s + N_c), by slice sampling on log s;
- rows, from the roots down: θ_c ~ Dirichlet(s θ_parent + n_c + tables of the children), roots with their own
  concentration.

The last two are one draw from p(strengths, rows | tables). Arrays are shaped as in :mod:`hiql.priors.pooled`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from hiql.kernels.table_draws import draw_tables
from hiql.parts.dirichlet import log_dirichlet_draw
from hiql.priors.pooled import SPREAD, STRONGEST, USUAL, WEAKEST
from hiql.priors.tree import Tree

FloatArray = npt.NDArray[np.float64]
ROUNDS = 2
"""Tables, strengths and rows are drawn so many times for each path: they cost little, and know each other well."""


class Redrawn(NamedTuple):
    """``log_rows`` (n, F, A) of all nodes, and ``strength`` (L, F)."""

    log_rows: FloatArray
    strength: FloatArray

    def around(self, tree: Tree, root: FloatArray) -> FloatArray:
        """(n, F, A) the pseudo-counts that each row lies around: its parent's row times the strength."""
        held = self.strength[tree.level][..., None] * np.exp(self.log_rows[tree.parent])
        return np.where((tree.parent >= 0)[:, None, None], held, root)


def redrawn(
    tree: Tree, counts: FloatArray, root: FloatArray, now: Redrawn, rng: np.random.Generator, rounds: int = ROUNDS
) -> Redrawn:
    """Some rounds of Gibbs sampling from ``now`` on, given whole counts (n, F, A) of the rows of all nodes.

    ``root`` is the concentration of the roots' rows (:func:`hiql.priors.estimates.concentration`).
    """
    for _ in range(rounds):
        total, tables = _seated(tree, counts, now, rng)
        strength = _strengths(tree, total.sum(axis=-1), tables.sum(axis=-1), now.strength, rng)
        now = Redrawn(_rows(tree, total, root, strength, rng), strength)
    return now


def _seated(tree: Tree, counts: FloatArray, now: Redrawn, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """(n, F, A) twice: the counts of each node with its children's tables, and the tables it came from itself."""
    total, tables, rows = counts.copy(), np.zeros(counts.shape), np.exp(now.log_rows)
    for nodes in reversed(tree.generations[1:]):
        around = now.strength[tree.level[nodes]][..., None] * rows[tree.parent[nodes]]
        seen = total[nodes]
        found = np.empty(seen.size)
        draw_tables(around.ravel(), seen.ravel(), rng.random(int(seen.sum())), found)
        tables[nodes] = found.reshape(seen.shape)
        np.add.at(total, tree.parent[nodes], tables[nodes])
    return total, tables


def _strengths(
    tree: Tree, totals: FloatArray, tables: FloatArray, strength: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """(L, F) drawn given how many counts and tables each row has (n, F)."""
    drawn, held = strength.copy(), tree.parent >= 0
    for level in range(tree.n_levels):
        nodes = held & (tree.level == level)
        n, t = totals[nodes], tables[nodes].sum(axis=0)

        def log_density(y: FloatArray, n: FloatArray = n, t: FloatArray = t) -> FloatArray:
            s = np.exp(y)
            of_rows = (gammaln(s) - gammaln(s + n)).sum(axis=0)
            return np.asarray(of_rows + t * y - 0.5 * ((y - USUAL) / SPREAD) ** 2)

        drawn[level] = np.exp(sliced(log_density, np.log(strength[level]), np.log((WEAKEST, STRONGEST)), rng))
    return drawn


def sliced(log_density, x: FloatArray, bounds: FloatArray, rng: np.random.Generator) -> FloatArray:  # type: ignore[no-untyped-def]
    """A step of slice sampling (Neal 2003) for each of independent numbers x (F,) between two bounds.

    The slice is looked for in the whole range, which shrinks towards x where a point misses it.
    """
    height = log_density(x) - rng.standard_exponential(x.shape)
    low, high = (np.full(x.shape, bound) for bound in bounds)
    found, missing = x.copy(), np.ones(x.shape, dtype=bool)
    while missing.any():
        tried = low + (high - low) * rng.random(x.shape)
        inside = missing & (log_density(tried) >= height)
        found[inside] = tried[inside]
        missing &= ~inside
        below = tried < x
        low, high = np.where(missing & below, tried, low), np.where(missing & ~below, tried, high)
    return found


def _rows(
    tree: Tree, total: FloatArray, root: FloatArray, strength: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """(n, F, A) logarithms of rows drawn given all counts and tables, from the roots on."""
    rows = np.empty_like(total)
    for depth, nodes in enumerate(tree.generations):
        above = strength[tree.level[nodes]][..., None] * np.exp(rows[tree.parent[nodes]]) if depth else root
        rows[nodes] = log_dirichlet_draw(total[nodes] + above, rng)
    return rows
