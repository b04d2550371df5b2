"""The schedule of an experiment that took place, replayed to whoever acts now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hiql.data.histories import has_histories
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.worlds.environment import Answer, Environment, Format, IntArray, Moment, Sessions
from hiql.worlds.paying import Armed, checked_chances, pay


@dataclass(frozen=True, eq=False)
class ObservedSchedule(Environment):
    """What the experiment presented in each trial of ``data``: inputs, contexts, and states that actions do not move.

    Session i replays session i of the data (from the first again when these run out), trial by trial; after its end
    the last trial is repeated. Trials that the animal missed are missed again, and where no outcome was recorded there
    is none. What depends on the animal's own choices is not replayed: ``model.sample`` makes states that are histories
    of trials, and inputs that are memories of them, anew from what is chosen now (:class:`~hiql.worlds.WithHistories`,
    :class:`~hiql.worlds.WithMemory`).

    States that actions move, as in a maze, are no schedule: simulate those in an :class:`hiql.MDP`.

    Parameters
    ----------
    data : what was observed
    chances : (N, A) the chance of a reward of each action, at each step of the data: the probabilities of its block,
        or 1 for the right answer and 0 for the others. Without them there are no outcomes. The rows are in the order of
        the steps of the data: that of the table if its sessions lie one after another, with their trials in order.
    baited : whether a reward on an option that was not chosen waits there until it is
    """

    data: Trajectories
    chances: npt.ArrayLike | None = None
    baited: bool = False

    def __post_init__(self) -> None:
        if self.chances is not None:
            chances = checked_chances("chances", self.chances, (self.data.n_steps, self.data.n_actions))
            object.__setattr__(self, "chances", chances)
        elif has_histories(self.data) or "choice_reward" in (self.data.memory.of if self.data.memory else ()):
            raise InvalidParameter(
                parameter="chances",
                value=None,
                remedy="the animal remembers rewards, so say what other choices would have led to: give the chance of "
                "a reward of each action at each step, for example table[['p_left', 'p_right']]",
            )

    @cached_property
    def format(self) -> Format:
        data, moved = self.data, has_histories(self.data)
        return Format(
            n_states=1 if moved else data.n_states,
            n_actions=data.n_actions,
            state_labels=None if moved else data.state_labels,
            action_labels=data.action_labels,
            input_names=tuple(name for name in data.input_names if name not in self._remembered),
            context_names=data.context_names,
            context_labels=data.context_labels,
        )

    @property
    def _remembered(self) -> tuple[str, ...]:
        return self.data.memory.names if self.data.memory else ()

    def sessions(self, n_sessions: int | None = None) -> Sessions:
        return Sessions.of_data(self.data, n_sessions)

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:  # noqa: ARG002
        firsts = self.data.offsets[np.arange(n_sessions) % self.data.n_sessions]
        return self._moment(firsts, np.zeros((n_sessions, self.data.n_actions), dtype=bool))

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        steps, armed = moment.hidden
        outcomes = np.full(len(actions), np.nan)
        if self.chances is not None:
            paid, armed = pay(armed, np.asarray(self.chances)[steps], actions, self.baited, rng)
            known = True if self.data.outcomes is None else ~np.isnan(self.data.outcomes[steps])
            outcomes = np.where(known, paid, np.nan)
        return Answer(outcomes, self._moment(np.minimum(steps + 1, self._last_of(steps)), armed))

    def _last_of(self, steps: IntArray) -> IntArray:
        return self.data.offsets[self.data.session_of_step[steps] + 1] - 1

    def _moment(self, steps: IntArray, armed: Armed) -> Moment:
        """What was presented at these steps (n,) of the data."""
        data = self.data
        states = data.states[steps].astype(np.int64)
        inputs = data.inputs[steps][:, [name not in self._remembered for name in data.input_names]]
        shown = np.minimum(states, self.format.n_states - 1)
        return Moment(shown, inputs, data.contexts[steps].astype(np.int64), data.actions[steps] < 0, (steps, armed))
