"""Memory: leaky traces of past choices, rewards and places, as inputs of the steps that follow.

For a time constant τ, in steps, and an impulse x_t of each step, m ← m·e^(−1/τ) + x_t; the input of a step is
(1 − e^(−1/τ))·m from before it: the mean of past impulses, weighted by e^(−age/τ). It is causal by construction, and
starts anew with each session. One definition serves data (:meth:`Memory.replay`) and whatever takes one step at a
time, as a simulation or a running experiment does (:meth:`Memory.begin`, :meth:`Memory.step`, :meth:`Memory.inputs`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.codes import label_text
from hiql.errors import InvalidParameter
from hiql.kernels.leaky import leaky_traces

FloatArray = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer[Any]]
MOST_TRACES = 10_000
"""Columns beyond which the inputs of a modest table would fill the memory."""


class Happened(NamedTuple):
    """What a step leaves behind: (n,) choices and places (-1 where unknown), outcomes (NaN where unknown)."""

    actions: Codes
    outcomes: FloatArray
    states: Codes


def _signs(codes: Codes, size: int) -> FloatArray:
    """(n, 1) of ±1 for two options, the second positive; (n, size) indicators for any other number; 0 if unknown."""
    if size == 2:
        return np.where(codes < 0, 0.0, 2.0 * codes - 1.0)[:, None]
    return (np.asarray(codes)[:, None] == np.arange(size)).astype(np.float64)


def _choice(happened: Happened, memory: Memory) -> FloatArray:
    return _signs(happened.actions, memory.n_actions)


def _choice_reward(happened: Happened, memory: Memory) -> FloatArray:
    return _signs(happened.actions, memory.n_actions) * np.nan_to_num(happened.outcomes, nan=0.0)[:, None]


def _place(happened: Happened, memory: Memory) -> FloatArray:
    return (np.asarray(happened.states)[:, None] == np.arange(memory.n_states)).astype(np.float64)


IMPULSES: Mapping[str, Callable[[Happened, Memory], FloatArray]] = {
    "choice": _choice,
    "choice_reward": _choice_reward,
    "place": _place,
}
"""What can leave a trace: the choice, the choice times its reward, the place."""


@dataclass(frozen=True)
class Memory:
    """Which traces are kept.

    ``time_constants`` τ in steps; ``of``, some of "choice", "choice_reward" and "place"; ``names`` of the inputs that
    hold them, by which they are found again among others. With two choices a trace is signed, + for the second; with
    more, and for places, there is one for each. An unknown choice, place or reward leaves nothing, and time goes on.
    """

    time_constants: tuple[float, ...]
    of: tuple[str, ...]
    n_actions: int
    n_states: int
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        check_time_constants(self.time_constants)
        for name, size in (("n_actions", self.n_actions), ("n_states", self.n_states)):
            if not isinstance(size, int | np.integer) or size < 1:
                raise InvalidParameter(parameter=name, value=size, remedy="choose a whole number ≥ 1")
        for kind in self.of:
            if kind not in IMPULSES:
                raise InvalidParameter(parameter="of", value=kind, remedy=f"choose from {', '.join(IMPULSES)}")
        n_options = 1 if self.n_actions == 2 else self.n_actions
        widths = {"choice": n_options, "choice_reward": n_options, "place": self.n_states}
        expected = len(self.time_constants) * sum(widths[kind] for kind in self.of)
        if len(self.names) != expected:
            raise InvalidParameter(parameter="names", value=self.names, remedy=f"give {expected}, one for each trace")

    @property
    def decay(self) -> FloatArray:
        """(T,) e^(−1/τ): what is left of a trace after one step."""
        return np.exp(-1.0 / np.asarray(self.time_constants, dtype=np.float64))

    def impulses(self, happened: Happened) -> FloatArray:
        """(n, F) what steps add to their traces."""
        return np.hstack([IMPULSES[kind](happened, self) for kind in self.of])

    def replay(self, offsets: npt.NDArray[np.integer[Any]], happened: Happened) -> FloatArray:
        """(N, T·F) the inputs of all steps of whole sessions."""
        impulses = np.ascontiguousarray(self.impulses(happened))
        traces = np.empty((len(impulses), len(self.names)))
        leaky_traces(np.asarray(offsets, dtype=np.int64), impulses, self.decay, traces)
        return traces

    def begin(self, n_sessions: int = 1) -> FloatArray:
        """(n_sessions, T, F) what is kept before a session's first step: nothing."""
        return np.zeros((n_sessions, len(self.time_constants), len(self.names) // len(self.time_constants)))

    def step(self, kept: FloatArray, happened: Happened) -> FloatArray:
        """What is kept after one more step of each session: m·e^(−1/τ) + x."""
        return kept * self.decay[:, None] + self.impulses(happened)[:, None, :]

    def inputs(self, kept: FloatArray) -> FloatArray:
        """(n_sessions, T·F) the inputs of the next step."""
        return ((1.0 - self.decay)[:, None] * kept).reshape(len(kept), -1)


def memory_of(
    time_constants: Sequence[float],
    of: Sequence[str] = ("choice", "choice_reward"),
    *,
    n_actions: int,
    n_states: int = 1,
    action_labels: Sequence[Hashable] | None = None,
    state_labels: Sequence[Hashable] | None = None,
) -> Memory:
    """A :class:`Memory` whose inputs are called "choice_tau4", "choice_reward_tau4", "choice_left_tau4" and so on."""
    check_time_constants(time_constants)
    options = [label_text(label) for label in action_labels or range(n_actions)]
    places = [label_text(label) for label in state_labels or range(n_states)]
    chosen = [""] if n_actions == 2 else [f"_{option}" for option in options]
    stems = {
        "choice": [f"choice{option}" for option in chosen],
        "choice_reward": [f"choice{option}_reward" for option in chosen],
        "place": [f"place_{place}" for place in places],
    }
    names = [f"{stem}_tau{label_text(tau)}" for tau in time_constants for kind in of for stem in stems.get(kind, ())]
    if len(names) > MOST_TRACES:
        remedy = f"they make {len(names)} traces, more than {MOST_TRACES}; choose fewer time constants, or no places"
        raise InvalidParameter(parameter="memory", value=tuple(of), remedy=remedy)
    return Memory(tuple(map(float, time_constants)), tuple(of), n_actions, n_states, tuple(names))


def check_time_constants(time_constants: Sequence[float]) -> None:
    """At least one, each a number of steps above 0, each once."""
    numbers = np.asarray(time_constants)
    sound = numbers.ndim == 1 and numbers.size > 0 and numbers.dtype.kind in "iuf"
    if not sound or not (np.isfinite(numbers) & (numbers > 0)).all() or len(set(numbers.tolist())) < len(numbers):
        remedy = "give time constants in steps, above 0 and each once, for example (1, 4, 16)"
        raise InvalidParameter(parameter="memory", value=time_constants, remedy=remedy)
