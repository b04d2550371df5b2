"""Stepping from one history to the next agrees with the table coded as a whole."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hiql
from hiql.data.histories import histories_of
from hiql.errors import InvalidParameter

TRIALS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([0, 1]) | st.sampled_from([2, 5])), min_size=1, max_size=25
)


@given(TRIALS, st.integers(1, 3), st.lists(st.booleans(), min_size=25, max_size=25))
def test_trial_by_trial_as_bandit_trials_does_at_once(trials, history, missed):
    choice = [None if gone else c for (c, _), gone in zip(trials, missed, strict=False)]
    everything = pd.DataFrame({"session": "b", "choice": [0, 1, 2, 0], "reward": [0, 1, 2, 5]})
    table = pd.DataFrame({"session": "a", "choice": choice, "reward": [r for _, r in trials]})
    data = hiql.bandit_trials(pd.concat([table, everything]), history=history, subject=None)
    how = histories_of(data)
    assert how.amounts == (0.0, 1.0, 2.0, 5.0)
    state = np.zeros(1, dtype=np.int64)
    for t, (_, reward) in enumerate(trials):
        assert state[0] == data.states[t]
        state = how.after(state, data.actions[t : t + 1].astype(np.int64), np.array([float(reward)]))


def test_other_states_are_no_histories():
    assert histories_of(hiql.Trajectories.from_arrays([[0, 1]], [[0, 1]])) is None
    table = pd.DataFrame({"session": "a", "choice": [0, 1], "reward": [0, 1]})
    assert histories_of(hiql.bandit_trials(table, history=0, subject=None)) is None


def test_outcomes_that_no_history_holds_are_named():
    table = pd.DataFrame({"session": "a", "choice": [0, 1], "reward": [0, 1]})
    how = histories_of(hiql.bandit_trials(table, history=1, subject=None))
    with pytest.raises(InvalidParameter, match=r"outcome is 0.5; the model knows histories of 0.0, 1.0"):
        how.after(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.array([0.5]))
