"""A path of intentions drawn for the data, as one part of the model sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hiql.data.trajectories import Trajectories
from hiql.parts.rows import Sessions


class Used(NamedTuple):
    """How often the path through some sessions has used each row of the part's table: whole numbers, shaped like
    the expected counts of an E-step. ``some`` says which rows of the whole table these are, if not all."""

    sessions: Sessions
    counts: Any
    some: Any


@dataclass(frozen=True, eq=False)
class Path:
    """Which rows of its table a part was asked for along a path: what it learns from where nothing is hidden.

    ``index`` is what its ``bind`` gave for ``data``, and ``used`` what it has used of that, chunk after chunk.
    """

    data: Trajectories
    index: Any
    used: Sequence[Used]

    def told(self, part: Any, params: Any) -> Any:
        """The part's own statistics of the path, as those of an E-step: at ``params``, if they depend on them."""
        statistics = [
            (part.statistics(params, self.index, each.sessions, each.counts), each.some) for each in self.used
        ]
        return part.add_up(statistics)
