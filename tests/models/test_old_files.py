"""Files that the first release (0.1) wrote still open, and mean the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hiql

FIXTURES = Path(__file__).parents[1] / "fixtures"
SCORES = json.loads((FIXTURES / "scores-0.1.json").read_text())


def test_a_model_of_an_unknown_world():
    model = hiql.load(FIXTURES / "hiql-0.1.hiql")
    assert model.coding_.state_labels == ("left", "right")
    assert model.coding_.input_names == ()
    data = hiql.read_table(FIXTURES / "steps.csv", subject="subject")
    assert model.score(data) == pytest.approx(SCORES["hiql"], rel=1e-12)


def test_a_model_of_a_known_world():
    model = hiql.load(FIXTURES / "hiavi-0.1.hiql")
    assert model.about_["names"] == ("a", "b")
    data = model.coding_.recode(hiql.read_table(FIXTURES / "two_goals.csv"))  # as the first release simulated it
    assert model.score(data) == pytest.approx(SCORES["hiavi"], rel=1e-12)


def test_a_model_saved_again_keeps_what_it_knew(tmp_path):
    old = hiql.load(FIXTURES / "hiql-0.1.hiql")
    old.save(tmp_path / "again.hiql")
    assert hiql.load(tmp_path / "again.hiql").coding_ == old.coding_


def test_a_folder_of_trajectories():
    data = hiql.open_trajectories(FIXTURES / "trajectories-0.1")
    read = hiql.read_table(FIXTURES / "steps.csv", subject="subject")
    assert np.array_equal(data.pairs, read.pairs)
    assert data.subjects == read.subjects
    assert data.inputs.shape == (120, 0)
    assert data.session_order.tolist() == [0, 1, 2, 0, 1, 2]
