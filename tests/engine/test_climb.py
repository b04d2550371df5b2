"""EM climbs, accelerated or not; the search finds what plain restarts miss; seeds decide everything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hiql
from hiql.choices import TableChoice
from hiql.dynamics import MarkovChain, Timeline
from hiql.engine.climb import climb, plain_climb
from hiql.engine.problem import Problem
from hiql.errors import ShapeMismatch
from hiql.parts import Rows
from tests.problems import random_data, switching_data


def random_problem(seed, n_intentions):
    rng = np.random.default_rng(seed)
    data = random_data(rng, n_states=4, n_actions=3, lengths=rng.integers(1, 60, size=6), missing=0.1)
    prior = rng.choice([0.0, 1e-6, 0.1, 1.0])
    problem = Problem(data, MarkovChain(prior), TableChoice(prior), n_intentions)
    return problem, problem.start(rng)


@given(st.integers(0, 10_000), st.integers(1, 4), st.booleans())
@settings(max_examples=60)
def test_the_objective_never_falls(seed, n_intentions, accelerate):
    problem, start = random_problem(seed, n_intentions)
    run = (climb if accelerate else plain_climb)(problem, start, max_passes=80, tol=0.0)
    assert np.isfinite(run.trace).all()
    drops = np.diff(run.trace) / np.abs(run.trace[:-1])
    assert drops.min(initial=0.0) >= -1e-9


@pytest.mark.parametrize("seed", range(5))
def test_acceleration_ends_no_lower_and_needs_fewer_passes(seed):
    data, _, _ = switching_data(np.random.default_rng(seed))
    problem = Problem(data, MarkovChain(), TableChoice(), 2)
    start = problem.start(np.random.default_rng(seed))
    plain = plain_climb(problem, start, 5000, 1e-9)
    fast = climb(problem, start, 5000, 1e-9)
    assert fast.converged
    assert fast.objective >= plain.objective - 1e-6 * abs(plain.objective)
    assert fast.n_passes < plain.n_passes


def test_the_m_step_is_the_maximum_of_the_expected_objective():
    """Nudging the updated parameters in any direction lowers the expected complete log-likelihood plus prior."""
    problem, start = random_problem(3, 2)
    expectation = problem.expect(start)
    update = problem.step(start).update

    def expected_objective(point):
        return (
            (expectation.chain.initial * point.dynamics.log_initial).sum()
            + (expectation.chain.transitions * point.dynamics.log_transition).sum()
            + (expectation.choice[:-1].T * point.choice.log_policy.reshape(2, -1)).sum()
            + problem.choice.log_prior(point.choice)
            + problem.dynamics.log_prior(point.dynamics)
        )

    rng = np.random.default_rng(0)
    best = expected_objective(update)
    for _ in range(50):
        vector = problem.vector(update)
        nudged = problem.from_vector(vector + 0.02 * rng.standard_normal(vector.shape), update)
        assert expected_objective(nudged) <= best + 1e-9


def test_the_search_reaches_at_least_the_best_of_many_plain_runs():
    data, mdp, _ = switching_data(np.random.default_rng(7), n_intentions=3)
    problem = Problem(data, MarkovChain(), TableChoice(), 3)
    ends = []
    for seed in range(20):
        start = problem.start(np.random.default_rng(seed))
        ends.append(plain_climb(problem, start, 2000, 1e-8).objective)
    model = hiql.HIAVI(3, mdp=mdp).fit(data)
    assert model.objective_ >= max(ends) - 1e-3 * abs(max(ends))
    assert model.restarts_.best == pytest.approx(model.objective_)
    assert model.restarts_.n_agreed >= 1
    assert len(model.restarts_) > 10
    assert model.restarts_.spread >= 0
    assert len(model.restarts_.independent) == len(model.restarts_) - 2
    assert "starts and kicks came within 0.1 %" in str(model.restarts_)


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_the_same_seed_gives_the_same_fit_whatever_the_number_of_threads(n_jobs):
    data, mdp, _ = switching_data(np.random.default_rng(8))
    alone = hiql.HIAVI(2, mdp=mdp, random_state=3).fit(data)
    together = hiql.HIAVI(2, mdp=mdp, random_state=3, n_jobs=n_jobs).fit(data)
    np.testing.assert_array_equal(alone.policy_, together.policy_)
    np.testing.assert_array_equal(alone.transition_, together.transition_)
    assert alone.restarts_ == together.restarts_


def test_the_papers_variant_samples_demonstrations_and_still_finds_the_intentions():
    data, mdp, policy = switching_data(np.random.default_rng(9), n_sessions=60)
    paper = hiql.HIAVI(2, mdp=mdp, pseudo_count=1e-6, sampled=True, n_init=5, max_iter=60).fit(data)
    exact = hiql.HIAVI(2, mdp=mdp, pseudo_count=1e-6).fit(data)
    assert paper.log_likelihood_ == pytest.approx(exact.log_likelihood_, rel=0.02)
    matching = hiql.evaluate.match_policies(paper.policy_, policy)
    assert matching.distance < 0.1
    again = hiql.HIAVI(2, mdp=mdp, pseudo_count=1e-6, sampled=True, n_init=5, max_iter=60, n_jobs=2).fit(data)
    np.testing.assert_array_equal(paper.policy_, again.policy_)
    assert np.diff(paper.trace_).min() < 0  # sampling makes EM noisy; weighting never falls
    other = hiql.HIAVI(2, mdp=mdp, pseudo_count=1e-6, sampled=True, n_init=5, max_iter=60, random_state=1).fit(data)
    assert not np.array_equal(other.policy_, paper.policy_)


def test_no_climb_is_longer_than_max_iter():
    data, mdp, _ = switching_data(np.random.default_rng(1), n_sessions=5)
    model = hiql.HIAVI(2, mdp=mdp, max_iter=3).fit(data)
    assert max(attempt.n_passes for attempt in model.restarts_.attempts) <= 3


def test_a_chain_that_does_not_fit_is_refused_before_any_kernel_sees_it():
    @dataclass(frozen=True)
    class Wrong(MarkovChain):
        def bind(self, data):
            begins, _ = super().bind(data)
            return Timeline(begins, Rows.of_steps(1, np.ones(data.n_steps), data.offsets))

    data, mdp, _ = switching_data(np.random.default_rng(1), n_sessions=5)
    with pytest.raises(ShapeMismatch, match="chain and choice.*the number of a row they have"):
        hiql.HIAVI(2, mdp=mdp, dynamics=Wrong()).fit(data)
