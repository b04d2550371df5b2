"""Which row each row of a table is drawn around: one order of nesting, fixed when the data are bound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hiql.errors import InvalidParameter

Nodes = npt.NDArray[np.intp]
ROOT = -1


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes 0 … n − 1, each with a row of probabilities.

    ``parent`` (n,) is the node around whose row each row lies, −1 for a root; ``level`` (n,) says which of the learned
    strengths holds it there, from 0 (a root's is not used).
    """

    parent: Nodes
    level: Nodes

    @classmethod
    def by_depth(cls, parent: npt.ArrayLike) -> Tree:
        """One strength for each distance from the root: histories of one trial, of two trials, …."""
        above = np.asarray(parent, dtype=np.intp)
        depth = depths(above)
        return cls(above, np.maximum(depth - 1, 0))

    @classmethod
    def star(cls, n_leaves: int) -> Tree:
        """Leaves around one last node: places around anywhere, animals around the population."""
        return cls(np.r_[np.full(n_leaves, n_leaves), ROOT].astype(np.intp), np.zeros(n_leaves + 1, dtype=np.intp))

    @property
    def n_levels(self) -> int:
        return int(self.level.max()) + 1

    @cached_property
    def order(self) -> Nodes:
        """All nodes, parents before their children."""
        return np.argsort(depths(self.parent), kind="stable")

    def ancestors(self, depth: int) -> Nodes:
        """(n,) for each node the one above it at this distance from the root; itself if it is no farther."""
        above = np.arange(len(self.parent))
        for nodes in self.generations[depth + 1 :]:
            above[nodes] = above[self.parent[nodes]]
        return above

    @cached_property
    def generations(self) -> list[Nodes]:
        """The nodes by their distance from the root, the roots first."""
        depth = depths(self.parent)
        return [np.flatnonzero(depth == d) for d in range(int(depth.max()) + 1)]


def depths(parent: Nodes) -> Nodes:
    """(n,) how many steps lead to a root."""
    n = len(parent)
    if n == 0 or parent.min() < ROOT or parent.max() >= n:
        raise InvalidParameter(parameter="parents", value=parent[:8].tolist(), remedy=f"name nodes 0…{n - 1}, or -1")
    depth, above = np.zeros(n, dtype=np.intp), parent
    while (above >= 0).any():
        depth += above >= 0
        if depth.max() > n:
            raise InvalidParameter(parameter="parents", value=parent[:8].tolist(), remedy="let every way end at a root")
        above = np.where(above >= 0, parent[above], ROOT)
    return depth
