"""What every kind of intention dynamics hands to the smoother, and what it gets back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.parts.part import FloatArray, Params, Part
from hiql.parts.rows import Rows, Sessions, Some


class Timeline(NamedTuple):
    """What a dynamics reads of the data: ``begins``, a row for each session's beginning, and ``moves``, the row of the
    matrix that leads *into* each step (the entry at a session's first step is ignored).

    Matrices that are computed step by step have no table (:class:`~hiql.parts.rows.StepRows`): a chunk's bank then has
    one for each of its steps.
    """

    begins: Rows
    moves: Rows


SomeOfBoth = tuple[Some | None, Some | None]
"""The rows of beginnings and of moves that a chunk reads, where these are few of many."""


class Chain(NamedTuple):
    """A Markov chain over P phases for a chunk of sessions, probabilities not logs.

    Session n begins with ``initial[begins[n]]`` (P,); ``bank[rows[t]]`` (P, P) leads into step t; ``phases`` (P,) says
    which intention each phase belongs to. A plain Markov chain has P = K, one row and one matrix. ``some`` says which
    rows of the whole tables of beginnings and of moves these are, if not all.
    """

    initial: FloatArray
    begins: npt.NDArray[np.uint32]
    bank: FloatArray
    rows: npt.NDArray[np.uint32]
    phases: npt.NDArray[np.intp]
    some: SomeOfBoth = (None, None)


class ChainCounts(NamedTuple):
    """Expected counts under the posterior: ``initial`` (R, P) and ``transitions`` (M, P, P)."""

    initial: FloatArray
    transitions: FloatArray


class ChainPrior(NamedTuple):
    """Pseudo-counts of a dynamics whose M-step is counting, for compiled passes: shaped like :class:`ChainCounts`."""

    initial: FloatArray
    transitions: FloatArray


class IntentionDynamics(Part[Params], Protocol[Params]):
    """How intentions follow one another. Implemented by small frozen dataclasses."""

    def bind(self, data: Trajectories) -> Timeline:
        """Which row each session and step reads.

        That of a step may depend on that step (not on its action), on the one before it in its session, and on what
        belongs to the whole session. Then simulation can ask for it, with the last two steps of each session as data.
        """
        ...

    def units(self, data: Trajectories) -> npt.NDArray[np.integer[Any]]:
        """(n_sessions,) the unit of smoothing that each session belongs to: intentions go on from one session of a unit
        to the next. Unless a dynamics says otherwise (:class:`~hiql.parts.part.NothingToLearn`), each is its own."""
        ...

    def chain(self, params: Params, timeline: Timeline) -> Callable[[Sessions], Chain]:
        """The chain these parameters mean, chunk by chunk."""
        ...

    def statistics(self, params: Params, timeline: Timeline, sessions: Sessions, counts: ChainCounts) -> Any:
        """What ``update`` wants to know of a chunk whose rows have these expected counts; chunks add up."""
        ...

    def add_up(self, statistics: Sequence[tuple[Any, SomeOfBoth]]) -> Any:
        """The statistics of all data from those of successive chunks, each with the rows that it read."""
        ...

    def conjugate(self, params: Params) -> ChainPrior | None:
        """The pseudo-counts, if ``update`` is nothing but shares of counts and these, and phases are intentions."""
        ...

    def n_free(self, counts: Any) -> int:
        """How many numbers the data could tell, from the statistics of all chunks."""
        ...


SEEN = 0.5
"""A start or move with fewer expected occurrences than this counts as never seen."""


def shares_told(counts: FloatArray) -> int:
    """How many shares of the rows of counts (…, K) the data can tell: in each row, those seen but one.

    A row that was never met tells nothing, and one that always led to the same end has no other to be told from: no
    move out of an intention that is never left, no move at all in sessions of one step.
    """
    seen = np.asarray(counts) >= SEEN
    return int(seen.sum() - seen.any(axis=-1).sum())
