"""What animals did, beside what a model expected just before."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.evaluate.measures.foreseen import foreseen


@pytest.fixture(scope="module")
def trials():
    """One that repeats what paid and, half the time, what did not; the last one of each session is missing."""
    rng = np.random.default_rng(0)
    rows = []
    for session in range(30):
        choice, won = 0, 1
        for _ in range(40):
            choice = choice if won or rng.random() < 0.5 else 1 - choice
            won = int(rng.random() < 0.6)
            rows.append((session, "LR"[choice], won))
    table = pd.DataFrame(rows, columns=["session", "choice", "reward"])
    return table, hiql.bandit_trials(table, history=1, subject=None)


def by(found, event, name):
    return next(each for each in found if each.event.startswith(event) and each.by == name)


def test_shares_are_those_of_the_table_and_expectations_those_given(trials):
    table, data = trials
    before = table.groupby("session").shift()
    made = before["choice"].notna()
    predicted = np.tile([0.25, 0.75], (data.n_steps, 1))
    after = by(foreseen(data, predicted), "repeats", "last outcome")
    same = (table["choice"] == before["choice"])[made]
    assert after.at == ("0", "1")
    np.testing.assert_allclose(after.share, same.groupby(before["reward"][made]).mean())
    p = before["choice"][made].map({"L": 0.25, "R": 0.75})
    np.testing.assert_allclose(after.expected, p.groupby(before["reward"][made]).mean())
    np.testing.assert_allclose(after.error, np.sqrt(0.25 * 0.75 / after.n))
    runs = by(foreseen(data, predicted), "repeats", "how often it was made in a row")
    assert runs.n.sum() == made.sum()
    assert runs.at[-1] == "5 or more"


def test_a_right_model_lies_inside_and_a_wrong_one_outside(trials):
    _, data = trials
    right = hiql.HIQL(1, progress=False).fit(data)
    found = foreseen(data, right.predict_action_proba(data))
    inside = np.concatenate([each.inside for each in found])
    assert inside.mean() > 0.85
    blind = np.tile(data.pair_counts.sum(axis=0) / data.n_observed, (data.n_steps, 1))
    assert by(foreseen(data, blind), "repeats", "last outcome").inside.tolist() == [True, False]  # after losses: 50 %


def test_ranges_hold_95_percent_of_shares_under_the_model_itself(two_goals):
    model = hiql.HIAVI(2, mdp=two_goals.world, n_init=1, patience=0, max_iter=20, progress=False)
    model.fit(two_goals.data)
    inside = []
    for seed in range(4):
        data = model.sample(two_goals.world.like(two_goals.data), random_state=seed)
        found = foreseen(data, model.predict_action_proba(data))
        inside += [each.inside for each in found]
    assert 0.88 < np.concatenate(inside).mean() <= 1.0


def test_nothing_is_said_of_data_without_choices():
    data = hiql.Trajectories.from_arrays([np.full(3, -1)], [np.full(3, -1)], n_states=2, n_actions=2)
    assert foreseen(data, np.full((3, 2), 0.5)) == []
