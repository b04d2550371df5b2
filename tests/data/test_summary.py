"""What is told of data before any fit."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.data.summary import cautions, summarise


def with_inputs(*columns):
    return hiql.Trajectories.from_arrays(
        None, [np.array([0, 1, 1, 0])], inputs=[np.column_stack(columns)], input_names=["tone", "light"]
    )


def test_an_input_that_never_changes_is_told():
    data = with_inputs([3.0] * 4, [0.0, 1.0, 0.0, 1.0])
    (text,) = [text for text in cautions(data) if "same at all steps" in text]
    assert "'tone'" in text
    assert "light" not in text
    told = summarise(data)["inputs"]
    assert told["tone"] == {"mean": 3.0, "scale": 0.0}
    assert told["light"]["scale"] == pytest.approx(0.5)


def test_inputs_that_change_are_no_cause_for_caution():
    assert not any("same at all steps" in text for text in cautions(with_inputs([1, 2, 1, 2], [0, 0, 0, 1])))
