"""Reading back the trials that :func:`hiql.bandit_trials` wrote into the history states."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hiql.data.bandit import NO_HISTORY
from hiql.data.step_columns import FloatArray, IntArray
from hiql.data.trajectories import Trajectories
from hiql.errors import BadTable, InvalidParameter


class Labelled(Protocol):
    """What has states and actions with labels: data, or a model's coding."""

    @property
    def n_states(self) -> int: ...
    @property
    def n_actions(self) -> int: ...
    @property
    def state_labels(self) -> tuple[Hashable, ...] | None: ...
    @property
    def action_labels(self) -> tuple[Hashable, ...] | None: ...


@dataclass(frozen=True)
class Histories:
    """How histories of up to ℓ = ``length`` trials are numbered, to step from one to the next.

    Among those of one length, the number is the base-m number whose digits are the trials' symbols
    outcome · n_actions + choice, the most recent first. ``amounts`` are the outcomes, in the order of their codes.
    """

    length: int
    n_actions: int
    amounts: tuple[float, ...]

    @property
    def first(self) -> npt.NDArray[np.int64]:
        """(ℓ + 1,) the first state of each length."""
        m = self.n_actions * len(self.amounts)
        return np.cumsum([0] + [m**shorter for shorter in range(self.length)])

    @property
    def n_states(self) -> int:
        """1 + m + … + m^ℓ."""
        return int(self.first[-1] + (self.n_actions * len(self.amounts)) ** self.length)

    def after(self, states: IntArray, actions: IntArray, outcomes: FloatArray) -> npt.NDArray[np.int64]:
        """(n,) the histories after one more trial; a trial without a choice or an outcome does not enter them."""
        m = self.n_actions * len(self.amounts)
        length = np.searchsorted(self.first, states, side="right") - 1
        full = length == self.length
        digits = np.where(full, (states - self.first[length]) // m, states - self.first[length])
        kept = np.where(full, length - 1, length)
        longer = self.first[kept + 1] + self._symbols(actions, outcomes) * m**kept + digits
        return np.where((actions >= 0) & ~np.isnan(outcomes), longer, states)

    def _symbols(self, actions: IntArray, outcomes: FloatArray) -> npt.NDArray[np.int64]:
        same = outcomes[:, None] == np.array(self.amounts)
        strange = ~same.any(axis=1) & ~np.isnan(outcomes)
        if strange.any():
            raise InvalidParameter(
                parameter="outcome",
                value=float(outcomes[np.argmax(strange)]),
                remedy=f"the model knows histories of {', '.join(map(str, self.amounts))}; simulate in a task "
                "that pays these",
            )
        return same.argmax(axis=1) * self.n_actions + actions


def histories_of(labelled: Labelled) -> Histories | None:
    """How the states of ``bandit_trials(…, history=ℓ)`` with ℓ ≥ 1 are numbered; None if these are other states."""
    if not has_histories(labelled):
        return None
    history = _history_length(labelled)
    m = _trials_told_apart(labelled, history)
    return Histories(history, labelled.n_actions, tuple(_rewards(labelled, m, history).tolist()))


class LatestTrial(NamedTuple):
    """What each history state says about the trial just before it.

    ``choice`` (S,) is that trial's choice and ``reward`` (S,) its outcome as a number; -1 and NaN before a
    session's first trial.
    """

    choice: npt.NDArray[np.int64]
    reward: npt.NDArray[np.float64]


def latest_trial(data: Trajectories) -> LatestTrial:
    """Decode the states of ``bandit_trials(…, history=ℓ)`` with ℓ ≥ 1; outcomes must be numbers."""
    history = _history_length(data)
    m = _trials_told_apart(data, history)
    first = np.cumsum([0] + [m**shorter for shorter in range(history)])  # of each length
    states = np.arange(data.n_states)
    length = np.searchsorted(first, states, side="right") - 1
    digits = states - first[length]
    symbol = digits // m ** np.maximum(length - 1, 0)
    begun = length > 0
    rewards = _rewards(data, m, history)
    return LatestTrial(
        choice=np.where(begun, symbol % data.n_actions, -1),
        reward=np.where(begun, rewards[symbol // data.n_actions], np.nan),
    )


def trial_rewards(data: Trajectories, latest: LatestTrial) -> npt.NDArray[np.float64]:
    """(N,) the reward of each trial that entered the histories, NaN for all others.

    It is read from the state that follows, so that of a session's last trial is unknown: nothing depends on it.
    """
    entered = (data.actions >= 0) & (data.next_states >= 0)
    return np.where(entered, latest.reward[data.next_states], np.nan)


def history_parents(data: Labelled) -> npt.NDArray[np.int64]:
    """(S,) for each history the same without its oldest trial, among the same states; −1 for the empty one."""
    history = _history_length(data)
    m = _trials_told_apart(data, history)
    first = np.cumsum([0] + [m**shorter for shorter in range(history)])
    states = np.arange(data.n_states)
    length = np.searchsorted(first, states, side="right") - 1
    return np.where(length > 0, first[length - 1] + (states - first[length]) // m, -1)


def has_histories(data: Labelled) -> bool:
    """Whether the states are those of ``bandit_trials(…, history=ℓ)`` with ℓ ≥ 1."""
    return set(_first_label(data).split(" ")) == {NO_HISTORY}


def _first_label(data: Labelled) -> str:
    return str(data.state_labels[0]) if data.state_labels else ""


def _history_length(data: Labelled) -> int:
    if not has_histories(data):
        raise InvalidParameter(
            parameter="data",
            value=data,
            remedy="the model needs choices and outcomes: make the data with hiql.bandit_trials, history=1 or more",
        )
    return _first_label(data).count(NO_HISTORY)


def _trials_told_apart(data: Labelled, history: int) -> int:
    """m = choices × outcomes, from the number of states 1 + m + … + m^ℓ."""
    m = data.n_actions
    while sum(m**length for length in range(history + 1)) < data.n_states:
        m += data.n_actions
    return m


def _rewards(data: Labelled, m: int, history: int) -> npt.NDArray[np.float64]:
    """The outcomes as numbers, from the labels of the histories of one trial of choice 0."""
    choice = str(data.action_labels[0]) if data.action_labels else "0"
    tail = f" {NO_HISTORY}" * (history - 1)
    labels = [str(label) for label in (data.state_labels or ())[1 : 1 + m : data.n_actions]]
    names = [label.removesuffix(tail).removeprefix(choice).removeprefix(":") for label in labels]
    numbers = {"-": 0.0, "+": 1.0}
    try:
        return np.array([numbers[name] if name in numbers else float(name) for name in names])
    except ValueError as error:
        raise BadTable(
            what=f"the outcomes are {', '.join(map(repr, names))}, which are not all numbers",
            remedy="write the outcomes as amounts of reward, for example 0 and 1",
        ) from error
