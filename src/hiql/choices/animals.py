"""Animals that share and differ: a policy for each animal, around that of the population."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.choices.pooled import PooledPolicies, PooledTable
from hiql.choices.table import Policies, TableChoice
from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.parts.part import FloatArray
from hiql.parts.reads import STATE_ENTERED, SUBJECT, Reads
from hiql.parts.registry import register
from hiql.parts.rows import Rows
from hiql.priors import Tree
from hiql.priors.pooled import STRONGEST, held
from hiql.priors.tree import ROOT

ANIMALS = 0
"""The level of animals around the population."""


@register
@dataclass(frozen=True, eq=False)
class AnimalTables(PooledTable):
    """π_i(·|s) of an animal ~ Dirichlet(c_i · π_i(·|s) of the population).

    The table has a row for each animal and state, and last those of the population, which an animal never met reads.

    Parameters
    ----------
    by_history : pool the population's policies as well, as :class:`PooledTable` does; else each has a flat prior
    """

    by_history: bool = field(default=False, kw_only=True)
    coding: Coding | None = field(default=None, repr=False, kw_only=True)

    def knowing(self, coding: Coding) -> AnimalTables:
        return replace(self, coding=coding) if self.coding is None else self

    def _coding(self, data: Trajectories) -> Coding:
        return Coding.of(data) if self.coding is None else self.coding

    # --- groups of rows, each a whole table ----------------------------------------------------------------------

    def groups(self, coding: Coding) -> Tree:
        """Which group of rows each lies around: animals around the population, which comes last."""
        return Tree.star(len(coding.subjects))

    def group_codes(self, coding: Coding, data: Trajectories) -> npt.NDArray[np.int64]:
        """(n_sessions,) the group of each session."""
        return coding.subject_codes(data)

    def n_rows(self, data: Trajectories) -> int:
        return len(self.groups(self._coding(data)).parent) * data.n_states

    def tree(self, data: Trajectories) -> Tree:
        """Groups as they lie (the first strengths), and the population, perhaps, as a table without animals."""
        groups, n_states = self.groups(self._coding(data)), data.n_states
        first = self.n_rows(data) - n_states
        population = super().tree(data) if self.by_history else Tree.by_depth(np.full(n_states, ROOT))
        above = np.where(population.parent >= 0, population.parent + first, ROOT)
        own = (groups.parent[:-1, None] * n_states + np.arange(n_states)).ravel()
        levels = np.r_[np.repeat(groups.level[:-1], n_states), population.level + groups.n_levels]
        return Tree(np.r_[own, above], levels)

    def common(self, data: Trajectories) -> TableChoice:  # noqa: ARG002
        return PooledTable(self.pseudo_count) if self.by_history else TableChoice(self.pseudo_count)

    def around_common(self, params: Policies, data: Trajectories) -> PooledPolicies:
        start = self.start(data, len(params.log_policy), np.random.default_rng(0))
        return replace(start, log_policy=np.tile(params.log_policy, (1, self.n_rows(data) // data.n_states, 1)))

    def coarser(self, data: Trajectories) -> None:
        """None: the search is that of the common table."""

    # --- what the smoother reads -------------------------------------------------------------------------------

    def bind(self, data: Trajectories) -> Rows:
        size, pairs = self.n_rows(data) * data.n_actions, data.pairs_between(0, data.n_sessions).astype(np.int64)
        known = pairs < data.n_states * data.n_actions
        first = self._first_row(data, np.arange(data.n_steps)) * data.n_actions
        return Rows.of_steps(size + 1, np.where(known, pairs + first, size), data.offsets)

    @property
    def reads(self) -> Reads:
        return (STATE_ENTERED, SUBJECT) if type(self).bind is AnimalTables.bind else None

    def proba(self, params: Policies, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """Uniform where the state is missing."""
        states = data.states[steps]
        rows = self._first_row(data, steps) + np.maximum(states, 0)
        proba = np.exp(params.log_policy)[:, rows].transpose(1, 0, 2)
        proba[states < 0] = 1.0 / data.n_actions
        return proba

    def _first_row(self, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """(n,) where the rows of the group of each of these steps begin."""
        codes = self.group_codes(self._coding(data), data)
        return codes[np.searchsorted(data.offsets, steps, side="right") - 1] * data.n_states

    # --- fitting -----------------------------------------------------------------------------------------------

    def draw(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> FloatArray:
        """All animals alike: so they have the same intentions, by the same numbers."""
        return np.tile(super().draw(data, n_intentions, rng), (1, self.n_rows(data) // data.n_states, 1))

    def deal(self, params: Any, rng: np.random.Generator) -> PooledPolicies:
        """State by state, for all animals alike."""
        n_intentions, n_rows, _ = params.log_policy.shape
        n_states = self._n_states(n_rows)
        dealt = rng.permuted(np.tile(np.arange(n_intentions)[:, None], n_states), axis=0)
        every = np.tile(dealt, (1, n_rows // n_states))
        return replace(params, log_policy=params.log_policy[every, np.arange(n_rows)])

    def held(self, params: PooledPolicies, factor: float, statistics: FloatArray, data: Trajectories) -> PooledPolicies:
        """Modes only: posteriors keep the strengths of most evidence."""
        if self.is_posterior:
            return params
        strength = params.strength.copy()
        strength[:, ANIMALS] = np.minimum(factor * strength[:, ANIMALS], STRONGEST)
        found = held(*self._told(params, statistics, data), strength.T)
        pseudo_counts = found.pseudo_counts[: self.n_rows(data)].transpose(1, 0, 2)
        return replace(params, strength=strength, pseudo_counts=np.ascontiguousarray(pseudo_counts))

    def explained(self, params: Any, log_policy: FloatArray) -> PooledPolicies:  # noqa: ARG002
        """Rewards explain the population, and leave the animals as they are."""
        return params

    def for_others(self, params: PooledPolicies, data: Trajectories) -> PooledPolicies:
        """Parameters for the subjects of these data, around the same population."""
        n = self.n_rows(data) // data.n_states - 1
        population = params.log_policy[:, -data.n_states :]
        around = params.strength[:, :1, None] * np.exp(population)
        pseudo_counts = [np.tile(around, (1, n, 1)), params.pseudo_counts[:, -data.n_states :]]
        return replace(
            params, log_policy=np.tile(population, (1, n + 1, 1)), pseudo_counts=np.concatenate(pseudo_counts, axis=1)
        )

    def _n_states(self, n_rows: int) -> int:
        return n_rows if self.coding is None else n_rows // len(self.groups(self.coding).parent)

    # --- what a fitted model shows ------------------------------------------------------------------------------

    def summary(self, params: Any) -> dict[str, FloatArray]:
        """The population's policies; ``policy_by_subject`` (K, subjects, S, A) has those of the animals."""
        n_intentions, n_rows, n_actions = params.log_policy.shape
        n_states = self._n_states(n_rows)
        by_subject = np.exp(params.log_policy).reshape(n_intentions, -1, n_states, n_actions)
        return {
            "log_policy": params.log_policy[:, -n_states:],
            "policy": by_subject[:, -1],
            "policy_by_subject": by_subject[:, :-1],
            "policy_strength": params.strength,
        }
