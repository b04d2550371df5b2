"""How far policies have come since the first day: by hand, in figures and in words. Nothing is fitted."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import hiql
from hiql.errors import InvalidParameter
from hiql.evaluate.measures.drift import Drifting, drifting, has_drift
from hiql.plots import draw_drift, new_figure
from hiql.report.drift_section import drift_chart, how_far

DATA = hiql.Trajectories.from_arrays([[0, 0, 0, 1]], [[0, 1, 0, 1]], n_states=2, n_actions=2)
DAYS = np.array([1.0, 2.0, 5.0])
FOUND = Drifting(
    ("a", "b"), (DAYS, DAYS[:2]), (np.array([[0, 0], [0.1, 0], [0.3, 0]]), np.array([[0, 0], [0.2, 0.05]]))
)


def model(right):
    """One subject whose p(action 1) is ``right`` (D, S) on its days, with one intention."""
    policy = np.stack([1.0 - right, right], axis=-1)[:, None]
    drift = SimpleNamespace(days=DAYS, policy=policy)
    coding = SimpleNamespace(subjects=("a",), days=(tuple(DAYS),))
    return SimpleNamespace(policy_by_day_=policy, coding_=coding, drift_of=lambda name: drift)


def test_by_hand():
    """In state 0, three of four steps, action 1 becomes 0.4 more probable; in state 1 less by 0.2."""
    found = drifting(model(np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.3]])), DATA)
    assert found.subjects == ("a",)
    np.testing.assert_allclose(found.changed[0][:, 0], [0.0, 0.0, 0.75 * 0.4 + 0.25 * 0.2])
    assert found.most == pytest.approx(0.35)


def test_who_has_a_drift():
    plain = SimpleNamespace(pool=None)
    assert has_drift(model(np.full((3, 2), 0.5)))
    assert not has_drift(plain)
    with pytest.raises(InvalidParameter, match="days"):
        drifting(plain, DATA)


def test_a_line_for_each_subject():
    figure = new_figure(3.0, 2.0)
    ax = figure.add_subplot()
    draw_drift(ax, FOUND, 0)
    assert [line.get_ydata()[-1] for line in ax.lines] == [0.3, 0.2]
    chart = drift_chart(FOUND, 1)
    assert [trace.y[-1] for trace in chart.data] == [0.0, 0.05]
    assert chart.data[0].showlegend


def test_words():
    said = how_far(FOUND, ("search", "rest"))
    assert said.endswith("first: 20\u00a0% to 30\u00a0% in “search” and 0\u00a0% to 5\u00a0% in “rest”.")
    assert how_far(Drifting(("a",), (DAYS,), (np.full((3, 1), 0.01),)), ("rest",)).startswith("Days are alike")
