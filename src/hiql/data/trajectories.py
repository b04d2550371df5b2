"""Trajectories: sessions of (state, action, next state), flat, ragged, validated once, read-only."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.blocks import BLOCK, in_blocks, mapped_file
from hiql.data.codes import MISSING, whole_numbers
from hiql.data.given_sessions import check_equal_lengths, check_sessions, session_arrays, session_indices
from hiql.errors import ActionOutOfRange, EmptyData, StateOutOfRange, UnequalLengths

IntArray = npt.NDArray[np.integer[Any]]

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

    def __post_init__(self) -> None:
        check_sessions(self.offsets, self.session_names, self.subjects)
        self._check_sizes()
        self._check_codes()
        for name in ("states", "actions", "next_states", "intentions"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _frozen(getattr(self, name), np.int32))
        object.__setattr__(self, "offsets", _frozen(self.offsets, np.int64))

    def _check_sizes(self) -> None:
        n_steps = int(self.offsets[-1])
        for name in ("states", "actions", "next_states", "intentions"):
            array = getattr(self, name)
            if array is not None and len(array) != n_steps:
                raise UnequalLengths(field=name, length=len(array), other="the sessions", other_length=n_steps)
        for what, size, labels in (
            ("state", self.n_states, self.state_labels),
            ("action", self.n_actions, self.action_labels),
        ):
            if size < 1:
                remedy = f"give at least one known {what}, or pass n_{what}s"
                raise EmptyData(what=f"every {what} is missing", remedy=remedy)
            if labels is not None and len(labels) != size:
                raise UnequalLengths(field=f"{what}_labels", length=len(labels), other=f"n_{what}s", other_length=size)

    def _check_codes(self) -> None:
        for name, codes in (("state", self.states), ("next state", self.next_states)):
            if (step := _first_outside(codes, self.n_states)) is not None:
                session, at = self.locate(step)
                state = int(codes[step])
                raise StateOutOfRange(state=state, session=session, step=at, n_states=self.n_states, field=name)
        if (step := _first_outside(self.actions, self.n_actions)) is not None:
            session, at = self.locate(step)
            action = int(self.actions[step])
            raise ActionOutOfRange(action=action, session=session, step=at, n_actions=self.n_actions)

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle holds no cached arrays, and what comes out of it is read-only again.
        return type(self), tuple(getattr(self, f.name) for f in fields(self))

    # --- making one ----------------------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        states: Sequence[Any] | npt.ArrayLike,
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
    ) -> Trajectories:
        """From one array of codes a session.

        ``states`` and ``actions`` are sequences of 1-D arrays (ragged sessions), 2-D arrays (one row a
        session) or plain 1-D arrays (a single session). NaN and -1 mean missing. Without ``next_states``,
        what follows a step is the state of the next step, unknown at a session's end. ``n_states`` and
        ``n_actions`` default to the largest code plus one: give them when the world has more.
        """
        given = {"state": states, "action": actions, "next state": next_states, "intention": intentions}
        per_session = {name: session_arrays(name, values) for name, values in given.items() if values is not None}
        n_sessions = len(per_session["state"])
        names = tuple(map(str, range(n_sessions) if session_names is None else session_names))
        for name, arrays in per_session.items():
            check_equal_lengths(name, arrays, per_session["state"], names)
        lengths = [len(s) for s in per_session["state"]]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        owners = ("all",) * n_sessions if subjects is None else tuple(map(str, subjects))
        check_sessions(offsets, names, owners)
        flat = {
            name: whole_numbers(np.concatenate(arrays), name, offsets, names) for name, arrays in per_session.items()
        }
        if "next state" not in flat:
            flat["next state"] = following_states(flat["state"], offsets)
        known = max(flat["state"].max(), flat["next state"].max()) + 1
        return cls(
            states=flat["state"],
            actions=flat["action"],
            next_states=flat["next state"],
            offsets=offsets,
            n_states=_size(n_states, state_labels, known),
            n_actions=_size(n_actions, action_labels, flat["action"].max() + 1),
            session_names=names,
            subjects=owners,
            state_labels=None if state_labels is None else tuple(state_labels),
            action_labels=None if action_labels is None else tuple(action_labels),
            intentions=flat.get("intention"),
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
        """The number of decisions with a known state and action: those that carry evidence."""
        return int(self.pair_counts.sum())

    @cached_property
    def lengths(self) -> IntArray:
        """(n_sessions,) steps of each session."""
        return _frozen(np.diff(self.offsets), np.int64)

    @cached_property
    def pairs(self) -> npt.NDArray[np.uint32]:
        """(N,) the code s·A + a of each step, and S·A where state or action is missing."""
        return _frozen(self._coded(slice(None)), np.uint32)

    def pairs_between(self, first: int, last: int) -> npt.NDArray[np.uint32]:
        """The part of :attr:`pairs` that belongs to the sessions from ``first`` to before ``last``.

        In memory it is a view. For large mapped data it is coded for the occasion, so that memory does not grow.
        """
        return self._pairs_of(slice(int(self.offsets[first]), int(self.offsets[last])))

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
        return pairs

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

    def locate(self, step: int) -> tuple[str, int]:
        """The session's name and the step within it, for a flat index."""
        session = int(np.searchsorted(self.offsets, step, side="right")) - 1
        return self.session_names[session], int(step - self.offsets[session])

    def session(self, index: int) -> slice:
        """Where session ``index`` lies in the flat arrays."""
        return slice(int(self.offsets[index]), int(self.offsets[index + 1]))

    def __repr__(self) -> str:
        missing = self.n_steps - self.n_observed
        return (
            f"Trajectories({self.n_sessions} sessions of {len(set(self.subjects))} subject(s), "
            f"{self.n_steps} steps ({missing} missing), {self.n_states} states, {self.n_actions} actions)"
        )

    # --- taking parts of it --------------------------------------------------------------------------------

    def select(self, sessions: npt.ArrayLike) -> Trajectories:
        """The sessions with these indices (or a boolean mask), in this order; repeats are allowed."""
        index = session_indices(np.atleast_1d(np.asarray(sessions)), self.n_sessions)
        steps = np.concatenate([np.arange(self.offsets[i], self.offsets[i + 1]) for i in index])
        return replace(
            self,
            states=self.states[steps],
            actions=self.actions[steps],
            next_states=self.next_states[steps],
            offsets=np.concatenate([[0], np.cumsum(self.lengths[index])]).astype(np.int64),
            session_names=tuple(self.session_names[i] for i in index),
            subjects=tuple(self.subjects[i] for i in index),
            intentions=None if self.intentions is None else self.intentions[steps],
        )

    def by_subject(self) -> dict[str, Trajectories]:
        """One ``Trajectories`` for each subject, in order of appearance."""
        subjects = np.array(self.subjects)
        return {name: self.select(subjects == name) for name in dict.fromkeys(self.subjects)}

    def to_dataframe(self) -> pd.DataFrame:
        """One row a step, with the labels the codes came from; missing values are NA."""
        columns: dict[str, Any] = {
            "subject": np.repeat(np.array(self.subjects, dtype=object), self.lengths),
            "session": np.repeat(np.array(self.session_names, dtype=object), self.lengths),
            "step": self.time,
            "state": _labelled(self.states, self.state_labels),
            "action": _labelled(self.actions, self.action_labels),
            "next_state": _labelled(self.next_states, self.state_labels),
        }
        if self.intentions is not None:
            columns["intention"] = self.intentions
        return pd.DataFrame(columns)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write a new folder of plain arrays, whole or not at all; open it with :func:`hiql.open_trajectories`."""
        from hiql.data.mapped import save_trajectories

        save_trajectories(self, folder)


def following_states(states: IntArray, offsets: IntArray) -> npt.NDArray[np.int64]:
    """(N,) the state of the next step of the same session, -1 at each session's end."""
    following = np.full(len(states), MISSING, dtype=np.int64)
    following[:-1] = states[1:]
    following[offsets[1:] - 1] = MISSING
    return following


