"""Which row of a part's table each step reads: bound to the data once, while the table changes with every pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import ShapeMismatch

FloatArray = npt.NDArray[np.float64]
RowNumbers = npt.NDArray[np.uint32]
Sessions = tuple[int, int]
"""A chunk of the data: the sessions from the first to before the last."""

MANY_ROWS = 4
"""A table of more than so many rows a step of the chunk is not copied for each chunk: only the rows it reads are."""


class Some(NamedTuple):
    """Some rows of a table: their numbers (n,), and how many the table has."""

    rows: npt.NDArray[np.intp]
    size: int


class ChunkRows(NamedTuple):
    """The rows that the steps of a chunk read.

    ``numbers`` (n,) count within ``some`` rows of the table, where a chunk reads few of many; else within all (None).
    ``visits`` says how often each is read.
    """

    numbers: RowNumbers
    some: Some | None
    visits: FloatArray

    def of(self, table: FloatArray) -> FloatArray:
        """The rows of a table that the chunk reads."""
        return table if self.some is None else table[self.some.rows]


@dataclass(frozen=True, eq=False)
class Rows:
    """The number, below ``size``, of a row for each step of some data.

    ``between(first, last)`` gives those of the steps of the sessions from ``first`` to before ``last``. It is asked in
    every pass, for a view of memory, or for codes of data on the disk, which must not fill the memory.
    """

    size: int
    between: Callable[[int, int], RowNumbers]
    _kept: dict[Sessions, tuple[RowNumbers | None, Some | None, FloatArray]] = field(default_factory=dict, repr=False)

    @classmethod
    def of_steps(cls, size: int, numbers: npt.ArrayLike, offsets: npt.NDArray[np.integer[Any]]) -> Rows:
        """From the number of every step (N,)."""
        array = np.ascontiguousarray(numbers, dtype=np.uint32)
        return cls(size, lambda first, last: array[offsets[first] : offsets[last]])

    @classmethod
    def only(cls, offsets: npt.NDArray[np.integer[Any]]) -> Rows:
        """Every step reads the only row; that takes no memory."""
        numbers = np.ndarray(int(offsets[-1]), np.uint32, bytes(4), strides=(0,))
        return cls(1, lambda first, last: numbers[offsets[first] : offsets[last]])

    def chunk(self, sessions: Sessions) -> ChunkRows:
        """The rows of these sessions. What has to be looked for is kept, but not what only has to be read."""
        if sessions not in self._kept:
            self._kept[sessions] = self._looked_through(self.between(*sessions))
        local, some, visits = self._kept[sessions]
        return ChunkRows(self.between(*sessions) if local is None else local, some, visits)

    def count(self, weights: FloatArray, sessions: Sessions) -> FloatArray:
        """(R, K) the steps of these sessions that read each row, counted with weights (n, K)."""
        numbers = self.between(*sessions)
        return np.stack([np.bincount(numbers, each, minlength=self.size) for each in weights.T], axis=1)

    def _looked_through(self, numbers: RowNumbers) -> tuple[RowNumbers | None, Some | None, FloatArray]:
        """A chunk that reads few of many rows gets numbers of its own, so that it counts those rows only."""
        if self.size <= MANY_ROWS * len(numbers):
            return None, None, np.bincount(numbers, minlength=self.size).astype(np.float64)
        read, local, visits = np.unique(numbers, return_inverse=True, return_counts=True)
        return local.astype(np.uint32), Some(read.astype(np.intp), self.size), visits.astype(np.float64)


@dataclass(frozen=True, eq=False)
class StepRows(Rows):
    """Every step has a row of its own, made from ``data`` when it is asked for; there is no table: ``size`` is 0.

    ``kept`` (N, …) is what a part reads of every step, where that is little enough to be made once.
    """

    data: Trajectories = field(kw_only=True)
    kept: FloatArray | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, data: Trajectories) -> StepRows:
        offsets = data.offsets
        return cls(0, lambda first, last: np.arange(offsets[last] - offsets[first], dtype=np.uint32), data=data)

    def slice(self, sessions: Sessions) -> slice:
        """Where the steps of these sessions are."""
        first, last = sessions
        return slice(int(self.data.offsets[first]), int(self.data.offsets[last]))

    def steps(self, sessions: Sessions) -> npt.NDArray[np.intp]:
        """The steps of these sessions."""
        here = self.slice(sessions)
        return np.arange(here.start, here.stop)

    def count(self, weights: FloatArray, sessions: Sessions) -> FloatArray:  # noqa: ARG002
        """Every row is read once."""
        return weights


def add_rows(parts: Sequence[tuple[FloatArray, Some | None]]) -> FloatArray:
    """The sum of what chunks have counted, in their order; each has all rows of the table, or some."""
    size, *others = [counts.shape[0] if some is None else some.size for counts, some in parts]
    for other in others:
        if other != size:
            remedy = "let the size of a table depend on the settings of its part, not on the sessions at hand"
            raise ShapeMismatch(field="the table that some sessions read", shape=other, expected=size, remedy=remedy)
    total = np.zeros((size, *parts[0][0].shape[1:]))
    for counts, some in parts:
        total[slice(None) if some is None else some.rows] += counts
    return total


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view that cannot be written to. To the compiler that is a type: so it compiles one smoother, not two."""
    view = array.view()
    view.flags.writeable = False
    return view


def numbers_below(size: int, rows: npt.NDArray[np.uint32], length: int) -> bool:
    """Whether these are ``length`` numbers below ``size``; one broadcast over all steps is looked at once."""
    if rows.shape != (length,) or rows.dtype != np.uint32:
        return False
    return int(rows[0] if rows.strides == (0,) else rows.max()) < size
