"""Choices with a policy for every state that follows from fewer numbers: rewards, or goals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.choices.by_step import StepChoice
from hiql.choices.choice import Evidence, Taken
from hiql.choices.table import Policies, TableChoice
from hiql.data.trajectories import Trajectories
from hiql.parts.part import FloatArray
from hiql.parts.reads import STATE_ENTERED, Reads
from hiql.parts.rows import Rows, Sessions, Some

_TABLE = TableChoice()


class PolicyChoice(StepChoice):
    """A choice by ``policies``, which makes a table π(a|s) of the parameters, and ``update``.

    To the smoother it is a :class:`~hiql.choices.TableChoice`; parameters are those of a
    :class:`~hiql.choices.StepChoice`.
    """

    by_table: bool = True

    @abstractmethod
    def policies(self, params: Any) -> Policies:
        """The table that these parameters mean."""

    @property
    def reads(self) -> Reads:
        return (STATE_ENTERED,)

    def bind(self, data: Trajectories) -> Any:
        return _TABLE.bind(data)

    def taken(self, params: Any, rows: Rows) -> Callable[[Sessions], Taken]:
        return _TABLE.taken(self.policies(params), rows)

    def statistics(self, params: Any, rows: Any, sessions: Sessions, counts: FloatArray) -> FloatArray:  # noqa: ARG002
        return counts

    def add_up(self, statistics: Sequence[tuple[FloatArray, Some | None]]) -> FloatArray:
        return _TABLE.add_up(statistics)

    def use(self, statistics: FloatArray) -> FloatArray:
        return _TABLE.use(statistics)

    def proba(self, params: Any, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> FloatArray:
        return _TABLE.proba(self.policies(params), data, steps)

    def summary(self, params: Any) -> dict[str, FloatArray]:
        return super().summary(params) | _TABLE.summary(self.policies(params))


def counted(evidence: Evidence, n_actions: int) -> FloatArray:
    """(K, S, A) the expected counts of a table."""
    pairs = evidence.counts[:-1].T
    return pairs.reshape(len(pairs), -1, n_actions)