def _first_outside(codes: IntArray, size: int) -> int | None:
    """The first step whose code is neither missing nor below ``size``; None if there is none."""
    for start, (part,) in in_blocks(codes):
        bad = (part < MISSING) | (part >= size)
        if bad.any():
            return start + int(np.argmax(bad))
    return None


def _frozen(values: Any, dtype: Any) -> npt.NDArray[Any]:
    """A read-only view, which leaves the caller's own array writable."""
    array = np.ascontiguousarray(values, dtype=dtype).view()
    array.setflags(write=False)
    return array


def _size(given: int | None, labels: Sequence[Hashable] | None, seen: Any) -> int:
    return int(given if given is not None else (len(labels) if labels is not None else seen))


def _labelled(codes: IntArray, labels: tuple[Hashable, ...] | None) -> Any:
    if labels is None:
        return pd.arrays.IntegerArray(codes.astype(np.int64), codes == MISSING)
    if all(isinstance(label, int) and abs(label) < 2**63 for label in labels):  # pandas would go through floats
        return pd.arrays.IntegerArray(np.array([*labels, 0], dtype=np.int64)[codes], codes == MISSING)
    lookup = np.empty(len(labels) + 1, dtype=object)  # the last entry, None, serves code -1
    lookup[:-1] = labels
    return pd.Series(lookup[codes]).convert_dtypes()
