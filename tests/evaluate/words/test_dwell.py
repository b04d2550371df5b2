"""Runs of a path, and how long they last."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.evaluate.words.dwell import Runs, expected_dwell, find_runs, survival


def sessions(*lengths):
    zeros = [np.zeros(n, dtype=int) for n in lengths]
    return hiql.Trajectories.from_arrays(zeros, zeros, n_states=1, n_actions=1)


def test_runs_end_with_their_session():
    runs = find_runs(sessions(4, 2, 1), np.array([0, 0, 1, 1, 1, 0, 0]))
    assert runs.intention.tolist() == [0, 1, 1, 0, 0]
    assert runs.length.tolist() == [2, 2, 1, 1, 1]
    assert runs.cut.tolist() == [False, True, False, True, True]


def test_survival_without_cuts_is_the_share_of_runs_that_long():
    lengths = np.array([1, 2, 2, 5])
    got = survival(Runs(np.zeros(4, int), lengths, np.zeros(4, bool)))
    np.testing.assert_allclose(got, [np.mean(lengths >= n) for n in range(1, 6)])


def test_survival_counts_cut_runs_only_as_long_as_they_were_seen():
    got = survival(Runs(np.zeros(3, int), np.array([1, 2, 3]), np.array([False, True, False])))
    np.testing.assert_allclose(got, [1.0, 2 / 3, 2 / 3])


def test_survival_of_no_run_is_empty():
    assert len(survival(Runs(np.zeros(0, int), np.zeros(0, int), np.zeros(0, bool)))) == 0


def test_survival_and_expected_dwell_agree_with_a_simulated_chain():
    rng = np.random.default_rng(0)
    stay = 0.8
    switch = rng.random(40_000) > stay
    path = np.cumsum(switch) % 2
    runs = find_runs(sessions(*[40] * 1000), path)
    np.testing.assert_allclose(survival(runs)[:10], stay ** np.arange(10), atol=0.02)
    chain = [[stay, 1 - stay], [1 - stay, stay]]
    np.testing.assert_allclose(expected_dwell(chain), 1 / (1 - stay))


@pytest.mark.parametrize("chain", [[[1.0]], [[1.0, 0.0], [0.5, 0.5]]])
def test_an_intention_that_is_never_left_lasts_for_ever(chain):
    assert expected_dwell(chain)[0] == np.inf
