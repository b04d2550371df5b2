"""Runs drawn from the posterior against runs that the clock makes: right clocks pass, wrong ones do not."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.evaluate.words.dwell import find_runs
from hiql.evaluate.words.lasting import lasting
from hiql.worlds import ObservedSchedule
from tests.dynamics.test_semi_markov import QUICK, regular
from tests.dynamics.test_semi_markov import lasting as sessions_lasting


def outside(found):
    """The share of durations, up to the 90th percentile, at which drawn runs leave what is usual."""
    far = [(one.drawn < one.low - 0.01) | (one.drawn > one.high + 0.01) for one in found]
    shown = [max(int((one.simulated > 0.1).sum()), 1) for one in found]
    return np.mean([away[:n].mean() for away, n in zip(far, shown, strict=True)])


@pytest.fixture(scope="module")
def markov():
    """A Markov chain, and what it simulates."""
    data = sessions_lasting(60, 100, (regular, regular))
    model = hiql.HIQL(2, **QUICK).fit(data)
    return model, data, model.sample(ObservedSchedule(data), random_state=3)


def test_a_right_clock_raises_no_alarm_where_decoded_runs_would(markov):
    *_, played = markov
    refit = hiql.HIQL(2, **QUICK).fit(played)
    found = lasting(refit, played)
    assert all(one.is_usual for one in found)
    assert outside(found) < 0.2
    decoded = find_runs(played, refit.decode(played))
    assert not all(one.usual[0] <= decoded.of(i).length.mean() <= one.usual[1] for i, one in enumerate(found))


def test_a_wrong_clock_is_told(markov):
    model, data, _ = markov
    found = lasting(model, data)
    assert outside(found) > 0.4
    assert not any(one.is_usual for one in found)


def test_draws_add_up_to_the_posterior(markov):
    model, data, _ = markov
    drawn = np.mean([np.eye(2)[model.draw_path(data, seed)] for seed in range(200)], axis=0)
    np.testing.assert_allclose(drawn, model.smooth_proba(data), atol=0.2)
    assert np.abs(drawn - model.smooth_proba(data)).mean() < 0.03


def test_unseen_draws_are_those_of_the_chain(markov):
    model, data, _ = markov
    paths = np.stack([model.draw_path(data, seed, seen=False) for seed in range(30)])
    inside = np.setdiff1d(np.arange(data.n_steps), data.offsets[:-1])
    for i in range(2):
        stayed = (paths[:, inside] == i)[paths[:, inside - 1] == i].mean()
        assert stayed == pytest.approx(model.transition_[i, i], abs=0.01)
