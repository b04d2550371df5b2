"""Passes over blocks: against their twin, plain EM, and the objective they promise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax

from hiql.choices import Policies, TableChoice
from hiql.dynamics import MarkovChain
from hiql.engine.climb import _extrapolate, climb
from hiql.engine.passes import MOST_BLOCKS, InBlocks, OnCounts, OnParameters, sweeper_of
from hiql.engine.problem import Problem
from tests.oracles import incremental_em
from tests.problems import random_data, switching_data


def random_problem(seed, n_intentions, prior=0.1):
    rng = np.random.default_rng(seed)
    data = random_data(rng, n_states=4, n_actions=3, lengths=rng.integers(1, 60, size=7), missing=0.1)
    policy_prior = prior * rng.random((n_intentions, 4, 3))
    problem = Problem(data, MarkovChain(prior), TableChoice(policy_prior), n_intentions)
    return problem, problem.start(rng)


def assert_same_point(one, other):
    tables = [(*vars(point.dynamics).values(), point.choice.log_policy) for point in (one, other)]
    for left, right in zip(*tables, strict=True):
        np.testing.assert_allclose(np.exp(left), np.exp(right), rtol=1e-9, atol=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from([0.0, 1e-6, 0.1, 1.0]))
@settings(max_examples=40, deadline=None)
def test_passes_over_blocks_agree_with_their_twin(seed, n_intentions, prior):
    problem, start = random_problem(seed, n_intentions, prior)
    sweeper = sweeper_of(problem, start)
    assert isinstance(sweeper, InBlocks)
    swept = sweeper.begin(start)
    n_blocks = len(swept.memory)
    memory, energy, point = incremental_em.sweep(problem, start, [], n_blocks)
    for _ in range(4):
        assert swept.objective == pytest.approx(energy, rel=1e-9)
        assert_same_point(sweeper.point(swept), point)
        swept = sweeper.sweep(swept)
        memory, energy, point = incremental_em.sweep(problem, point, memory, n_blocks)


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.01, 0.1, 1.0]))
@settings(max_examples=20, deadline=None)
def test_passes_to_a_posterior_agree_with_their_twin(seed, n_intentions, prior):
    """The objective is the bound of where a pass ends, after its M-step: an E-step there raises it."""
    problem = Problem(random_problem(seed, 1)[0].data, MarkovChain(prior), TableChoice(prior), n_intentions)
    problem = problem.estimating("bayes")
    start = problem.start(np.random.default_rng(seed))
    sweeper = sweeper_of(problem, start)
    assert isinstance(sweeper, InBlocks)
    swept = sweeper.begin(start)
    n_blocks, reached = len(swept.memory), -np.inf
    memory, energy, point = incremental_em.sweep(problem, start, [], n_blocks)
    for _ in range(4):
        assert swept.objective == pytest.approx(energy, rel=1e-9)
        assert swept.objective >= reached - 1e-9 * abs(reached)
        reached = swept.objective
        assert_same_point(sweeper.point(swept), point)
        assert problem.objective(point, problem.expect(point)) >= reached - 1e-9 * abs(reached)
        swept = sweeper.sweep(swept)
        memory, energy, point = incremental_em.sweep(problem, point, memory, n_blocks)


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.0, 0.1]))
@settings(max_examples=30, deadline=None)
def test_the_parameters_reach_the_objective_at_least(seed, n_intentions, prior):
    problem, start = random_problem(seed, n_intentions, prior)
    for sweeper in (sweeper_of(problem, start), OnCounts(problem, *problem.priors(start)), OnParameters(problem)):
        swept = sweeper.begin(start)
        for _ in range(5):
            point = sweeper.point(swept)
            reached = problem.objective(point, problem.expect(point))
            assert reached >= swept.objective - 1e-9 * abs(reached)
            swept = sweeper.sweep(swept)


@given(st.integers(0, 10_000), st.sampled_from([2, 5, 9]))
@settings(max_examples=20, deadline=None)
def test_counts_that_vanish_leave_no_rounding_errors_behind(seed, n_intentions):
    """Without a prior some counts shrink to 1e-100; what a sum kept of earlier ones, a jump would blow up."""
    problem, start = random_problem(seed, n_intentions, prior=0.0)
    trace = climb(problem, start, 60, 0.0).trace
    assert np.diff(trace).min() >= -1e-9 * abs(trace[-1])


def test_one_block_is_plain_em():
    problem, start = random_problem(0, 3)
    one = InBlocks(problem, *problem.priors(start))
    one._n_blocks = 1
    sweepers = [one, OnCounts(problem, *problem.priors(start)), OnParameters(problem)]
    swept, point = [sweeper.begin(start) for sweeper in sweepers], start
    for _ in range(3):
        point = problem.step(point).update
        for sweeper, now in zip(sweepers, swept, strict=True):
            assert_same_point(sweeper.point(now), point)
        swept = [sweeper.sweep(now) for sweeper, now in zip(sweepers, swept, strict=True)]


def test_blocks_and_jumps_end_where_em_stands_still():
    data, _, _ = switching_data(np.random.default_rng(3))
    problem = Problem(data, MarkovChain(), TableChoice(), 2)
    start = problem.start(np.random.default_rng(3))
    end = climb(problem, start, 2000, 1e-14)
    assert end.converged
    step = problem.step(end.point)
    assert end.objective == pytest.approx(step.objective, rel=1e-10)
    np.testing.assert_allclose(np.exp(step.update.choice.log_policy), np.exp(end.point.choice.log_policy), atol=1e-5)


@pytest.mark.parametrize("longest", [2.0, 1e6])
def test_a_jump_leads_to_counts_however_far_it_goes(longest):
    problem, start = random_problem(5, 3, prior=0.0)
    sweeper = sweeper_of(problem, start)
    zero = sweeper.begin(start)
    one = sweeper.sweep(zero)
    two = sweeper.sweep(one)
    nearly_done = one._replace(memory=two.memory * (1 + 1e-9))  # v = 0 but for rounding: go far
    for middle in (one, nearly_done):
        jump, factor = _extrapolate(sweeper, zero, middle, two, longest)
        assert 1.0 <= factor <= longest
        assert np.isfinite(jump.memory).all()
        assert (jump.memory >= 0).all()
        assert jump.totals.max() <= two.totals.sum() + 1e-9
        assert np.isfinite(sweeper.sweep(jump).objective)


def test_what_blocks_cannot_do_is_done_at_once(monkeypatch):
    @dataclass(frozen=True)
    class Sticky(MarkovChain):
        def update(self, params, counts):
            return super().update(params, counts._replace(transitions=counts.transitions + np.eye(2)))

    @dataclass(frozen=True, eq=False)
    class Flat(TableChoice):
        def update(self, params, evidence):
            return Policies(log_softmax(super().update(params, evidence).log_policy / 2, axis=-1))

    data, _, _ = switching_data(np.random.default_rng(3))

    def sweeper(*parts):
        problem = Problem(data, *parts, 2)
        return sweeper_of(problem, problem.start(np.random.default_rng(0)))

    assert isinstance(sweeper(MarkovChain(), TableChoice()), InBlocks)
    assert isinstance(sweeper(Sticky(), TableChoice()), OnParameters)
    assert isinstance(sweeper(MarkovChain(), Flat()), OnParameters)
    monkeypatch.setattr("hiql.engine.inference.STEPS_PER_CHUNK", 150)
    counting = sweeper(MarkovChain(), TableChoice())
    assert isinstance(counting, OnCounts)
    assert not isinstance(counting, InBlocks)


def test_there_are_no_more_blocks_than_sessions_or_than_tables_are_worth():
    rng = np.random.default_rng(0)
    shapes = [((200,) * 40, 5), ((200,) * 3, 5), ((20,) * 40, 66)]
    found = []
    for lengths, n_states in shapes:
        data = random_data(rng, n_states, 3, lengths)
        problem = Problem(data, MarkovChain(), TableChoice(), 2)
        start = problem.start(rng)
        found.append(len(sweeper_of(problem, start).begin(start).memory))
    assert found == [MOST_BLOCKS, 3, 2]
