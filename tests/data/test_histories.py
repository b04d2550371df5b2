"""Trials read back from history states are the trials that were put in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hiql import Trajectories, bandit_trials
from hiql.data.histories import latest_trial, trial_rewards
from hiql.errors import BadTable, InvalidParameter


def table(seed=0, n=400, choices=(0, 1), outcomes=(0, 1)):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"subject": "m", "session": np.repeat(np.arange(n // 20), 20)})
    return frame.assign(choice=rng.choice(choices, n), reward=rng.choice(outcomes, n))


@pytest.mark.parametrize("history", [1, 2, 4])
@pytest.mark.parametrize("outcomes", [(0, 1), (1,), (0, 0.5, 2), (0, 10)])
@pytest.mark.parametrize("choices", [(0, 1), ("far left", "right"), (0, 1, 2)])
def test_rewards_come_back(history, outcomes, choices):
    frame = table(choices=choices, outcomes=outcomes)
    data = bandit_trials(frame, history)
    rewards = trial_rewards(data, latest_trial(data))
    last = data.next_states < 0
    assert np.isnan(rewards[last]).all()
    np.testing.assert_array_equal(rewards[~last], frame["reward"][~last])


def test_the_latest_trial_of_every_state():
    latest = latest_trial(bandit_trials(table(), 2))
    assert latest.choice[:5].tolist() == [-1, 0, 1, 0, 1]
    np.testing.assert_array_equal(latest.reward[:5], [np.nan, 0, 0, 1, 1])
    assert latest.choice[5:].tolist() == [0] * 4 + [1] * 4 + [0] * 4 + [1] * 4


def test_trials_without_choice_or_outcome_do_not_count():
    frame = table(n=20).astype({"choice": float, "reward": float})
    frame.loc[[3, 4, 11], "choice"] = np.nan
    frame.loc[7, "reward"] = np.nan
    data = bandit_trials(frame, 5)
    rewards = trial_rewards(data, latest_trial(data))
    assert np.flatnonzero(np.isnan(rewards)).tolist() == [3, 4, 7, 11, 19]


def test_other_data_are_refused():
    plain = Trajectories.from_arrays([0, 1, 0], [0, 1, 1])
    for data in (plain, bandit_trials(table(), 0)):
        with pytest.raises(InvalidParameter, match="make the data with hiql.bandit_trials, history=1 or more"):
            latest_trial(data)


def test_outcomes_must_be_numbers():
    with pytest.raises(BadTable, match="the outcomes are 'no', 'water', which are not all numbers"):
        latest_trial(bandit_trials(table(outcomes=("no", "water")), 2))
