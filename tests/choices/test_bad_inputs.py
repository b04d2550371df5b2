"""Inputs that no regression likes give finite weights, or an error that names what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.data.coding import Coding
from hiql.dynamics import InputDriven
from hiql.errors import HiqlError
from hiql.parts.input_doubts import told_inputs

QUICK = {"n_init": 1, "patience": 0, "max_iter": 15, "progress": False}
N = 80


def as_data(actions, inputs, **options):
    names = [f"x{i}" for i in range(inputs.shape[1])]
    cuts = range(20, N, 20)
    return hiql.Trajectories.from_arrays(
        None, np.split(actions, cuts), inputs=np.split(inputs, cuts), input_names=names, n_actions=2, **options
    )


def bad_inputs():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 1))
    return {
        "collinear": np.column_stack([x, x, -3.0 * x + 1.0]),
        "constant": np.column_stack([x, np.full(N, 7.0)]),
        "only a constant": np.zeros((N, 1)),
        "separable": np.sign(x) + 0.1 * x,
        "one of 1e12": np.where(np.arange(N)[:, None] == 5, 1e12, x),
        "far from 0": 1e12 + x,
        "the largest numbers": 1e307 * x,
        "more inputs than steps": rng.normal(size=(N, N + 10)),
    }


@pytest.mark.parametrize("kind", bad_inputs())
def test_weights_are_finite(kind):
    inputs = bad_inputs()[kind]
    actions = (inputs[:, 0] > np.median(inputs[:, 0])).astype(int)
    data = as_data(actions, inputs)
    clock = InputDriven(inputs=("x0",)) if kind != "more inputs than steps" else "markov"
    model = hiql.GLMHMM(2, dynamics=clock, **QUICK | ({"max_iter": 2} if inputs.shape[1] > N else {})).fit(data)
    shown = model.weights_, model.ridge_, model.transition_, model.smooth_proba(data), model.predict_action_proba(data)
    assert all(np.isfinite(each).all() for each in shown)
    assert np.isfinite(getattr(model, "switch_weights_", 0.0)).all()
    assert np.isfinite([model.log_likelihood_, model.objective_]).all()


TOLD = {
    "collinear": ["'x1' follows from 'x0'", "'x2' follows from 'x0'"],
    "constant": ["'x1' is the same at every step"],
    "only a constant": ["'x0' is the same at every step"],
    "separable": [],
    "one of 1e12": ["one step has more of the spread of input 'x0'"],
    "more inputs than steps": [f"'x{i}' follows from" for i in range(N - 1, N + 10)],
}


@pytest.mark.parametrize("kind", TOLD)
def test_inputs_that_tell_nothing_of_their_own_are_named(kind):
    data = as_data(np.zeros(N, dtype=int), bad_inputs()[kind])
    told = told_inputs(None, Coding.of(data), data)
    assert len(told) == len(TOLD[kind])
    for sentence, expected in zip(told, TOLD[kind], strict=True):
        assert expected in sentence


def test_indicators_of_words_follow_from_one_another_without_a_word_about_it():
    cue = np.eye(3)[np.arange(N) % 3]
    names = ["cue=a", "cue=b", "cue=c"]
    data = hiql.Trajectories.from_arrays(None, [np.zeros(N, dtype=int)], inputs=[cue], input_names=names, n_actions=2)
    assert told_inputs(None, Coding.of(data), data) == ()
    other = hiql.Trajectories.from_arrays(
        None, [np.zeros(N, dtype=int)], inputs=[cue], input_names=["cue=a", "cue=b", "odd"], n_actions=2
    )
    assert len(told_inputs(None, Coding.of(other), other)) == 1


def test_a_fit_tells_of_its_inputs_once_although_choices_and_switching_read_them():
    inputs = bad_inputs()["constant"]
    model = hiql.GLMHMM(2, dynamics=InputDriven(), **QUICK).fit(as_data((inputs[:, 0] > 0).astype(int), inputs))
    assert sum("the same at every step" in note for note in model.notes_) == 1


@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_holes_are_named_or_no_evidence(hole):
    rng = np.random.default_rng(1)
    inputs, actions = rng.normal(size=(N, 2)), rng.integers(2, size=N)
    inputs[65, 1] = hole
    with pytest.raises(HiqlError, match="x1"):
        as_data(actions, inputs)
    data = as_data(actions, inputs, missing_inputs="skip")
    model = hiql.GLMHMM(2, dynamics="input-driven", **QUICK).fit(data)
    assert data.n_observed == N - 1
    assert np.isfinite(model.weights_).all()
    assert np.isfinite(model.switch_weights_).all()
