"""A model reads data it has never seen by their labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.data.coding import Coding
from hiql.errors import DifferentLabels, InvalidParameter, UnknownLabel


def table(states, actions):
    return hiql.Trajectories.from_dataframe(pd.DataFrame({"session": 1, "state": states, "action": actions}))


def test_labels_are_matched_by_what_is_written():
    coding = Coding.of(table(["a", "b", "c"], ["left", "right", "left"]))
    data = coding.recode(table(["c", "a", "c"], ["right", "right", "right"]))
    assert data.states.tolist() == [2, 0, 2]
    assert data.next_states.tolist() == [0, 2, -1]
    assert data.actions.tolist() == [1, 1, 1]
    assert Coding.of(data) == coding


@pytest.mark.parametrize("codes", [[3, 5, 3], [3.0, 5.0, 3.0], ["3", "5", "3"]])
def test_numbers_are_the_same_as_numbers_or_text(codes):
    coding = Coding.of(table([1, 3, 5, 9], [0, 1, 0, 1]))
    assert coding.recode(table(codes, [0, 1, 0])).states.tolist() == [1, 2, 1]


def test_codes_that_are_their_own_labels():
    coding = Coding(n_states=7, n_actions=3)
    data = coding.recode(table([4, 6, 4], [2, 0, 2]))  # coded 0, 1 with labels 4, 6
    assert data.states.tolist() == [4, 6, 4]
    assert data.actions.tolist() == [2, 0, 2]


def test_missing_stays_missing():
    coding = Coding.of(table(["a", "b", "c"], ["left", "right", "left"]))
    data = coding.recode(table(["c", None, "b"], ["left", "left", None]))
    assert data.states.tolist() == [2, -1, 1]
    assert data.actions.tolist() == [0, 0, -1]


def test_an_unknown_label_is_an_error_that_says_where_or_missing_on_demand():
    coding = Coding.of(table(["a", "b", "a"], ["left", "right", "left"]))
    stranger = table(["a", "z", "b"], ["left", "left", "left"])
    with pytest.raises(UnknownLabel, match=r"state 'z' at session '1', step 1.*'a', 'b'"):
        coding.recode(stranger)
    data = coding.recode(stranger, unknown_is_missing=True)
    assert data.states.tolist() == [0, -1, 1]
    assert data.next_states.tolist() == [-1, 1, -1]


def test_a_bandit_table_that_lacks_an_outcome_means_the_same_histories():
    whole = pd.DataFrame({"session": 1, "choice": [0, 1, 0, 1, 1, 0], "reward": [0, 1, 1, 0, 1, 0]})
    part = whole[whole["reward"] == 1]
    full = hiql.bandit_trials(whole, history=1, subject=None)
    small = Coding.of(full).recode(hiql.bandit_trials(part, history=1, subject=None))
    assert [full.state_labels[s] for s in small.states] == ["·", "1+", "0+"]


def test_a_model_refuses_data_whose_codes_mean_something_else(tmp_path):
    data = table(["a", "b", "a", "b"], ["left", "right", "left", "left"])
    other = table(["x", "y", "x", "y"], ["left", "right", "left", "left"])
    model = hiql.HIQL(1).fit(data)
    model.save(tmp_path / "model.hiql")
    for fitted in (model, hiql.load(tmp_path / "model.hiql")):
        with pytest.raises(DifferentLabels, match=r"state 0 is called 'x' in the data but 'a' in the model"):
            fitted.score(other)
        reordered = fitted.coding_.recode(table(["b", "b"], ["right", "left"]))
        assert np.isfinite(fitted.score(reordered))


def test_numbers_that_are_labels_are_not_taken_for_codes():
    model = hiql.HIQL(1).fit(table([0, 1, 0, 1], [0, 1, 2, 0]))
    shifted = table([1, 2, 1, 2], [1, 2, 3, 1])
    with pytest.raises(DifferentLabels, match="state 0 is called '1' in the data but '0' in the model"):
        model.score(shifted)
    with pytest.raises(DifferentLabels):
        hiql.HIQL(1).fit(shifted).score(table([0, 1, 0, 1], [0, 1, 2, 0]))
    words = hiql.HIQL(1).fit(table(["a", "b", "a", "b"], [0, 1, 2, 0]))
    assert np.isfinite(words.score(hiql.Trajectories.from_arrays([[0, 1]], [[0, 2]])))  # plain codes are codes


def test_labels_that_are_written_alike_cannot_be_told_apart():
    coding = Coding(2, 1, ("1", 1), None)
    with pytest.raises(InvalidParameter, match="label is '1'"):
        coding.recode(table([1, 2], [0, 0]))


def test_names_follow_their_intentions():
    model = hiql.HIQL(2).fit(hiql.worlds.simulate_two_goals(20, random_state=0).data)
    model.about_ = {"names": ["first", "second"]}
    assert model.permuted([1, 0]).about_["names"] == ["second", "first"]
    assert model.about_["names"] == ["first", "second"]


def test_a_saved_model_remembers_labels_and_how_it_was_made(tmp_path):
    dates = pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-01"])
    model = hiql.HIQL(1).fit(table(dates, [0.5, 1.0, 0.5]))
    model.about_ = {"command": "hiql fit", "seed": 0, "columns": {"state": "when"}}
    model.save(tmp_path / "model.hiql")
    again = hiql.load(tmp_path / "model.hiql")
    assert again.coding_ == model.coding_
    assert again.about_ == model.about_
