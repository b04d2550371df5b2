"""The causal posterior one step at a time, for any parts: they are asked as in a simulation, with two steps as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import logsumexp

from hiql.choices.choice import Choice
from hiql.data.codes import MISSING
from hiql.data.coding import Coding, has_words
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import IntentionDynamics
from hiql.dynamics.dense import Chain
from hiql.engine.problem import Point
from hiql.parts.part import FloatArray


class Moment(NamedTuple):
    """One step in the model's codes, -1 where unknown: ``inputs`` (D,) with NaN where missing, or None for none
    known; ``contexts`` (C,) codes; ``outcome`` NaN where unknown."""

    state: int
    action: int = MISSING
    inputs: FloatArray | None = None
    contexts: tuple[int, ...] = ()
    outcome: float = np.nan


class Steps(Protocol):
    """Who follows the intentions of one animal, step by step."""

    wants_inputs: bool
    quick: Callable[[FloatArray, int, int], None] | None
    """``quick(out, state, action)`` advances by a step of which nothing else is known; None if there is no such way."""
    quick_predict: Callable[[FloatArray, int], None] | None

    def begin(self) -> None:
        """A new session."""
        ...

    def advance(self, now: Moment, out: FloatArray) -> None:
        """Take a step; ``out`` (K,) receives p(z_t | steps up to t)."""
        ...

    def predict(self, now: Moment, out: FloatArray) -> None:
        """``out`` (A,) receives p(a_t | what is known before it), and nothing changes."""
        ...


@dataclass(frozen=True)
class Animal:
    """A model's two parts and their parameters, what its codes mean, and whose sessions are followed."""

    dynamics: IntentionDynamics
    choice: Choice
    point: Point
    coding: Coding
    n_intentions: int
    subject: str

    def sessions(self, *steps: Sequence[Moment]) -> Trajectories:
        """Sessions of one length as data: the n-th steps of all of them, for each n."""
        flat = [moment for session in zip(*steps, strict=True) for moment in session]
        n_sessions, length, coding = len(steps[0]), len(steps), self.coding
        states = np.array([moment.state for moment in flat])
        following = np.roll(states, -1)
        following[length - 1 :: length] = MISSING
        nothing = np.array(coding.input_means)
        unknown = (MISSING,) * len(coding.context_names)
        return Trajectories(
            states=states,
            actions=np.array([moment.action for moment in flat]),
            next_states=following,
            offsets=np.arange(n_sessions + 1) * length,
            n_states=coding.n_states,
            n_actions=coding.n_actions,
            session_names=tuple(map(str, range(n_sessions))),
            subjects=(self.subject,) * n_sessions,
            state_labels=coding.state_labels,
            action_labels=coding.action_labels,
            inputs=np.stack([nothing if moment.inputs is None else moment.inputs for moment in flat]),
            input_names=coding.input_names,
            contexts=np.array([moment.contexts or unknown for moment in flat], dtype=np.int32).reshape(len(flat), -1),
            context_names=coding.context_names,
            context_labels=coding.context_labels,
            outcomes=np.array([moment.outcome for moment in flat]),
            outcome_labels=coding.outcome_kinds if has_words(coding.outcome_kinds) else None,
            memory=coding.memory,
        )

    @property
    def carries_over(self) -> bool:
        """Whether its intention goes on from one session to the next."""
        one, other = self.dynamics.units(self.sessions([Moment(0)] * 2))
        return bool(one == other)

    def chain(self, data: Trajectories) -> Chain:
        chain = self.dynamics.chain(self.point.dynamics, self.dynamics.bind(data))((0, data.n_sessions))
        return chain.dense()

    def likely(self, data: Trajectories) -> FloatArray:
        """(N, K) how likely each intention was to do what was done; rows are scaled."""
        taken = self.choice.taken(self.point.choice, self.choice.bind(data))((0, data.n_sessions))
        return taken.table[taken.rows]

    def proba(self, data: Trajectories) -> FloatArray:
        """(N, K, A) the probabilities of all actions."""
        return self.choice.proba(self.point.choice, data, np.arange(data.n_steps))


class AskedSteps(Steps):
    """log p(z_t | steps up to t) = log Σ_i p(z_{t−1} = i | …) Λ_t[i] + log p(a_t | z_t), up to a constant.

    Parts are asked for the rows of the last step and this one: so whatever can be simulated can be followed.
    """

    wants_inputs, quick, quick_predict = True, None, None

    def __init__(self, animal: Animal) -> None:
        self._animal = animal
        self.begin()

    def begin(self) -> None:
        self._last: Moment | None = None
        self._log_mind: Any = None

    def advance(self, now: Moment, out: FloatArray) -> None:
        seen, phases, log_predicted = self._looked_ahead(now)
        with np.errstate(divide="ignore"):
            log_mind = log_predicted + np.log(self._animal.likely(seen)[-1][phases])
        if log_mind.max() == -np.inf:  # nothing explains this step: it is passed over
            log_mind = log_predicted
        self._last, self._log_mind = now, log_mind - logsumexp(log_mind)
        out[:] = np.bincount(phases, np.exp(self._log_mind), minlength=len(out))

    def predict(self, now: Moment, out: FloatArray) -> None:
        seen, phases, log_predicted = self._looked_ahead(now)
        np.matmul(np.exp(log_predicted), self._animal.proba(seen)[-1][phases], out=out)

    def _looked_ahead(self, now: Moment) -> tuple[Trajectories, Any, FloatArray]:
        """The last two steps as data, which intention each phase belongs to, and log p(z_t | steps before t)."""
        seen = self._animal.sessions(*([now],) if self._last is None else ([self._last], [now]))
        chain = self._animal.chain(seen)
        with np.errstate(divide="ignore"):
            if self._last is None:
                return seen, chain.phases, np.log(chain.initial[chain.begins[0]])
            ways = self._log_mind[:, None] + np.log(chain.bank[chain.rows[-1]])
        return seen, chain.phases, logsumexp(ways, axis=0)
