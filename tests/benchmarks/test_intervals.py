"""Intervals hold the truth as often as they say, and its ranks are uniform: a few experiments of the benchmark."""

from __future__ import annotations

import numpy as np
import pytest


def held(results, name):
    return np.mean([np.mean(one["held"][name]) for one in results])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_intervals_of_a_sticky_chain_hold_the_truth(module, tmp_path):
    benchmark = module("intervals")
    results = benchmark.run("coverage-sticky", 8, tmp_path)
    assert 0.92 < held(results, "policy_") < 0.99
    for name in ("transition_", "initial_", "share_", "durations"):
        assert held(results, name) > 0.8
    assert benchmark.run("coverage-sticky", 8, tmp_path) == results  # what is there is not done again


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ranks_of_the_truth_are_uniform(module, tmp_path):
    benchmark = module("intervals")
    results = benchmark.run("ranks-flat", 30, tmp_path)
    ranks = np.concatenate([np.ravel([one["ranks"][name] for one in results]) for name in ("policy_", "transition_")])
    assert abs(ranks.mean() - 50.0) < 6.0
    assert abs((ranks < 50).mean() - 0.5) < 0.12
    assert held(results, "policy_") > 0.88
