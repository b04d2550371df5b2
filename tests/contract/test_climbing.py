"""Whatever the pair and whichever way the passes go, the objective never falls, and means what it should."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.engine import climb as climbing
from hiql.engine.climb import climb, plain_climb
from hiql.engine.passes import InBlocks, OnCounts, OnParameters, sweeper_of
from tests.contract.pairs import averaging, counting, exact, given_prior, more_data, pairs


def on_parameters(problem, start):
    return OnParameters(problem)


def on_counts(problem, start):
    return OnCounts(problem, *problem.priors(start))


def in_blocks(problem, start):
    return InBlocks(problem, *problem.priors(start))


def assert_rises(run, problem):
    """No pass falls, something was gained, and the point returned has at least the objective that was promised.

    A start may rule a session out, where each intention excludes something and none is ever left.
    """
    trace = [each for each in run.trace if each > -np.inf]
    assert len(trace) >= len(run.trace) - 1
    assert np.diff(trace).min() >= -1e-9 * abs(trace[-1])
    assert run.trace[-1] > run.trace[0] + 1.0
    reached = problem.objective(run.point, problem.expect(run.point))
    assert reached >= run.objective - 1e-9 * abs(reached)


@pytest.fixture(scope="module", params=range(2))
def data(request):
    return more_data(request.param)


@pairs(exact)
def test_plain_em_climbs(pair, data):
    problem = pair.problem(data)
    assert problem.is_monotone
    assert_rises(plain_climb(problem, problem.start(np.random.default_rng(1)), 40, 0.0), problem)


@pytest.mark.parametrize("sweeper", [on_parameters])
@pairs(exact)
def test_jumps_on_parameters_climb(pair, sweeper, data, monkeypatch):
    monkeypatch.setattr(climbing, "sweeper_of", sweeper)
    problem = pair.problem(data)
    assert_rises(climb(problem, problem.start(np.random.default_rng(1)), 40, 0.0), problem)


@pytest.mark.parametrize("sweeper", [on_counts, in_blocks])
@pairs(counting)
def test_jumps_on_counts_and_passes_over_blocks_climb(pair, sweeper, data, monkeypatch):
    monkeypatch.setattr(climbing, "sweeper_of", sweeper)
    problem = pair.problem(data)
    assert_rises(climb(problem, problem.start(np.random.default_rng(1)), 40, 0.0), problem)


@pytest.mark.parametrize("sweeper", [on_counts, in_blocks])
@pairs(averaging)
def test_the_bound_of_the_evidence_climbs(pair, sweeper, data, monkeypatch):
    monkeypatch.setattr(climbing, "sweeper_of", sweeper)
    problem = pair.problem(data).estimating("bayes")
    assert problem.is_posterior
    assert_rises(climb(problem, problem.start(np.random.default_rng(1)), 40, 0.0), problem)


@pairs(counting)
def test_all_passes_begin_with_the_same_step_of_em(pair, data):
    """One block is plain EM, so all three ways go to the point that one E-step and one M-step lead to."""
    problem = pair.problem(data)
    start = problem.start(np.random.default_rng(2))
    there = problem.vector(problem.step(start).update)
    for make in (on_parameters, on_counts, in_blocks):
        sweeper = make(problem, start)
        np.testing.assert_allclose(problem.vector(sweeper.point(sweeper.begin(start))), there, rtol=1e-9, atol=1e-9)


@pairs(counting)
def test_pairs_that_count_are_passed_over_in_compiled_blocks(pair, data):
    problem = pair.problem(data)
    assert type(sweeper_of(problem, problem.start(np.random.default_rng(0)))) is InBlocks


@pairs(exact)
def test_a_fit_has_the_objective_that_its_search_has_reached(pair, data):
    model = pair.model(max_iter=300, tol=1e-9).fit(data)
    reached = model.restarts_.best if given_prior(*pair) else model.trace_.max()
    assert model.objective_ == pytest.approx(reached, rel=1e-6)


@pairs(lambda clock, way: not exact(clock, way))
def test_an_inexact_part_makes_no_promise_and_the_best_that_was_met_is_returned(pair, data):
    problem = pair.problem(data)
    assert not problem.is_monotone
    run = climb(problem, problem.start(np.random.default_rng(1)), 5, 0.0)
    assert run.objective == max(run.trace)
    assert problem.objective(run.point, problem.expect(run.point)) == run.objective
