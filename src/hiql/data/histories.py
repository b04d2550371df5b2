"""Reading back the trials that :func:`hiql.bandit_trials` wrote into the history states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.bandit import NO_HISTORY
from hiql.data.trajectories import Trajectories
from hiql.errors import BadTable, InvalidParameter


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


def shorter_histories(data: Trajectories) -> npt.NDArray[np.int64]:
    """(S,) for each state of ``bandit_trials(…, history=ℓ)``, that of ``history=ℓ-1`` without the oldest trial."""
    history = _history_length(data)
    m = _trials_told_apart(data, history)
    first = np.cumsum([0] + [m**shorter for shorter in range(history)])
    states = np.arange(data.n_states)
    return np.where(states < first[history], states, first[history - 1] + (states - first[history]) // m)


def _history_length(data: Trajectories) -> int:
    label = str(data.state_labels[0]) if data.state_labels else ""
    if set(label.split(" ")) != {NO_HISTORY}:
        raise InvalidParameter(
            parameter="data",
            value=data,
            remedy="the model needs choices and outcomes: make the data with hiql.bandit_trials, history=1 or more",
        )
    return label.count(NO_HISTORY)


def _trials_told_apart(data: Trajectories, history: int) -> int:
    """m = choices × outcomes, from the number of states 1 + m + … + m^ℓ."""
    m = data.n_actions
    while sum(m**length for length in range(history + 1)) < data.n_states:
        m += data.n_actions
    return m


def _rewards(data: Trajectories, m: int, history: int) -> npt.NDArray[np.float64]:
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
