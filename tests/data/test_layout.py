"""Columns are recognised by their names, or taken as told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hiql.data.layout import Steps, Trials, find_layout, layout_from_dict
from hiql.data.summary import cautions, summarise
from hiql.errors import ColumnNotFound, InvalidParameter

STEPS = pd.DataFrame(
    {"Mouse": ["b", "b", "a", "a"], "Session": 1, "Step": [1, 0, 0, 1], "node": [1, 0, 0, 2], "action": 0}
)
TRIALS = pd.DataFrame({"animal": "a", "session": 1, "trial": [1, 2, 3], "choice": [0, 1, 1], "reward": [1, 0, 1]})


def test_usual_names_are_recognised_whatever_their_case():
    assert find_layout(STEPS, {}) == Steps("Session", "Mouse", "Step", state="node", action="action")
    assert find_layout(TRIALS, {}) == Trials("session", "animal", "trial", choice="choice", outcome="reward", history=1)


@pytest.mark.parametrize("name", ["Session ID", "session_number", "SessionName", "sess"])
def test_spaces_and_underscores_do_not_matter(name):
    assert find_layout(STEPS.rename(columns={"Session": name}), {}).session == name


def test_doubtful_sessions_are_pointed_out():
    two_days = STEPS.assign(date=["mon", "tue", "mon", "tue"])
    assert "'date' changes within sessions" in find_layout(two_days, {}).cautions(two_days)[0]
    assert find_layout(STEPS, {}).cautions(STEPS) == []
    without = STEPS.drop(columns="Session")
    assert "no session column" in find_layout(without, {}).cautions(without)[0]


def test_what_is_missing_can_be_said_for_one_column():
    table = TRIALS.assign(choice=[1, 0, 2], reward=[1, 0, 0])
    everywhere = find_layout(table, {}, missing=(0,)).read(table)
    choices_only = find_layout(table, {}, missing={"choice": (0,)}).read(table)
    assert choices_only.actions.tolist() == everywhere.actions.tolist() == [0, -1, 1]
    assert [choices_only.state_labels[s] for s in choices_only.states] == ["·", "1+", "1+"]
    assert choices_only.n_states > everywhere.n_states  # the outcome 0 is an outcome
    assert find_layout(table, {}, missing=("1.0",)).read(table).actions.tolist() == [-1, 0, 1]


def test_a_layout_from_a_strange_file_is_refused():
    odd = ({"kind": "Steps", "state": 5}, {"kind": "Trials", "choice": [5]})
    for values in ({}, {"kind": "Steps", "colour": 1}, {"kind": "os.system"}, *odd):
        with pytest.raises(InvalidParameter, match="name the columns again"):
            layout_from_dict(values)


def test_what_is_given_wins_and_none_means_none():
    table = STEPS.assign(where=[3, 2, 2, 3])
    layout = find_layout(table, {"state": "where", "step": "none"})
    assert (layout.state, layout.step) == ("where", None)
    with pytest.raises(ColumnNotFound, match="did you mean 'where'"):
        find_layout(table, {"state": "were"})


def test_a_history_makes_trials_of_a_table_that_has_both():
    both = TRIALS.assign(state=0, action=1)
    assert isinstance(find_layout(both, {}), Steps)
    assert find_layout(both, {}, history=2) == Trials("session", "animal", "trial", history=2)
    assert isinstance(find_layout(both, {"choice": "choice"}), Trials)


def test_a_table_with_neither_says_what_it_looked_for():
    with pytest.raises(ColumnNotFound, match=r"for state; the table has: x, y; name the columns.*--state, --action"):
        find_layout(pd.DataFrame({"x": [1], "y": [2]}), {})


def test_without_a_session_column_each_subject_is_a_session():
    layout = find_layout(STEPS.drop(columns="Session"), {})
    data = layout.read(STEPS.drop(columns="Session"))
    assert layout.session is None
    assert data.subjects == ("b", "a")
    assert data.lengths.tolist() == [2, 2]


@pytest.mark.parametrize("table", [STEPS, STEPS.drop(columns="Session"), TRIALS])
def test_rows_lead_back_to_the_table(table):
    layout = find_layout(table, {})
    data, rows = layout.read(table), layout.rows(table)
    assert sorted(rows) == list(range(len(table)))
    column = layout.state if isinstance(layout, Steps) else layout.choice
    codes = data.states if isinstance(layout, Steps) else data.actions
    np.testing.assert_array_equal(codes, table[column].to_numpy()[rows])


@pytest.mark.parametrize("table", [STEPS, TRIALS])
def test_a_layout_survives_as_plain_values(table):
    layout = find_layout(table, {}, missing=(1, "0"))
    assert layout_from_dict(layout.to_dict()) == layout


def test_the_summary_counts():
    facts = summarise(find_layout(TRIALS, {}).read(TRIALS))
    assert (facts["subjects"], facts["sessions"], facts["steps"], facts["missing"]) == (1, 1, 3, 0)
    assert facts["action_shares"] == {"0": pytest.approx(1 / 3), "1": pytest.approx(2 / 3)}
    assert (facts["states"], facts["states_visited"]) == (5, 3)


def test_odd_data_are_pointed_out():
    single = pd.DataFrame({"session": range(4), "state": 0, "action": 1})
    texts = cautions(find_layout(single, {}).read(single))
    assert any("only one action" in text for text in texts)
    assert any("single step" in text for text in texts)
    scattered = pd.DataFrame({"session": 1, "state": range(8), "action": [0, 1] * 4})
    assert any("visited 1.0 times" in text for text in cautions(find_layout(scattered, {}).read(scattered)))


def test_choices_without_an_outcome_and_a_single_outcome_are_pointed_out():
    blank = TRIALS.assign(reward=[1.0, np.nan, 1.0])
    layout = find_layout(blank, {})
    assert any("every outcome is 1.0" in text for text in layout.cautions(blank))
    assert any("1 choices have no outcome" in text for text in cautions(layout.read(blank)))
    assert not any("no outcome" in text for text in cautions(find_layout(TRIALS, {}).read(TRIALS)))


def test_an_order_that_another_column_contradicts_is_pointed_out():
    table = STEPS.rename(columns={"Step": "Trial No."})
    (text,) = find_layout(table, {}).cautions(table)
    assert "'Trial No.' does not always grow" in text
    ordered = table.sort_values(["Mouse", "Trial No."])
    assert find_layout(ordered, {}).cautions(ordered) == []
