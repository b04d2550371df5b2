"""Eight real mice in a bandit: the whole way from a gzipped table to histories."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

from hiql import bandit_trials


@pytest.fixture(scope="module")
def path():
    folder = os.environ.get("HIQL_DATA_DIR")
    if not folder or not (found := Path(folder) / "bandit" / "mice_bandit.csv.gz").is_file():
        pytest.skip("needs the bandit data: set HIQL_DATA_DIR")
    return found


def test_the_published_counts(path):
    data = bandit_trials(path, history=2, step="trial")
    assert (data.n_sessions, data.n_steps, len(set(data.subjects))) == (254, 105_730, 8)
    assert (data.n_actions, data.n_states, data.n_observed) == (2, 21, 105_730)


def test_states_hold_the_last_two_trials(path):
    table = pd.read_csv(path)
    data = bandit_trials(table, history=2, step="trial")
    labels = pd.Series(data.state_labels)[data.states].to_numpy()
    symbol = table["choice"].astype(str) + table["reward"].map({0: "-", 1: "+"})
    by_session = symbol.groupby([table["subject"], table["session"]])
    expected = by_session.shift(1).fillna("·") + " " + by_session.shift(2).fillna("·")
    assert (labels == expected.to_numpy()).all()
