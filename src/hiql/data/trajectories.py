"""Trajectories: sessions of (state, action, next state), flat, ragged, validated once, read-only."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.blocks import BLOCK, in_blocks, mapped_file
from hiql.data.given_sessions import check_sessions, session_indices
from hiql.data.memory import Happened, Memory, memory_of
from hiql.data.step_columns import (
    SESSION_COLUMNS,
    STEP_COLUMNS,
    FloatArray,
    IntArray,
    first_place,
    locate,
    no_columns,
    nothing,
)
from hiql.data.validation import check_fields, filled_in

MOST_REMEMBERED = 2**24
"""Steps of mapped data up to which ``pairs`` are kept in memory (64 MiB); beyond, they are coded anew where needed."""


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Behaviour of one or more animals: ``n_sessions`` sessions, each a sequence of decisions.

    Decision t of a session is (s_t, a_t, s_{t+1}). The sessions lie one after another in flat arrays; session
    i occupies ``offsets[i]:offsets[i + 1]``. Codes run from 0; -1 marks a missing state or action, which
    counts as no evidence: intentions still pass through that step, but it says nothing about them.

    Build one with :meth:`from_arrays`, :meth:`from_dataframe`, :func:`hiql.read_table` or
    :func:`hiql.bandit_trials`; everything is checked here, once, and the arrays are read-only afterwards. Arrays that
    lie in a file (``np.memmap`` of int32) stay there: see :func:`hiql.open_trajectories` for data larger than memory.

    Attributes
    ----------
    states, actions, next_states : (N,) int32
        ``next_states`` is what followed each decision; -1 where unknown (usually a session's last step).
    offsets : (n_sessions + 1,) int64
    session_names, subjects : one string a session
    state_labels, action_labels : what the codes mean, or None when they are their own labels
    intentions : (N,) int32 or None
        The true intentions, where a simulation knows them.
    inputs, input_names : (N, D) float64, and one name a column
        Numbers known before the action, in the user's units. A step with an input of NaN carries no evidence.
    contexts, context_names, context_labels : (N, C) int32, and for each column a name and what its codes mean
        Discrete circumstances known before the action; -1 where unknown, which costs no evidence.
    outcomes, outcome_labels : (N,) float64 or None
        What followed the action: an amount of reward, or a code where there are labels; NaN where unknown.
    session_order : (n_sessions,) int64, the number of each session among those of its subject, from 0
    session_days : (n_sessions,) float64, the day of each session in its subject's own count; NaN where unknown
    memory : how the inputs that are traces of the past were made, or None; see :meth:`with_memory`
    """

    states: IntArray
    actions: IntArray
    next_states: IntArray
    offsets: IntArray
    n_states: int
    n_actions: int
    session_names: tuple[str, ...]
    subjects: tuple[str, ...]
    state_labels: tuple[Hashable, ...] | None = None
    action_labels: tuple[Hashable, ...] | None = None
    intentions: IntArray | None = None
    inputs: FloatArray = field(default_factory=no_columns)
    input_names: tuple[str, ...] = ()
    contexts: IntArray = field(default_factory=no_columns)
    context_names: tuple[str, ...] = ()
    context_labels: tuple[tuple[Hashable, ...], ...] = ()
    outcomes: FloatArray | None = None
    outcome_labels: tuple[Hashable, ...] | None = None
    session_order: IntArray = field(default_factory=nothing)
    session_days: FloatArray = field(default_factory=nothing)
    memory: Memory | None = None

    def __post_init__(self) -> None:
        check_sessions(self.offsets, self.session_names, self.subjects)
        for name, values in filled_in(self).items():
            object.__setattr__(self, name, values)
        check_fields(self)
        for name, kind in (STEP_COLUMNS | SESSION_COLUMNS | {"offsets": np.int64}).items():
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _frozen(getattr(self, name), kind))

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle holds no cached arrays, and what comes out of it is read-only again.
        return type(self), tuple(getattr(self, f.name) for f in fields(self))

    # --- making one ----------------------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        states: Sequence[Any] | npt.ArrayLike | None,
        actions: Sequence[Any] | npt.ArrayLike,
        next_states: Sequence[Any] | npt.ArrayLike | None = None,
        subjects: Sequence[object] | None = None,
        n_states: int | None = None,
        n_actions: int | None = None,
        *,
        session_names: Sequence[object] | None = None,
        state_labels: Sequence[Hashable] | None = None,
        action_labels: Sequence[Hashable] | None = None,
        intentions: Sequence[Any] | npt.ArrayLike | None = None,
        inputs: Sequence[Any] | npt.ArrayLike | None = None,
        input_names: Sequence[str] | None = None,
        contexts: Mapping[str, Any] | None = None,
        outcomes: Sequence[Any] | npt.ArrayLike | None = None,
        session_order: npt.ArrayLike | None = None,
        session_days: npt.ArrayLike | None = None,
        missing_inputs: str = "error",
    ) -> Trajectories:
        """From one array of codes a session.

        ``states`` and ``actions`` are sequences of 1-D arrays (ragged sessions), 2-D arrays (one row a
        session) or plain 1-D arrays (a single session). NaN and -1 mean missing. ``states=None`` means that there is
        one state. Without ``next_states``, what follows a step is the state of the next step, unknown at a session's
        end. ``n_states`` and ``n_actions`` default to the largest code plus one: give them when the world has more.

        ``inputs`` has one array (steps, D) a session, or (steps,) for a single input; NaN and infinite values are an
        error, or with ``missing_inputs="skip"`` make their step carry no evidence. ``contexts`` maps the name of each
        context to one array of labels a session, and ``outcomes`` has one array of numbers a session.
        """
        from hiql.data.arrays import flat_columns, flat_steps

        steps = flat_steps(states, actions, next_states, intentions, subjects, session_names)
        known = max(steps["states"].max(), steps["next_states"].max()) + 1
        return cls(
            **steps,
            **flat_columns(steps, inputs, input_names, contexts, outcomes, missing_inputs),
            n_states=_size(n_states, state_labels, known),
            n_actions=_size(n_actions, action_labels, steps["actions"].max() + 1),
            state_labels=None if state_labels is None else tuple(state_labels),
            action_labels=None if action_labels is None else tuple(action_labels),
            session_order=nothing() if session_order is None else np.asarray(session_order),
            session_days=nothing() if session_days is None else np.asarray(session_days),
        )

    @classmethod
    def from_dataframe(cls, table: pd.DataFrame, **columns: Any) -> Trajectories:
        """From a table; the same as :func:`hiql.read_table`, which see for the column arguments."""
        from hiql.data.reading import read_table

        return read_table(table, **columns)

    # --- looking at it -------------------------------------------------------------------------------------

    @property
    def n_sessions(self) -> int:
        """Number of sessions."""
        return len(self.offsets) - 1

    @property
    def n_steps(self) -> int:
        """The number of decisions, missing ones included."""
        return len(self.states)

    @property
    def n_observed(self) -> int:
        """The number of decisions that carry evidence (see :attr:`observed`)."""
        return int(self.pair_counts.sum())

    @cached_property
    def lengths(self) -> IntArray:
        """(n_sessions,) steps of each session."""
        return _frozen(np.diff(self.offsets), np.int64)

    @cached_property
    def pairs(self) -> npt.NDArray[np.uint32]:
        """(N,) the code s·A + a of each step, and S·A where it carries no evidence (see :attr:`observed`)."""
        return _frozen(self._coded(slice(None)), np.uint32)

    def pairs_between(self, first: int, last: int) -> npt.NDArray[np.uint32]:
        """The part of :attr:`pairs` that belongs to the sessions from ``first`` to before ``last``.

        In memory it is a view. For large mapped data it is coded for the occasion, so that memory does not grow.
        """
        return self._pairs_of(slice(int(self.offsets[first]), int(self.offsets[last])))

    def seen_actions(self, steps: slice) -> npt.NDArray[np.int32]:
        """(n,) the actions of these steps, −1 where a step carries no evidence (see :attr:`observed`)."""
        pairs = self._pairs_of(steps)
        return np.where(pairs < self.n_states * self.n_actions, pairs % self.n_actions, -1).astype(np.int32)

    def _pairs_of(self, steps: slice) -> npt.NDArray[np.uint32]:
        return self._coded(steps) if self._is_streamed else self.pairs[steps]

    @cached_property
    def _is_streamed(self) -> bool:
        return self.n_steps > MOST_REMEMBERED and mapped_file(self.states) is not None

    def _coded(self, steps: slice) -> npt.NDArray[np.uint32]:
        states, actions = self.states[steps], self.actions[steps]
        pairs = np.empty(len(states), dtype=np.uint32)
        for start, (state, action) in in_blocks(states, actions):
            codes = pairs[start : start + len(state)]
            np.multiply(state.view(np.uint32), np.uint32(self.n_actions), out=codes)  # a missing code may overflow
            codes += action.view(np.uint32)
            np.copyto(codes, self.n_states * self.n_actions, where=(state | action) < 0)
        if self.has_missing_inputs:
            for start, (part,) in in_blocks(self.inputs[steps]):
                pairs[start : start + len(part)][np.isnan(part).any(axis=1)] = self.n_states * self.n_actions
        return pairs

    @cached_property
    def has_missing_inputs(self) -> bool:
        """Whether any step has an input of NaN."""
        return first_place(self.inputs, np.isnan) is not None

    @property
    def observed(self) -> npt.NDArray[np.bool_]:
        """(N,) which steps carry evidence: state and action are known, and no input is missing."""
        return self.pairs < self.n_states * self.n_actions

    @cached_property
    def pair_counts(self) -> npt.NDArray[np.float64]:
        """(S, A) how often each action was taken in each state."""
        size = self.n_states * self.n_actions
        counts = np.zeros(size + 1, dtype=np.int64)
        block = max(BLOCK, size)  # each block costs a pass over the counts
        for start in range(0, self.n_steps, block):
            counts += np.bincount(self._pairs_of(slice(start, start + block)), minlength=size + 1)
        return _frozen(counts[:size].reshape(self.n_states, self.n_actions), np.float64)

    @cached_property
    def has_next_states(self) -> bool:
        """Whether the state that followed is known at any step."""
        return any(bool((part >= 0).any()) for _, (part,) in in_blocks(self.next_states))

    @cached_property
    def session_of_step(self) -> IntArray:
        """(N,) the index of the session each step belongs to."""
        return _frozen(np.repeat(np.arange(self.n_sessions), self.lengths), np.int64)

    @cached_property
    def time(self) -> IntArray:
        """(N,) the position of each step within its session, from 0."""
        return _frozen(np.arange(self.n_steps) - np.repeat(self.offsets[:-1], self.lengths), np.int64)

    @cached_property
    def unit_of_session(self) -> IntArray:
        """(n_sessions,) the unit of smoothing that each session belongs to, from 0, in order.

        Intentions follow one another within a unit and start anew with the next, so what divides data (folds,
        bootstrap, chunks) keeps units whole. Each session is a unit of its own: sessions cannot be linked yet.
        """
        return _frozen(np.arange(self.n_sessions), np.int64)

    @property
    def unit_offsets(self) -> IntArray:
        """(units + 1,) where units begin and end, in sessions."""
        begins = np.flatnonzero(np.diff(self.unit_of_session, prepend=-1))
        return np.append(begins, self.n_sessions)

    def locate(self, step: int) -> tuple[str, int]:
        """The session's name and the step within it, for a flat index."""
        return locate(step, self.offsets, self.session_names)

    def session(self, index: int) -> slice:
        """Where session ``index`` lies in the flat arrays."""
        return slice(int(self.offsets[index]), int(self.offsets[index + 1]))

    @property
    def shape(self) -> tuple[int]:
        """(n_sessions,): to scikit-learn, a session is a sample."""
        return (self.n_sessions,)

    def __len__(self) -> int:
        return self.n_sessions

    def __getitem__(self, sessions: Any) -> Trajectories:
        """The sessions with these numbers, as :meth:`select` gives them; a number, a slice, numbers or a mask.

        So ``cross_val_score`` and ``GridSearchCV`` of scikit-learn split data by session.
        """
        index = sessions[0] if isinstance(sessions, tuple) and len(sessions) == 2 else sessions  # X[numbers, ...]
        if isinstance(index, slice):
            index = np.arange(self.n_sessions)[index]
        elif isinstance(index, int | np.integer):
            if not -self.n_sessions <= index < self.n_sessions:
                raise IndexError(f"there are {self.n_sessions} sessions, so session {index} is none of them")
            index = [int(index) % self.n_sessions]
        return self.select(index)

    def __repr__(self) -> str:
        missing = self.n_steps - self.n_observed
        return (
            f"Trajectories({self.n_sessions} sessions of {len(set(self.subjects))} subject(s), "
            f"{self.n_steps} steps ({missing} missing), {self.n_states} states, {self.n_actions} actions"
            f"{self._listed('inputs', self.input_names)}{self._listed('contexts', self.context_names)})"
        )

    @staticmethod
    def _listed(what: str, names: tuple[str, ...]) -> str:
        more = ", …" if len(names) > 6 else ""
        return f", {what} {', '.join(names[:6])}{more}" if names else ""

    # --- taking parts of it --------------------------------------------------------------------------------

    def select(self, sessions: npt.ArrayLike) -> Trajectories:
        """The sessions with these indices (or a boolean mask), in this order; repeats are allowed."""
        index = session_indices(np.atleast_1d(np.asarray(sessions)), self.n_sessions)
        steps = np.concatenate([np.arange(self.offsets[i], self.offsets[i + 1]) for i in index])
        parts: dict[str, Any] = {name: getattr(self, name) for name in STEP_COLUMNS}
        parts = {name: None if values is None else values[steps] for name, values in parts.items()}
        parts |= {name: getattr(self, name)[index] for name in SESSION_COLUMNS}
        return replace(
            self,
            **parts,
            offsets=np.concatenate([[0], np.cumsum(self.lengths[index])]).astype(np.int64),
            session_names=tuple(self.session_names[i] for i in index),
            subjects=tuple(self.subjects[i] for i in index),
        )

    def by_subject(self) -> dict[str, Trajectories]:
        """One ``Trajectories`` for each subject, in order of appearance."""
        subjects = np.array(self.subjects)
        return {name: self.select(subjects == name) for name in dict.fromkeys(self.subjects)}

    def with_memory(
        self, time_constants: Sequence[float], of: Sequence[str] = ("choice", "choice_reward")
    ) -> Trajectories:
        """The same data with leaky traces of the past as further inputs (:mod:`hiql.data.memory`).

        ``of`` names what leaves traces: "choice", "choice_reward" (the choice times its outcome) and "place".
        """
        labels = {"action_labels": self.action_labels, "state_labels": self.state_labels}
        memory = memory_of(time_constants, of, n_actions=self.n_actions, n_states=self.n_states, **labels)
        return self.with_traces(memory)

    def with_traces(self, memory: Memory) -> Trajectories:
        """The same data with the traces of a known recipe as further inputs: that of a model, ``coding_.memory``."""
        from hiql.data.arrays import check_amounts

        traces = memory.replay(self.offsets, Happened(self.actions, check_amounts(self, memory), self.states))
        names = (*self.input_names, *memory.names)
        return replace(self, inputs=np.hstack([self.inputs, traces]), input_names=names, memory=memory)

    def to_dataframe(self) -> pd.DataFrame:
        """One row a step, with the labels the codes came from; missing values are NA."""
        from hiql.data.frames import frame_of

        return frame_of(self)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write a new folder of plain arrays, whole or not at all; open it with :func:`hiql.open_trajectories`."""
        from hiql.data.mapped import save_trajectories

        save_trajectories(self, folder)


def _frozen(values: Any, dtype: Any) -> npt.NDArray[Any]:
    """A read-only view, which leaves the caller's own array writable."""
    array = np.ascontiguousarray(values, dtype=dtype).view()
    array.setflags(write=False)
    return array


def _size(given: int | None, labels: Sequence[Hashable] | None, seen: Any) -> int:
    return int(given if given is not None else (len(labels) if labels is not None else seen))
