"""Coding travels with the model: columns are found by name, in the fit's scale; what is new falls to its parent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hiql
from hiql import Trajectories
from hiql.data.blocks import BLOCK
from hiql.data.coding import Coding
from hiql.data.scales import mean_and_scale, standardise
from hiql.errors import BadColumns, InvalidParameter, ModelFileError
from tests.models.test_persistence import rewrite


def behaviour(**columns) -> Trajectories:
    given = {
        "inputs": [np.array([[1.0, 10], [2, 20], [3, 30]]), np.array([[4.0, 40]])],
        "input_names": ["light", "tone"],
        "contexts": {"cue": [["a", "b", "a"], ["c"]], "block": [[0, 0, 1], [1]]},
        "subjects": ["m1", "m2"],
        "outcomes": [[1, 0, 1], [1]],
    }
    return Trajectories.from_arrays(None, [[0, 1, 1], [0]], **(given | columns))


def test_inputs_are_standardised_by_the_data_of_the_fit():
    train, new = behaviour(), behaviour(inputs=[np.full((3, 2), 2.5), np.array([[2.5, 36.180339887498949]])])
    coding = Coding.of(train)
    inside = coding.standardised(train)
    np.testing.assert_allclose(inside.mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(inside.std(axis=0), 1)
    np.testing.assert_allclose(coding.standardised(new)[:, 0], 0, atol=1e-15)
    np.testing.assert_allclose(coding.standardised(new)[3, 1], 1)
    assert train.inputs[3].tolist() == [4, 40]  # outside they stay what they were


def test_columns_in_another_order_are_found_by_name():
    coding = Coding.of(behaviour())
    turned = behaviour(
        inputs=[np.array([[0.0, 10, 1], [0, 20, 2], [0, 30, 3]]), np.array([[0.0, 40, 4]])],
        input_names=["new", "tone", "light"],
        contexts={"block": [[0, 0, 1], [1]], "cue": [["a", "b", "a"], ["c"]]},
    )
    np.testing.assert_array_equal(coding.standardised(turned), coding.standardised(behaviour()))
    np.testing.assert_array_equal(coding.standardised(turned, slice(1, 3)), coding.standardised(behaviour())[1:3])
    recoded = coding.recode(turned)
    assert recoded.input_names == ("light", "tone", "new")
    assert recoded.context_names == ("cue", "block")
    assert recoded.contexts.tolist() == behaviour().contexts.tolist()


def test_a_missing_column_is_named():
    coding = Coding.of(behaviour())
    without = behaviour(inputs=[np.zeros((3, 1)), np.zeros((1, 1))], input_names=["tone"])
    for use in (coding.standardised, coding.recode):
        with pytest.raises(BadColumns, match="needs the input 'light'.*their inputs: 'tone'"):
            use(without)
    with pytest.raises(BadColumns, match="needs the context 'cue'"):
        coding.recode(behaviour(contexts={"block": [[0, 0, 1], [1]]}))


def test_contexts_and_animals_never_met_have_a_code_to_fall_to():
    coding = Coding.of(behaviour())
    new = behaviour(contexts={"cue": [["d", "c", None], ["a"]], "block": [[1, 7, 0], [1]]}, subjects=["m2", "m9"])
    assert coding.context_codes(new, "cue").tolist() == [3, 2, 3, 0]
    assert coding.context_codes(new, "block").tolist() == [1, 2, 0, 1]
    assert coding.subject_codes(new).tolist() == [1, 2]
    recoded = coding.recode(new)
    assert recoded.contexts[:, 0].tolist() == [-1, 2, -1, 0]
    assert recoded.context_labels == behaviour().context_labels
    assert coding.context_codes(recoded, "cue").tolist() == [3, 2, 3, 0]


def test_indicators_of_labels_that_new_data_do_not_show_are_zero():
    coding = Coding.of(behaviour(input_names=["side=left", "side=right"]))
    new = behaviour(inputs=[np.ones((3, 2)), np.ones((1, 2))], input_names=["side=right", "side=up"])
    recoded = coding.recode(new)
    assert recoded.input_names == ("side=left", "side=right", "side=up")
    assert recoded.inputs.tolist() == [[0, 1, 1]] * 4


def test_traces_of_the_past_are_made_where_new_data_lack_them():
    coding = Coding.of(behaviour().with_memory((2,)))
    recoded = coding.recode(behaviour())
    assert recoded.input_names == ("light", "tone", "choice_tau2", "choice_reward_tau2")
    np.testing.assert_array_equal(recoded.inputs, behaviour().with_memory((2,)).inputs)


def test_what_is_the_same_already_is_not_copied():
    data = behaviour()
    assert Coding.of(data).recode(data) is data
    assert Coding(1, 2).recode(data) is data  # as a world's coding, which knows of no columns


def test_missing_inputs_are_the_mean_inside():
    holes = behaviour(inputs=[np.array([[np.nan, 1], [2, 2], [4, np.inf]]), [[3, 3]]], missing_inputs="skip")
    coding = Coding.of(holes)
    assert coding.input_means == (3.0, 2.0)
    inside = coding.standardised(holes)
    assert np.isfinite(inside).all()
    assert inside[0, 0] == inside[2, 1] == 0


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(-1e8, 1e8))
def test_mean_and_scale_agree_with_numpy(values, shift):
    column = np.array(values)[:, None] + shift
    mean, scale = mean_and_scale(column)
    np.testing.assert_allclose(mean, column.mean(axis=0), rtol=1e-12, atol=1e-6)
    spread = column.std()
    if spread > 1e-6 * max(abs(shift), 1):
        np.testing.assert_allclose(scale, spread, rtol=1e-6)
    assert scale[0] > 0


def test_the_largest_numbers_do_not_overflow():
    column = np.array([[1.7e308], [-1.7e308], [0.0], [np.nan]])
    mean, scale = mean_and_scale(column)
    assert np.isfinite([*mean, *scale]).all()
    inside = standardise(column, mean, scale)
    np.testing.assert_allclose(inside[:, 0], [np.sqrt(1.5), -np.sqrt(1.5), 0, 0])


def test_many_blocks_give_the_mean_and_scale_of_all():
    column = np.random.default_rng(0).normal(1e9, 1.0, (2 * BLOCK + 5, 1))
    column[3] = np.nan
    mean, scale = mean_and_scale(column)
    assert mean[0] == pytest.approx(np.nanmean(column), rel=1e-14)
    assert scale[0] == pytest.approx(np.nanstd(column), rel=1e-6)
    assert mean_and_scale(np.full((5, 1), 0.1))[1][0] == 1.0


def test_all_of_it_is_saved_with_the_model(tmp_path):
    data = behaviour().with_memory((1, 4))
    model = hiql.HIQL(1).fit(data)
    model.save(tmp_path / "model.hiql")
    loaded = hiql.load(tmp_path / "model.hiql")
    assert loaded.coding_ == Coding.of(data)
    assert loaded.coding_.memory == data.memory
    assert loaded.score(data) == model.score(data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"input_names": {"tuple": ["light", "light"]}},
        {"input_names": {"tuple": [1, "tone"]}},
        {"input_scales": {"tuple": [0.0, 1.0]}},
        {"input_scales": {"tuple": [1.0]}},
        {"input_means": {"tuple": [{"float": "nan"}, 1.0]}},
        {"input_means": {"tuple": ["1", 1.0]}},
        {"context_labels": {"tuple": []}},
        {"context_labels": {"tuple": ["ab", {"tuple": [1]}]}},
        {"context_labels": {"tuple": [{"tuple": [None]}, {"tuple": [1]}]}},
        {"subjects": {"tuple": [None]}},
        {"memory": 3},
    ],
)
def test_descriptions_from_a_strangers_file_are_checked(wrong, tmp_path):
    path = tmp_path / "model.hiql"
    hiql.HIQL(1).fit(behaviour()).save(path)

    def spoil(document):
        document["fitted"]["dict"]["coding_"]["fields"] |= wrong
        return document

    rewrite(path, spoil)
    with pytest.raises(ModelFileError):
        hiql.load(path)


def test_a_memory_that_makes_no_sense_is_refused():
    with pytest.raises(InvalidParameter, match="n_states"):
        replace(behaviour().with_memory((2,)).memory, n_states=0)
