"""The door to the kernels: what the parts say of some sessions, checked once, and the compiled loops over it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.choices.choice import Taken
from hiql.dynamics.chain import Chain
from hiql.errors import InvalidNumberOfIntentions, ShapeMismatch
from hiql.kernels.exact_smoother import has_raised, smooth_sessions
from hiql.kernels.filtering import filter_sessions
from hiql.kernels.log_smoother import log_filter_sessions
from hiql.kernels.path_draws import draw_lost_sessions, draw_sessions
from hiql.kernels.smoother import MOST_PHASES
from hiql.kernels.viterbi import viterbi_sessions
from hiql.parts.part import FloatArray


class Smoothed(NamedTuple):
    """Log-likelihood, but for the scale of the choice, and expected counts of beginnings, moves and rows, by phase."""

    log_likelihood: float
    initial: FloatArray
    transitions: FloatArray
    rows: FloatArray


class Chunk(NamedTuple):
    """Some sessions, ``offsets`` counted from their first step, and what both parts say of them."""

    offsets: npt.NDArray[np.int64]
    chain: Chain
    taken: Taken
    n_intentions: int

    @property
    def n_phases(self) -> int:
        return len(self.chain.phases)

    @property
    def _phases_are_intentions(self) -> bool:
        """Whether every intention has one phase, in order: then there is nothing to map, as in a plain Markov chain."""
        return bool(self.chain.phases.tolist() == list(range(self.n_intentions)))

    def by_intention(self, per_phase: FloatArray) -> FloatArray:
        """(…, K) sums over the phases of each intention."""
        return per_phase if self._phases_are_intentions else per_phase @ np.eye(self.n_intentions)[self.chain.phases]

    # --- the compiled loops ------------------------------------------------------------------------------------

    @property
    def _steps(self) -> tuple[Any, ...]:
        begins = read_only(np.ascontiguousarray(self.chain.begins))
        return read_only(self.offsets), read_only(self.taken.rows), begins, self.chain.rows

    @property
    def tables(self) -> tuple[FloatArray, ...]:
        """Beginnings (R, P), the bank (M, P, P) and what was done (rows, P), in the order of memory."""
        table = self.taken.table if self._phases_are_intentions else self.taken.table[:, self.chain.phases]
        return tuple(np.ascontiguousarray(each) for each in (self.chain.initial, self.chain.bank, table))

    def smoothed(self, work: FloatArray) -> Smoothed:
        """The E-step; ``work`` (N, P) receives all posteriors, or (max T, P) serves one session at a time."""
        tables = self.tables
        counted = tuple(np.empty(table.shape) for table in tables)
        *steps, moves = self._steps
        at = (0,) * self.n_phases, (0, len(self.offsets) - 1, 1), (*steps, moves_of(self.chain.bank, moves))
        return Smoothed(smooth_sessions(*at, tables, work, counted), *counted)

    def drawn(self, rng: np.random.Generator) -> tuple[Smoothed, npt.NDArray[np.int64]]:
        """A path of phases (n,) drawn from p(path | sessions), and how often it has used each row."""
        offsets, pairs, begins, moves = self._steps
        steps = offsets, pairs, begins, read_only(np.ascontiguousarray(moves))
        counted = tuple(np.zeros(table.shape) for table in self.tables)
        path, lost = np.empty(len(pairs), dtype=np.int64), np.empty(len(offsets) - 1, dtype=np.bool_)
        room = np.empty((int(np.diff(offsets).max()), self.n_phases))
        found = draw_sessions(steps, self.tables, rng.random(len(pairs)), room, path, counted, lost)
        if lost.any():
            found += draw_lost_sessions(steps, self.tables, rng.random(len(pairs)), path, counted, lost)
        return Smoothed(found, *counted), path

    def followed(self) -> tuple[FloatArray, FloatArray]:
        """(N, P) twice: p(z_t | steps before t) and p(z_t | steps up to t).

        A chain without zeros forgets: no number becomes too small to matter later. Others are followed in logarithms.
        """
        predicted, filtered = np.empty((2, len(self.taken.rows), self.n_phases))
        zeros = has_raised(self.chain.initial) or has_raised(self.chain.bank)
        (log_filter_sessions if zeros else filter_sessions)(self._steps, self.tables, predicted, filtered)
        return predicted, filtered

    def best_path(self) -> npt.NDArray[np.int64]:
        """(N,) the phases on the most likely path through each session."""
        with np.errstate(divide="ignore"):
            log_tables = tuple(np.log(table) for table in self.tables)
        path = np.empty(len(self.taken.rows), dtype=np.int64)
        viterbi_sessions(self._steps, log_tables, path)
        return path

    # --- the check: kernels do not look whether an index is in range --------------------------------------------

    def checked(self) -> Chunk:
        """Itself, if chain, choice and sessions fit each other."""
        initial, begins, bank, moves, phases, _ = self.chain
        if self.n_phases > MOST_PHASES:
            raise InvalidNumberOfIntentions(n_intentions=self.n_phases, remedy=f"choose at most {MOST_PHASES}")
        n_sessions, n_steps = len(self.offsets) - 1, int(self.offsets[-1])
        fits = initial.shape[1:] == phases.shape and bank.shape[1:] == phases.shape * 2
        fits = fits and _numbers(begins, n_sessions, len(initial)) and _numbers(moves, n_steps, len(bank))
        fits = fits and self.taken.table.shape[1:] == (self.n_intentions,)
        fits = fits and _numbers(self.taken.rows, n_steps, len(self.taken.table))
        if not (fits and all(0 <= intention < self.n_intentions for intention in phases.tolist())):
            shapes = initial.shape, begins.shape, bank.shape, moves.shape, self.taken.table.shape, self.taken.rows.shape
            wanted = ("R", "P"), (n_sessions,), ("M", "P", "P"), (n_steps,), ("rows", self.n_intentions), (n_steps,)
            remedy = "let the parts give each session and step the number of a row they have, and known intentions"
            raise ShapeMismatch(field="chain and choice", shape=shapes, expected=wanted, remedy=remedy)
        return self


def moves_of(bank: FloatArray, moves: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32] | None:
    """What the smoother takes for the matrices that lead into steps: None where there is only one to choose."""
    return None if len(bank) == 1 else read_only(np.ascontiguousarray(moves))


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view that cannot be written to. To the compiler that is a type: so it compiles one smoother, not two."""
    view = array.view()
    view.flags.writeable = False
    return view


def _numbers(rows: npt.NDArray[np.uint32], length: int, size: int) -> bool:
    """Whether these are ``length`` numbers below ``size``; one broadcast over all steps is looked at once."""
    if rows.shape != (length,) or rows.dtype != np.uint32:
        return False
    return int(rows[0] if rows.strides == (0,) else rows.max()) < size
