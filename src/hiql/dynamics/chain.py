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


class Done(NamedTuple):
    """What was done in a chunk of sessions: step t is as likely under each intention as ``table[rows[t]]`` (K,) says.

    ``offsets`` (n + 1,) count from the chunk's first step.
    """

    offsets: npt.NDArray[np.int64]
    rows: npt.NDArray[np.uint32]
    table: FloatArray

    @property
    def longest(self) -> int:
        """Steps of the longest session."""
        return int(np.diff(self.offsets).max())


class Smoothed(NamedTuple):
    """Log-likelihood, but for the scale of the choice; expected counts of what the chain reads, as its dynamics takes
    them (``statistics``), and of the rows of what was done, by intention (rows, K)."""

    log_likelihood: float
    moved: Any
    rows: FloatArray


class Follows(Protocol):
    """How intentions follow one another in a chunk of sessions: what a dynamics hands to the engine.

    It has P phases, each of one intention (``phases``, (P,)), and knows the compiled loops over them. ``some`` says
    which rows of the whole tables of beginnings and of moves it reads, if not all.
    """

    @property
    def phases(self) -> npt.NDArray[np.intp]: ...
    @property
    def some(self) -> SomeOfBoth: ...

    def fits(self, done: Done) -> bool:
        """Whether it is for such sessions, and no number is out of range: kernels check nothing."""
        ...

    def smoothed(self, done: Done, posterior: FloatArray | None = None) -> Smoothed:
        """The E-step; ``posterior`` (N, K), where given, receives p(z_t | session)."""
        ...

    def followed(self, done: Done) -> tuple[FloatArray, FloatArray]:
        """(N, P) twice: the phase of each step, known the steps before it, and known that step, too."""
        ...

    def best_path(self, done: Done) -> npt.NDArray[np.int64]:
        """(N,) the intentions on the most likely path through each session."""
        ...

    def drawn(self, done: Done, rng: np.random.Generator) -> tuple[Smoothed, npt.NDArray[np.int64]]:
        """A path (N,) of intentions drawn from p(path | sessions), and how often it has used each row."""
        ...

    def dense(self) -> Any:
        """The same as a :class:`~hiql.dynamics.dense.Chain`, a matrix for each step: for who takes one at a time."""
        ...


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

    def chain(self, params: Params, timeline: Timeline) -> Callable[[Sessions], Follows]:
        """The chain these parameters mean, chunk by chunk."""
        ...

    def statistics(self, params: Params, timeline: Timeline, sessions: Sessions, counts: Any) -> Any:
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
