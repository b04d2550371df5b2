"""Choices by table whose rows are pooled: long histories around shorter ones, fine states around coarse ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.choices.table import Policies, TableChoice, random_policies
from hiql.choices.tied import TiedTable
from hiql.data.histories import has_histories, history_parents
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.parts.log_probabilities import check_positive, check_tables
from hiql.parts.part import FloatArray, Order
from hiql.parts.path import Path
from hiql.parts.registry import register
from hiql.priors import (
    Learned,
    Redrawn,
    Tree,
    averaged,
    first_guess,
    learn,
    pooled_evidence,
    redrawn,
    settled,
    told_bounds,
)
from hiql.priors.estimates import concentration, times_log

BEFORE_LEARNING = 1.0
"""Pseudo-counts of a whole row, around the average policy in its state, until the prior is learned."""


@register
@dataclass(frozen=True, eq=False)
class PooledPolicies(Policies):
    """log π (K, S, A), the pseudo-counts of its rows (K, S, A), and the ``strength`` (K, L) of each level."""

    pseudo_counts: FloatArray
    strength: FloatArray


@register
@dataclass(frozen=True, eq=False)
class DrawnPolicies(PooledPolicies):
    """The same drawn from a posterior. ``above`` (K, n − S, A) are the logarithms of the rows of nodes that have no
    data of their own: the next draw goes on from them."""

    above: FloatArray


@register
@dataclass(frozen=True, eq=False)
class PooledTable(TableChoice):
    """π_i(·|s) ~ Dirichlet(c_i · π_i(·|parent(s))): each state's policy around that of a coarser one.

    The strengths c_i, one for each intention and distance from the root, are learned (``docs/theory/pooling.md``).

    Parameters
    ----------
    pseudo_count : a number, as in :class:`TableChoice`, for the policy at the root
    parents : (n,) the node around whose policy each node's lies, −1 for a root. The first S nodes are the states, and
        others may follow, which have no data of their own. None: the tree of histories that :func:`hiql.bandit_trials`
        knows, each around the same without its oldest trial; states that are no histories lie all around one policy.
    """

    parents: npt.NDArray[np.intp] | None = field(default=None, kw_only=True)

    @property
    def pooled(self) -> bool:
        return True

    def check(self, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        if np.ndim(self.pseudo_count) or not float(self.pseudo_count) > 0:
            raise InvalidParameter(parameter="pseudo_count", value=self.pseudo_count, remedy="choose a number > 0")
        if len(self.tree(data).parent) < self.n_rows(data):
            remedy = f"name a parent for each of the {data.n_states} states"
            raise InvalidParameter(parameter="parents", value=f"{len(self.tree(data).parent)} nodes", remedy=remedy)

    def tree(self, data: Trajectories) -> Tree:
        if self.parents is not None:
            return Tree.by_depth(self.parents)
        return Tree.by_depth(history_parents(data)) if has_histories(data) else Tree.star(data.n_states)

    def n_rows(self, data: Trajectories) -> int:
        """How many rows the table has: one for each state."""
        return data.n_states

    # --- the prior ----------------------------------------------------------------------------------------------

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> PooledPolicies:
        n_rows, n_actions = self.n_rows(data), data.n_actions
        tree, root = self.tree(data), np.full(n_actions, float(self.pseudo_count))
        seen = np.bincount(self.bind(data).between(0, data.n_sessions), minlength=n_rows * n_actions + 1)[:-1]
        counts = _padded(seen.reshape(n_rows, 1, n_actions).astype(np.float64), tree)
        around = BEFORE_LEARNING * first_guess(tree, counts, root, BEFORE_LEARNING).rows[:n_rows, 0]
        log_policy = self.draw(data, n_intentions, rng)
        strength = np.full((n_intentions, tree.n_levels), BEFORE_LEARNING)
        return PooledPolicies(log_policy, np.tile(around, (n_intentions, 1, 1)), strength)

    def draw(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> FloatArray:
        """Random policies: every one uniform on the simplex."""
        return random_policies((n_intentions, data.n_states, data.n_actions), rng)

    def prior(self, params: Any) -> FloatArray:
        return np.asarray(params.pseudo_counts)

    def learned(self, params: Any, statistics: FloatArray, data: Trajectories) -> PooledPolicies:
        """``statistics`` (S·A + 1, K) are expected counts; each was taken from as many steps as all intentions have."""
        n_states = params.log_policy.shape[1]
        tree, counts, _, found = self._pooled(params, statistics, data)
        rows, strength, pseudo_counts = averaged(tree, counts, found) if self.is_posterior else found
        of_states, seen = (np.ascontiguousarray(each[:n_states].transpose(1, 0, 2)) for each in (pseudo_counts, counts))
        if settled(params.pseudo_counts, of_states, seen):
            return params
        log_policy = np.log(rows[:n_states].transpose(1, 0, 2))
        return replace(params, log_policy=log_policy, pseudo_counts=of_states, strength=strength.T)

    def drawn(self, params: Any, path: Path, rng: np.random.Generator) -> DrawnPolicies | None:
        """Policies, those of coarser states and strengths together (``docs/theory/intervals.md``)."""
        if self.conjugate(params) is None:
            return None
        n_intentions, n_rows, n_actions = params.log_policy.shape
        tree, root = self.tree(path.data), np.full(n_actions, float(self.pseudo_count))
        seen = path.told(self, params)[:-1].reshape(n_rows, n_actions, n_intentions).transpose(0, 2, 1)
        counts = _padded(seen, tree)
        if isinstance(params, DrawnPolicies):
            above = params.above.transpose(1, 0, 2)
        else:
            above = np.log(first_guess(tree, counts, root, BEFORE_LEARNING).rows[n_rows:])
        log_rows = np.concatenate([params.log_policy.transpose(1, 0, 2), above])
        found = redrawn(tree, counts, concentration(self.estimate, root), Redrawn(log_rows, params.strength.T), rng)
        log_policy, drawn_above, around = (
            np.ascontiguousarray(part.transpose(1, 0, 2))
            for part in (found.log_rows[:n_rows], found.log_rows[n_rows:], found.around(tree, root)[:n_rows])
        )
        return DrawnPolicies(log_policy, around, found.strength.T, drawn_above)

    def evidence(self, params: Any, statistics: FloatArray, data: Trajectories) -> float:
        """What was read is taken back, and all rows are integrated over, those of coarser states as well."""
        return pooled_evidence(*self._pooled(params, statistics, data)) - times_log(
            self._by_row(statistics, params), params.log_policy
        )

    def learn(self, *told: Any) -> Learned:
        """Rows and strengths, as :func:`hiql.priors.learn` finds them."""
        return learn(*told)

    def _pooled(self, params: Any, statistics: FloatArray, data: Trajectories) -> tuple[Tree, Any, Any, Learned]:
        """The tree, counts (n, K, A), the root's pseudo-counts, and what they teach."""
        tree, counts, visits, root = self._told(params, statistics, data)
        rows = np.exp(params.log_policy).transpose(1, 0, 2)
        at = rows if len(rows) == len(counts) else None  # nodes without data of their own have no rows here
        return tree, counts, root, self.learn(tree, counts, visits, root, params.strength.T, at)

    def _told(self, params: Any, statistics: FloatArray, data: Trajectories) -> tuple[Tree, Any, Any, Any]:
        """The tree, counts (n, K, A), from how many steps each was taken, and the root's pseudo-counts."""
        n_intentions, n_states, n_actions = params.log_policy.shape
        tree = self.tree(data)
        counts = _padded(statistics[:-1].reshape(n_states, n_actions, n_intentions).transpose(0, 2, 1), tree)
        return tree, counts, counts.sum(axis=1, keepdims=True), np.full(n_actions, float(self.pseudo_count))

    def coarser(self, data: Trajectories) -> TableChoice | None:
        """Histories of one trial, or whatever else is one step from the root, each for all states below it."""
        row_of = self._ancestors(data)
        return None if row_of.max() + 1 == data.n_states else TiedTable(self.pseudo_count, row_of=row_of)

    def refined(self, params: Any, data: Trajectories) -> PooledPolicies:
        start = self.start(data, len(params.log_policy), np.random.default_rng(0))
        return replace(start, log_policy=params.log_policy[:, self._ancestors(data)])

    def _ancestors(self, data: Trajectories) -> Order:
        """(S,) the node at most one step from the root that each state lies below, numbered from 0."""
        return np.unique(self.tree(data).ancestors(1)[: data.n_states], return_inverse=True)[1]

    # --- what search and model files ask -------------------------------------------------------------------------

    def graft(self, params: Any, intentions: Order, others: Any) -> PooledPolicies:
        arrays = {name: array.copy() for name, array in vars(params).items()}
        for name, array in arrays.items():
            array[intentions] = getattr(others, name)
        return replace(params, **arrays)

    def permute(self, params: Any, order: Order) -> PooledPolicies:
        return replace(params, **{name: array[order] for name, array in vars(params).items()})

    def notes(self, params: Any, data: Trajectories) -> tuple[str, ...]:  # noqa: ARG002
        return told_bounds("policies and those they are pulled to", params.strength.T)

    def summary(self, params: Any) -> dict[str, FloatArray]:
        """``policy_strength`` (K, L): how strongly each level is held to the one above, in pseudo-counts."""
        return super().summary(params) | {"policy_strength": params.strength}

    def check_params(self, params: Any, data: Trajectories, n_intentions: int) -> None:
        check_tables(params, PooledPolicies, log_policy=(n_intentions, self.n_rows(data), data.n_actions))
        tree = self.tree(data)
        levels = n_intentions, tree.n_levels
        check_positive(params, PooledPolicies, pseudo_counts=params.log_policy.shape, strength=levels)
        if isinstance(params, DrawnPolicies):
            n_above = len(tree.parent) - self.n_rows(data)
            check_tables(params, DrawnPolicies, above=(n_intentions, n_above, data.n_actions))


def _padded(counts: FloatArray, tree: Tree) -> FloatArray:
    """The same with a row of zeros for every node without data of its own."""
    missing = len(tree.parent) - len(counts)
    return np.concatenate([counts, np.zeros((missing, *counts.shape[1:]))])
