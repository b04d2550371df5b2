"""Paths through phases, drawn: on average they use what the smoother expects, and durations have intervals."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.choices import TableChoice
from hiql.dynamics import SemiMarkov
from hiql.engine.problem import Problem
from hiql.engine.sampling import Sampling, sample_posterior, unstacked
from tests.problems import random_data


@pytest.mark.parametrize(("k", "n_phases"), [(1, 2), (2, 1), (2, 3)])
def test_drawn_counts_are_those_expected_on_average(k, n_phases):
    data = random_data(np.random.default_rng(0), n_states=2, n_actions=2, lengths=(6, 1, 4))
    problem = Problem(data, SemiMarkov(n_phases=n_phases), TableChoice(0.1), k)
    point = problem.start(np.random.default_rng(1))
    chunk = problem.read(point).all_sessions
    expected, rng, n = chunk.chain.smoothed(chunk.done).moved, np.random.default_rng(2), 800
    drawn = [chunk.drawn(rng)[0].moved for _ in range(n)]
    for name, wanted in expected._asdict().items():
        seen = np.stack([getattr(each, name) for each in drawn])
        assert seen.shape[1:] == wanted.shape
        assert (np.abs(seen.mean(axis=0) - wanted) < 4.5 * seen.std(axis=0) / np.sqrt(n) + 1e-3).all(), name


def test_no_intention_follows_itself_in_a_draw():
    data = random_data(np.random.default_rng(0), lengths=(20, 9))
    problem = Problem(data, SemiMarkov(n_phases=2), TableChoice(0.1), 3)
    draws = sample_posterior(
        problem, problem.start(np.random.default_rng(1)), Sampling(1, 2, 5, 1, 0), 0, lambda _: True, lambda *_: None
    )
    for n in range(5):
        one = unstacked(draws.point, n)
        problem.dynamics.check_params(one.dynamics, data, 3)
        assert (np.diag(np.exp(one.dynamics.log_following)) == 0).all()
