"""Policies that change from day to day: those of each animal on each day, around those of its day before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.choices.animals import AnimalTables
from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.parts.part import FloatArray
from hiql.parts.registry import register
from hiql.priors import Learned, Tree, learn_chained, told_bounds
from hiql.priors.tree import ROOT

FIRST_DAY, FROM_DAY_TO_DAY = 0, 1
"""The levels of the tree: an animal's first day around the population, and a day around the day before."""


@register
@dataclass(frozen=True, eq=False)
class DayTables(AnimalTables):
    """π_i(·|s) of an animal on a day ~ Dirichlet(c_i · π_i(·|s) of its day before): learning, or drift.

    One strength c_i for all days and animals, learned; days follow one another as the animal was recorded, whatever
    lies between. An animal's first day lies around the population's, with another strength. The table has a row for
    each animal, day and state, and last those that first days lie around, which an animal never met reads.
    """

    def check(self, data: Trajectories, n_intentions: int) -> None:
        super().check(data, n_intentions)
        if not self._coding(data).days:
            remedy = "name the column of days (day=…, --day; session_days of Trajectories), or choose 'subjects'"
            raise InvalidParameter(parameter="pool", value="days", remedy=remedy)

    def groups(self, coding: Coding) -> Tree:
        """A chain for each animal: its days in their order, the first around the population."""
        lengths = [len(days) for days in coding.days]
        n = sum(lengths)
        parent, first = np.arange(n) - 1, np.cumsum([0, *lengths])[:-1][np.array(lengths, dtype=bool)]
        level = np.full(n, FROM_DAY_TO_DAY)
        parent[first], level[first] = n, FIRST_DAY
        chain = (np.r_[parent, ROOT], np.r_[level, FROM_DAY_TO_DAY])
        return Tree(*(part.astype(np.intp) for part in chain))

    def group_codes(self, coding: Coding, data: Trajectories) -> npt.NDArray[np.int64]:
        return coding.day_codes(data)

    def held(self, params: Any, factor: float, statistics: FloatArray, data: Trajectories) -> Any:  # noqa: ARG002
        return params

    def learn(self, *told: Any) -> Learned:
        return learn_chained(told[0], FROM_DAY_TO_DAY, *told[1:])

    def notes(self, params: Any, data: Trajectories) -> tuple[str, ...]:  # noqa: ARG002
        between = params.strength[:, FROM_DAY_TO_DAY:][:, :1].T
        return told_bounds("an animal's policies on one day and on the next", between)

    def summary(self, params: Any) -> dict[str, FloatArray]:
        """``policy`` is the average over animals and days; ``policy_by_day`` (K, days, S, A) has each animal's days, in
        the order of ``coding_.days``, and ``policy_at_first`` (K, S, A) is what first days lie around."""
        shown = super().summary(params)
        by_day, at_first = shown.pop("policy_by_subject"), shown["policy"]
        average = by_day.mean(axis=1)
        return shown | {
            "log_policy": np.log(average),
            "policy": average,
            "policy_by_day": by_day,
            "policy_at_first": at_first,
        }
