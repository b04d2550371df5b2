"""Each intention a row of phases: what a clock with durations of its own hands to the engine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.dynamics.chain import Done, Smoothed, SomeOfBoth
from hiql.dynamics.dense import Chain
from hiql.dynamics.durations import duration_proba, survival_proba
from hiql.kernels.log_phases import log_filter_phase_sessions
from hiql.kernels.phase_smoother import smooth_phase_sessions
from hiql.kernels.segments import best_segments_of_sessions
from hiql.parts.part import FloatArray
from hiql.parts.rows import numbers_below, read_only

TOGETHER = 4
"""Phases that the processor takes at a time."""


class PhaseCounts(NamedTuple):
    """Expected counts: ``firsts`` (R, K, n), phases that sessions begin in; ``entries`` (K, n), phases that intentions
    are entered at; ``stays`` (K, 2), how often a phase was kept and left; ``following`` (K, K)."""

    firsts: FloatArray
    entries: FloatArray
    stays: FloatArray
    following: FloatArray


class PhaseChain(NamedTuple):
    """K intentions of n phases, in a row, for a chunk of sessions; probabilities, not logs.

    Session s begins with ``firsts[begins[s]]`` (K, n). After each step, intention i stays in its phase with probability
    ``stay[i]`` and goes on to the next one with ``leave[i]``; from the last it goes on to j with ``following[i, j]``,
    which is entered at the phase drawn from ``entry[j]`` (n,). ``rows`` (N,) are zeros: all steps are alike. What a
    posterior says in place of probabilities need not sum to 1, and has counts, but no best path.
    """

    firsts: FloatArray
    begins: npt.NDArray[np.uint32]
    rows: npt.NDArray[np.uint32]
    stay: FloatArray
    leave: FloatArray
    entry: FloatArray
    following: FloatArray
    some: SomeOfBoth = (None, None)

    @property
    def phases(self) -> npt.NDArray[np.intp]:
        return np.repeat(np.arange(len(self.stay)), self.entry.shape[1])

    def fits(self, done: Done) -> bool:
        k, n = done.table.shape[-1], self.entry.shape[-1]
        shapes = self.stay.shape, self.leave.shape, self.entry.shape, self.following.shape, self.firsts.shape[1:]
        fits = shapes == ((k,), (k,), (k, n), (k, k), (k, n))
        fits = fits and numbers_below(1, self.rows, int(done.offsets[-1]))
        return fits and numbers_below(len(self.firsts), self.begins, len(done.offsets) - 1)

    def smoothed(self, done: Done, posterior: FloatArray | None = None) -> Smoothed:
        """The phases are told from what flows: an index that grows by one at each advance has grown, in all, by where
        intentions are left and found in the end less where they began and were entered."""
        firsts, entry = (_in_fours(table) for table in (self.firsts, self.entry))
        (k, n), n_phases = entry.shape, self.entry.shape[1]
        begun, entries, ends = np.empty(firsts.shape), np.empty((k, n)), np.empty((2, k))
        following, rows = np.empty((k, k)), np.empty((len(done.table), k))
        work = np.empty((done.longest, k)) if posterior is None else posterior
        tables = self.stay, self.leave, entry, np.ascontiguousarray(self.following), np.ascontiguousarray(done.table)
        counted = begun, entries, following, ends, rows
        at = (0,) * k, (0,) * (n // TOGETHER), self._steps(done)
        log_likelihood = smooth_phase_sessions(*at, firsts, tables, work, counted)
        left, index = following.sum(axis=1), np.arange(n)
        advanced = (n - 1) * left + ends[1] - (begun.sum(axis=0) + entries) @ index
        stayed = rows.sum(axis=0) - ends[0] - advanced - left
        stays = np.maximum(np.stack([stayed, advanced + left], axis=1), 0.0)
        moved = PhaseCounts(begun[..., n - n_phases :], entries[:, n - n_phases :], stays, following)
        return Smoothed(log_likelihood, moved, rows)

    def followed(self, done: Done) -> tuple[FloatArray, FloatArray]:
        """In logarithms: phases in a row never forget."""
        shape = len(done.rows), *self.entry.shape
        predicted, filtered = np.empty(shape), np.empty(shape)
        tables = self.stay, self.leave, self.entry, self.following, np.ascontiguousarray(done.table)
        log_filter_phase_sessions(self._steps(done), self.firsts, tables, predicted, filtered)
        return predicted.reshape(len(done.rows), -1), filtered.reshape(len(done.rows), -1)

    def best_path(self, done: Done) -> npt.NDArray[np.int64]:
        """The most likely path of intentions, whatever the phases."""
        longest = done.longest
        with np.errstate(divide="ignore"):
            log_firsts, log_last = (
                np.log(np.stack([of(table, self.stay, longest) for of in (duration_proba, survival_proba)], axis=-3))
                for table in (self.firsts, self.entry)
            )
            log_following, log_table = np.log(self.following), np.log(done.table)
        path = np.empty(len(done.rows), dtype=np.int64)
        best_segments_of_sessions(self._steps(done), log_firsts, log_last, log_following, log_table, path)
        return path

    def drawn(self, done: Done, rng: np.random.Generator) -> tuple[Smoothed, npt.NDArray[np.int64]]:
        """Phase by phase. An intention that follows itself may have kept its last phase, or been left for it."""
        used, path = self.dense().drawn(done, rng)
        (k, n), each = self.entry.shape, np.arange(len(self.stay))
        moves = used.moved.transitions.reshape(k, n, k, n)
        kept = np.einsum("ipip->ip", moves).copy()
        again = self.leave * self.following[each, each] * self.entry[:, -1]
        kept[:, -1] -= rng.binomial(kept[:, -1].astype(np.int64), again / np.maximum(again + self.stay, 1e-300))
        left = moves[:, -1].copy()
        left[each, each, -1] -= kept[:, -1]
        following, entries = left.sum(axis=2), left.sum(axis=0)
        advanced = np.einsum("ipip->i", moves[:, :-1, :, 1:])
        stays = np.stack([kept.sum(axis=1), advanced + following.sum(axis=1)], axis=1)
        begun = used.moved.initial.reshape(-1, k, n)
        return used._replace(moved=PhaseCounts(begun, entries, stays, following)), path

    def dense(self) -> Chain:
        """One (P, P) matrix leads into every step."""
        k, n = self.entry.shape
        matrix = np.zeros((k, n, k, n))
        each, phase = np.arange(k), np.arange(n)
        matrix[:, -1] = (self.leave[:, None] * self.following)[..., None] * self.entry
        matrix[each[:, None], phase[:-1], each[:, None], phase[1:]] = self.leave[:, None]
        matrix[each[:, None], phase, each[:, None], phase] += self.stay[:, None]
        firsts, bank = self.firsts.reshape(-1, k * n), matrix.reshape(1, k * n, k * n)
        return Chain(firsts, self.begins, bank, self.rows, self.phases, self.some)

    def _steps(self, done: Done) -> tuple[npt.NDArray[np.integer], ...]:
        return read_only(done.offsets), read_only(done.rows), read_only(np.ascontiguousarray(self.begins))


def _in_fours(table: FloatArray) -> FloatArray:
    """The table with phases in front that are never met, so that four go into their number."""
    missing = -table.shape[-1] % TOGETHER
    return np.ascontiguousarray(np.pad(table, [(0, 0)] * (table.ndim - 1) + [(missing, 0)]))
