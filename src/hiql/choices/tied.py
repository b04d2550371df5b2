"""A table in which several states share a row: where the search for pooled policies begins a second time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hiql.choices.table import Policies, TableChoice, random_policies
from hiql.data.trajectories import Trajectories
from hiql.parts.part import Order
from hiql.parts.rows import Rows


@dataclass(frozen=True, eq=False)
class TiedTable(TableChoice):
    """π_i(·|s) is the row ``row_of[s]`` of a smaller table: histories that end alike are one state."""

    row_of: Order = field(kw_only=True)

    @property
    def n_rows(self) -> int:
        return int(self.row_of.max()) + 1

    def bind(self, data: Trajectories) -> Rows:
        size = self.n_rows * data.n_actions
        of_pair = self.row_of[:, None] * data.n_actions + np.arange(data.n_actions)
        numbers: npt.NDArray[np.uint32] = np.append(of_pair.ravel(), size).astype(np.uint32)
        return Rows(size + 1, lambda first, last: numbers[data.pairs_between(first, last)])

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Policies:
        return Policies(random_policies((n_intentions, self.n_rows, data.n_actions), rng))
