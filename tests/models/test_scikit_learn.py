"""Trajectories are samples to scikit-learn, one a session; models say in one line what they are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import hiql
from hiql.errors import InvalidParameter


def per_step(model, data, y=None):
    return model.score(data, per="step")


@pytest.fixture(scope="module")
def data():
    return hiql.worlds.simulate_two_goals(30, random_state=0).data


@pytest.fixture(scope="module")
def model(data):
    return hiql.HIQL(2, n_init=2, patience=2, progress=False).fit(data)


def test_sessions_are_taken_by_number_slice_and_mask(data):
    assert len(data) == data.shape[0] == 30
    assert data[3].session_names == (data.session_names[3],)
    assert data[-1].session_names == (data.session_names[-1],)
    assert data[2:5].session_names == data.session_names[2:5]
    np.testing.assert_array_equal(data[[4, 1], ...].lengths, data.lengths[[4, 1]])
    np.testing.assert_array_equal(data[data.lengths > 8].lengths, data.lengths[data.lengths > 8])
    assert sum(session.n_steps for session in data) == data.n_steps
    with pytest.raises(IndexError, match="30 sessions"):
        data[30]


def test_cross_validation_holds_out_sessions(data, model):
    folds = KFold(3)
    found = cross_val_score(clone(model), data, cv=folds, scoring=per_step)
    expected = [clone(model).fit(data.select(a)).score(data.select(b), per="step") for a, b in folds.split(data)]
    np.testing.assert_array_equal(found, expected)


def test_a_grid_search_finds_the_better_setting(data, model):
    search = GridSearchCV(model, {"pseudo_count": [0.1, 1000.0]}, scoring=per_step, cv=2).fit(data)
    assert search.best_params_ == {"pseudo_count": 0.1}
    assert search.best_estimator_.n_intentions == 2


def test_a_model_says_in_one_line_what_it_is(model):
    plain = repr(hiql.HIQL(2, n_init=2))
    assert plain == "HIQL(n_init=2)"
    told = repr(model)
    assert "\n" not in told
    assert told.startswith("<HIQL(n_init=2, patience=2, progress=False) fitted: intention 1 ")
    assert f"{model.log_likelihood_:.1f} nats" in told


def test_names_are_kept(model, tmp_path):
    assert model.names_ == ("intention 1", "intention 2")
    named = model.named(["go", "return"])
    named.save(tmp_path / "m.hiql")
    assert hiql.load(tmp_path / "m.hiql").names_ == ("go", "return")
    assert named.permuted([1, 0]).names_ == ("return", "go")
    assert model.names_ == ("intention 1", "intention 2")
    assert "go " in repr(named)
    for names in (["go"], ["go", "go"], ["go", ""]):
        with pytest.raises(InvalidParameter, match="give 2 different names"):
            model.named(names)
