"""Results of other data, another column or another clock are never mistaken for these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hiql
from hiql.data.digest import digest_of, plain
from hiql.dynamics import MarkovChain
from hiql.sweep import plan
from hiql.sweep.plan import Plan, Source


@pytest.fixture
def data():
    return hiql.Trajectories.from_arrays(
        None,
        [[0, 1, 1], [1, 0, 1]],
        inputs=[np.arange(6.0).reshape(3, 2), np.ones((3, 2))],
        contexts={"cue": [["a", "b", "a"], ["a", "a", "b"]]},
        outcomes=[[1, 0, 1], [0, 1, np.nan]],
        subjects=["m", "n"],
    )


CHANGES = {
    "an input": lambda data: {"inputs": data.inputs + 1e-9},
    "its name": lambda data: {"input_names": ("light", "tone")},
    "no inputs": lambda data: {"inputs": np.empty((6, 0)), "input_names": ()},
    "a context": lambda data: {"contexts": 1 - data.contexts},
    "its labels": lambda data: {"context_labels": (("a", "c"),)},
    "an outcome": lambda data: {"outcomes": data.outcomes + 1},
    "no outcomes": lambda data: {"outcomes": None},
    "the order": lambda data: {"session_order": [4, 5]},
    "the days": lambda data: {"session_days": [1.0, 2.0]},
    "the subjects": lambda data: {"subjects": ("m", "o")},
    "true intentions": lambda data: {"intentions": np.zeros(6)},
    "an action": lambda data: {"actions": 1 - data.actions},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_every_column_counts(data, change):
    changed = {name: np.array(v) if isinstance(v, list) else v for name, v in change(data).items()}
    other = replace(data, **changed)
    assert digest_of(other) != digest_of(data)
    assert Source({None: other}).fingerprint(None) != Source({None: data}).fingerprint(None)


def test_where_the_data_lie_does_not_count(data, tmp_path):
    data.save(tmp_path / "folder")
    assert digest_of(hiql.open_trajectories(tmp_path / "folder")) == digest_of(data)


def test_another_clock_is_another_unit(data, monkeypatch):
    before = Plan((2,), n_folds=2).units(Source({None: data}))
    clock = MarkovChain(pseudo_count=7.0)
    monkeypatch.setitem(plan.FAMILIES, "hiql", lambda _, k, **options: hiql.HIQL(k, **options | {"dynamics": clock}))
    after = Plan((2,), n_folds=2).units(Source({None: data}))
    assert before != after
    assert before[0]["search"]["dynamics"]["type"] == "MarkovChain"
    assert after[0]["search"]["dynamics"]["pseudo_count"] == 7.0


def test_settings_as_plain_values():
    assert plain((1, np.float64(2.5), {"a": None})) == [1, 2.5, {"a": None}]
    assert plain(np.zeros(2)) != plain(np.ones(2))
    assert plain(np.zeros(2)) == plain(np.zeros(2))
    assert plain(MarkovChain(1.0)) != plain(MarkovChain(2.0))
    assert plain(np.mean) != plain(np.sum)
