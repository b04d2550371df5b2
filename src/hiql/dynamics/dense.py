"""A Markov chain over phases, with a matrix for each step: what most dynamics hand to the engine."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.dynamics.chain import ChainCounts, Done, Smoothed, SomeOfBoth
from hiql.errors import InvalidNumberOfIntentions
from hiql.kernels.exact_smoother import has_raised, smooth_sessions
from hiql.kernels.filtering import filter_sessions
from hiql.kernels.log_smoother import log_filter_sessions
from hiql.kernels.path_draws import draw_lost_sessions, draw_sessions
from hiql.kernels.smoother import MOST_PHASES
from hiql.kernels.viterbi import viterbi_sessions
from hiql.parts.part import FloatArray
from hiql.parts.rows import numbers_below, read_only


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

    def fits(self, done: Done) -> bool:
        n_phases, n_intentions = len(self.phases), done.table.shape[-1]
        if n_phases > MOST_PHASES:
            raise InvalidNumberOfIntentions(n_intentions=n_phases, remedy=f"choose at most {MOST_PHASES}")
        shapes = self.initial.shape[1:] == (n_phases,) and self.bank.shape[1:] == (n_phases, n_phases)
        return (
            shapes
            and numbers_below(len(self.initial), self.begins, len(done.offsets) - 1)
            and numbers_below(len(self.bank), self.rows, int(done.offsets[-1]))
            and all(0 <= intention < n_intentions for intention in self.phases.tolist())
        )

    def smoothed(self, done: Done, posterior: FloatArray | None = None) -> Smoothed:
        """A work array of (N, P) keeps all posteriors, one of (max T, P) serves one session at a time."""
        tables, n_phases = self.tables(done.table), len(self.phases)
        counted = tuple(np.empty(table.shape) for table in tables)
        *steps, moves = self._steps(done)
        work = np.empty((done.longest if posterior is None else len(done.rows), n_phases))
        at = (0,) * n_phases, (0, len(done.offsets) - 1, 1), (*steps, moves_of(self.bank, moves))
        log_likelihood = smooth_sessions(*at, tables, work, counted)
        if posterior is not None:
            posterior[:] = self._by_intention(work, done)
        initial, transitions, rows = counted
        return Smoothed(log_likelihood, ChainCounts(initial, transitions), self._by_intention(rows, done))

    def followed(self, done: Done) -> tuple[FloatArray, FloatArray]:
        """A chain without zeros forgets: no number becomes too small to matter later. Others are followed in
        logarithms."""
        predicted, filtered = np.empty((2, len(done.rows), len(self.phases)))
        zeros = has_raised(self.initial) or has_raised(self.bank)
        follow = log_filter_sessions if zeros else filter_sessions
        follow(self._steps(done), self.tables(done.table), predicted, filtered)
        return predicted, filtered

    def best_path(self, done: Done) -> npt.NDArray[np.int64]:
        """The intentions of the phases on the most likely path of phases."""
        with np.errstate(divide="ignore"):
            log_tables = tuple(np.log(table) for table in self.tables(done.table))
        path = np.empty(len(done.rows), dtype=np.int64)
        viterbi_sessions(self._steps(done), log_tables, path)
        return self.phases[path]

    def drawn(self, done: Done, rng: np.random.Generator) -> tuple[Smoothed, npt.NDArray[np.int64]]:
        """Sessions that lose all their weight on the way are drawn again in logarithms."""
        tables = self.tables(done.table)
        offsets, pairs, begins, moves = self._steps(done)
        steps = offsets, pairs, begins, read_only(np.ascontiguousarray(moves))
        initial, transitions, rows = counted = tuple(np.zeros(table.shape) for table in tables)
        path, lost = np.empty(len(pairs), dtype=np.int64), np.empty(len(offsets) - 1, dtype=np.bool_)
        room = np.empty((done.longest, len(self.phases)))
        found = draw_sessions(steps, tables, rng.random(len(pairs)), room, path, counted, lost)
        if lost.any():
            found += draw_lost_sessions(steps, tables, rng.random(len(pairs)), path, counted, lost)
        used = Smoothed(found, ChainCounts(initial, transitions), self._by_intention(rows, done))
        return used, self.phases[path]

    def dense(self) -> Chain:
        return self

    def tables(self, done: FloatArray) -> tuple[FloatArray, ...]:
        """Beginnings (R, P), the bank (M, P, P) and what was done (rows, P), in the order of memory."""
        table = done if self._phases_are_intentions(done.shape[-1]) else done[:, self.phases]
        return tuple(np.ascontiguousarray(each) for each in (self.initial, self.bank, table))

    def _steps(self, done: Done) -> tuple[Any, ...]:
        begins = read_only(np.ascontiguousarray(self.begins))
        return read_only(done.offsets), read_only(done.rows), begins, self.rows

    def _phases_are_intentions(self, n_intentions: int) -> bool:
        """Whether every intention has one phase, in order: then there is nothing to map, as in a plain Markov chain."""
        return bool(self.phases.tolist() == list(range(n_intentions)))

    def _by_intention(self, per_phase: FloatArray, done: Done) -> FloatArray:
        """(…, K) sums over the phases of each intention."""
        n_intentions = done.table.shape[-1]
        mapped = self._phases_are_intentions(n_intentions)
        return per_phase if mapped else per_phase @ np.eye(n_intentions)[self.phases]


def moves_of(bank: FloatArray, moves: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32] | None:
    """What the smoother takes for the matrices that lead into steps: None where there is only one to choose."""
    return None if len(bank) == 1 else read_only(np.ascontiguousarray(moves))
