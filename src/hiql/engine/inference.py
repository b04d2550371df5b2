"""Inference for given parameters: expected counts, smoothed and causal posteriors, the most likely path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.choices.choice import Taken
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import Follows, SomeOfBoth
from hiql.engine.chunk import Chunk
from hiql.engine.threads import map_in_threads
from hiql.parts.part import FloatArray
from hiql.parts.rows import Sessions, Some

AddUp = Callable[[Sequence[tuple[FloatArray, Some | None]]], FloatArray]
AddMoves = Callable[[Sequence[tuple[Any, SomeOfBoth]]], Any]
STEPS_PER_CHUNK = 50_000
"""A chunk has at least this many steps, and as many as there are pairs (s, a): each chunk counts for itself."""
FEWEST_CHUNKS = 8
"""Data of fewer are one chunk: a pass over them takes some milliseconds, too little to share among threads."""
MOST_CHUNKS = 16
"""Few, as their counts are kept until all are done; enough for two or four threads to end at the same time."""


@dataclass(frozen=True, eq=False)
class Reading:
    """Everything the smoother looks up, for any chunk of the sessions of ``data``: what the two parts say.

    ``statistics(sessions, counts)`` turns the expected counts of the rows that a chunk has read into what the choice
    wants to know of it, and ``add_up`` those of all chunks into what it wants to know of the data; ``moved`` and
    ``add_moves`` do so for the dynamics.
    """

    data: Trajectories
    n_intentions: int
    chain: Callable[[Sessions], Follows]
    taken: Callable[[Sessions], Taken]
    statistics: Callable[[Sessions, FloatArray], FloatArray]
    add_up: AddUp
    moved: Callable[[Sessions, Any], Any]
    add_moves: AddMoves

    def chunk(self, sessions: Sessions) -> Chunk:
        """What both parts say of these sessions, ready for the kernels."""
        first, last = sessions
        offsets = self.data.offsets[first : last + 1]
        return Chunk(offsets - offsets[0], self.chain(sessions), self.taken(sessions), self.n_intentions).checked()

    @cached_property
    def all_sessions(self) -> Chunk:
        return self.chunk((0, self.data.n_sessions))


class Expectation(NamedTuple):
    """The outcome of an E-step: log-likelihood, and the statistics of the dynamics and of the choice."""

    log_likelihood: float
    chain: Any
    choice: FloatArray


class Counted(NamedTuple):
    """The outcome of an E-step on a chunk: statistics of ``some`` rows of each part's tables, or of all (None)."""

    log_likelihood: float
    chain: Any
    some_moves: SomeOfBoth
    choice: FloatArray
    some: Some | None


def expect(reading: Reading, n_threads: int = 1) -> Expectation:
    """The E-step. The result does not depend on ``n_threads``: the data are cut into the same chunks regardless."""
    counted = map_in_threads(partial(count_sessions, reading), chunks(reading.data), n_threads)
    return add_up(counted, reading.add_moves, reading.add_up)


def count_sessions(reading: Reading, sessions: Sessions) -> Counted:
    """One pass over a chunk: the sessions from the first to before the last of ``sessions``."""
    chunk = reading.chunk(sessions)
    found = chunk.smoothed()
    statistics, moved = reading.statistics(sessions, found.rows), reading.moved(sessions, found.moved)
    total = found.log_likelihood + chunk.taken.log_scale()
    return Counted(total, moved, chunk.chain.some, statistics, chunk.taken.some)


def add_up(counted: Sequence[Counted], moves: AddMoves, statistics: AddUp) -> Expectation:
    """The E-step of all sessions from its chunks, added in their order: the same bits wherever they were counted."""
    log_likelihood = sum(part.log_likelihood for part in counted)
    chain = moves([(part.chain, part.some_moves) for part in counted])
    return Expectation(log_likelihood, chain, statistics([(part.choice, part.some) for part in counted]))


def is_possible(reading: Reading) -> bool:
    """Whether every session has a possible path. A chain always goes on; only choices rule out what was done."""
    return bool((reading.all_sessions.taken.table > 0).all()) or expect(reading).log_likelihood > -np.inf


def smooth(reading: Reading) -> FloatArray:
    """(N, K) p(z_t | the whole session); a step that makes its session impossible is passed over like a missing one."""
    posterior = np.empty((reading.data.n_steps, reading.n_intentions))
    reading.all_sessions.smoothed(posterior)
    return posterior


def causal(reading: Reading) -> tuple[FloatArray, FloatArray]:
    """(N, K) twice: p(z_t | steps before t) and p(z_t | steps up to t)."""
    chunk = reading.all_sessions
    predicted, filtered = chunk.followed()
    return chunk.by_intention(predicted), chunk.by_intention(filtered)


def most_likely_path(reading: Reading) -> npt.NDArray[np.int64]:
    """(N,) the intentions on the most likely path through each session (Viterbi)."""
    return reading.all_sessions.best_path()


def drawn_path(reading: Reading, rng: np.random.Generator, *, seen: bool = True) -> npt.NDArray[np.int64]:
    """(N,) a path drawn from p(z | data), or, if nothing is to have been ``seen``, from the chain alone."""
    chunk = reading.all_sessions
    return (chunk if seen else chunk.unseen).drawn(rng)[1]


def chunks(data: Trajectories) -> list[Sessions]:
    """Ranges of sessions, of whole units and about equal numbers of steps; they depend on the data alone."""
    least = max(STEPS_PER_CHUNK, data.n_states * data.n_actions)
    n_chunks = min(data.n_steps // least, MOST_CHUNKS)
    if n_chunks < FEWEST_CHUNKS:
        return [(0, data.n_sessions)]
    units = data.unit_offsets
    marks = np.searchsorted(data.offsets[units], [data.n_steps * n // n_chunks for n in range(n_chunks + 1)])
    return list(pairwise(sorted(set(units[marks].tolist()))))
