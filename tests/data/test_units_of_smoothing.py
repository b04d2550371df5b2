"""What divides data keeps units of smoothing whole: today sessions, one day linked ones."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql import Trajectories
from hiql.engine import inference
from hiql.evaluate.checks.bootstrap import _drawn, _units


@pytest.fixture
def data() -> Trajectories:
    rng = np.random.default_rng(0)
    return Trajectories.from_arrays(None, [rng.integers(0, 2, n) for n in rng.integers(5, 30, 40)])


@pytest.fixture
def linked(monkeypatch, data) -> Trajectories:
    """As if every four sessions went on from one another."""
    monkeypatch.setattr(Trajectories, "unit_of_session", property(lambda self: np.arange(self.n_sessions) // 4))
    return data


def test_a_unit_is_a_session(data):
    assert data.unit_of_session.tolist() == list(range(40))
    assert data.unit_offsets.tolist() == list(range(41))


def test_folds_keep_units_together(linked):
    for fold in hiql.session_folds(linked, 5):
        assert not set(fold.train // 4) & set(fold.test // 4)


def test_units_are_drawn_whole(linked):
    drawn = _drawn(_units(linked, None, "groups"), np.random.default_rng(0))
    assert all((part // 4 == part[0] // 4).all() and len(part) == 4 for part in drawn.reshape(-1, 4))


def test_chunks_end_where_units_end(linked, monkeypatch):
    monkeypatch.setattr(inference, "STEPS_PER_CHUNK", 10)
    cut = inference.chunks(linked)
    assert len(cut) > 4
    assert all(first % 4 == 0 and last % 4 == 0 for first, last in cut)
    assert (cut[0][0], cut[-1][1]) == (0, 40)
