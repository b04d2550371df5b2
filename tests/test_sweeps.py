"""Passes over blocks: against their twin, plain EM, and the objective they promise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hiql.dynamics import MarkovChain
from hiql.em import _extrapolate, climb
from hiql.problem import Point, Problem
from hiql.search import random_policies
from hiql.solvers import IAVI
from hiql.sweeps import MOST_BLOCKS, AtOnce, InBlocks, sweeper_of
from tests.oracles import incremental_em
from tests.problems import random_data, random_mdp, switching_data


def random_problem(seed, n_intentions, prior=0.1):
    rng = np.random.default_rng(seed)
    data = random_data(rng, n_states=4, n_actions=3, lengths=rng.integers(1, 60, size=7), missing=0.1)
    policy_prior = prior * rng.random((n_intentions, 4, 3))
    problem = Problem(data, MarkovChain(prior), IAVI(policy_prior, mdp=random_mdp(rng, 4, 3)))
    start = Point(problem.dynamics.init(data, n_intentions, rng), random_policies((n_intentions, 4, 3), rng))
    return problem, start


def assert_same_point(one, other):
    for left, right in zip((*one.dynamics, one.log_policy), (*other.dynamics, other.log_policy), strict=True):
        np.testing.assert_allclose(np.exp(left), np.exp(right), rtol=1e-9, atol=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from([0.0, 1e-6, 0.1, 1.0]))
@settings(max_examples=40, deadline=None)
def test_passes_over_blocks_agree_with_their_twin(seed, n_intentions, prior):
    problem, start = random_problem(seed, n_intentions, prior)
    sweeper = sweeper_of(problem, n_intentions)
    assert isinstance(sweeper, InBlocks)
    swept = sweeper.begin(start)
    n_blocks = len(swept.memory)
    memory, energy, point = incremental_em.sweep(problem, start, [], n_blocks)
    for _ in range(4):
        assert swept.objective == pytest.approx(energy, rel=1e-9)
        assert_same_point(sweeper.point(swept), point)
        swept = sweeper.sweep(swept)
        memory, energy, point = incremental_em.sweep(problem, point, memory, n_blocks)


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.0, 0.1]))
@settings(max_examples=30, deadline=None)
def test_the_parameters_reach_the_objective_at_least(seed, n_intentions, prior):
    problem, start = random_problem(seed, n_intentions, prior)
    for sweeper in (sweeper_of(problem, n_intentions), AtOnce(problem)):
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
    one = InBlocks(problem, 3, problem.dynamics.pseudo_count, problem.solver.pseudo_count)
    one._n_blocks = 1
    in_block, at_once, point = one.begin(start), AtOnce(problem).begin(start), start
    sweeper = AtOnce(problem)
    sweeper.begin(start)
    for _ in range(3):
        point = problem.step(point).update
        assert_same_point(one.point(in_block), point)
        assert_same_point(sweeper.point(at_once), point)
        in_block, at_once = one.sweep(in_block), sweeper.sweep(at_once)


def test_blocks_and_jumps_end_where_em_stands_still():
    data, mdp, _ = switching_data(np.random.default_rng(3))
    problem = Problem(data, MarkovChain(), IAVI(mdp=mdp))
    rng = np.random.default_rng(3)
    start = Point(problem.dynamics.init(data, 2, rng), random_policies((2, 5, 3), rng))
    end = climb(problem, start, 2000, 1e-14)
    assert end.converged
    step = problem.step(end.point)
    assert end.objective == pytest.approx(step.objective, rel=1e-10)
    np.testing.assert_allclose(np.exp(step.update.log_policy), np.exp(end.point.log_policy), atol=1e-5)


@pytest.mark.parametrize("longest", [2.0, 1e6])
def test_a_jump_leads_to_counts_however_far_it_goes(longest):
    problem, start = random_problem(5, 3, prior=0.0)
    sweeper = sweeper_of(problem, 3)
    zero = sweeper.begin(start)
    one = sweeper.sweep(zero)
    two = sweeper.sweep(one)
    nearly_done = one._replace(memory=two.memory * (1 + 1e-9))  # v = 0 but for rounding: go far
    for middle in (one, nearly_done):
        jump, factor = _extrapolate(zero, middle, two, longest)
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
    class Flat(IAVI):
        def policy(self, evidence):
            return super().policy(evidence) / 2

    data, mdp, _ = switching_data(np.random.default_rng(3))
    assert isinstance(sweeper_of(Problem(data, MarkovChain(), IAVI(mdp=mdp)), 2), InBlocks)
    assert isinstance(sweeper_of(Problem(data, Sticky(), IAVI(mdp=mdp)), 2), AtOnce)
    assert isinstance(sweeper_of(Problem(data, MarkovChain(), Flat(mdp=mdp)), 2), AtOnce)
    monkeypatch.setattr("hiql.inference.STEPS_PER_CHUNK", 150)
    assert isinstance(sweeper_of(Problem(data, MarkovChain(), IAVI(mdp=mdp)), 2), AtOnce)


def test_there_are_no_more_blocks_than_sessions_or_than_tables_are_worth():
    rng = np.random.default_rng(0)
    shapes = [((200,) * 40, 5), ((200,) * 3, 5), ((20,) * 40, 66)]
    found = []
    for lengths, n_states in shapes:
        data = random_data(rng, n_states, 3, lengths)
        problem = Problem(data, MarkovChain(), IAVI(mdp=random_mdp(rng, n_states, 3)))
        shape = (2, n_states, 3)
        start = Point(problem.dynamics.init(data, 2, rng), random_policies(shape, rng))
        found.append(len(sweeper_of(problem, 2).begin(start).memory))
    assert found == [MOST_BLOCKS, 3, 2]
