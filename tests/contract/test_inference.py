"""Likelihood, posteriors and counts of every pair against enumeration of all paths, on ragged data with gaps."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.engine.inference import causal, most_likely_path, smooth
from tests.contract.pairs import pairs, some_data
from tests.oracles.forward_backward import best_intentions, enumerate_paths, forward_backward


def plainly(pair, point, data, n):
    """Session n as an oracle reads it: steps, matrices (T, P, P), the beginning (P,) and what was done (P, T)."""
    steps = range(data.n_steps)[data.session(n)]
    done = [pair.way.acts(point.choice, data, t)[:, data.actions[t]] if data.observed[t] else np.ones(3) for t in steps]
    matrices = np.stack([pair.clock.moves(point.dynamics, data, t) for t in steps])
    each = np.arange(len(steps))
    done = np.stack(done, axis=1)[pair.clock.phases(3)]
    return each, each, pair.clock.begins(point.dynamics, data, n), matrices, done


@pytest.fixture(params=range(2))
def data(request):
    return some_data(request.param)


@pairs()
def test_likelihood_posteriors_and_counts_agree_with_enumeration_of_all_paths(pair, data):
    problem = pair.problem(data)
    point = problem.start(np.random.default_rng(1))
    truth = [enumerate_paths(*plainly(pair, point, data, n)) for n in range(data.n_sessions)]
    log_likelihoods, posteriors, moves, *_ = zip(*truth, strict=True)
    phases = pair.clock.phases(3)
    paths = [best_intentions(phases, *plainly(pair, point, data, n)) for n in range(data.n_sessions)]
    found, reading = problem.expect(point), problem.read(point)
    of_phases = np.concatenate(posteriors)
    posterior = of_phases @ np.eye(3)[phases]
    assert found.log_likelihood == pytest.approx(sum(log_likelihoods), rel=1e-12)
    np.testing.assert_allclose(smooth(reading), posterior, atol=1e-12)
    np.testing.assert_array_equal(most_likely_path(reading), np.concatenate(paths))
    timeline = problem.timeline
    everything = (0, data.n_sessions)
    begins, rows = timeline.begins.between(*everything), timeline.moves.between(*everything)
    chain = reading.chain(everything).dense()
    initial, bank = np.zeros_like(chain.initial), np.zeros_like(chain.bank)
    np.add.at(initial, begins, of_phases[data.offsets[:-1]])
    np.add.at(bank, rows, np.concatenate(moves))
    moved = problem.dynamics.statistics(point.dynamics, timeline, everything, pair.clock.folded(initial, bank))
    for ours, theirs in zip(found.chain, moved, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    counts = problem.choice.statistics(
        point.choice, problem.rows, everything, problem.rows.count(posterior, everything)
    )
    np.testing.assert_allclose(found.choice, counts, atol=1e-12)
    np.testing.assert_allclose(problem.choice.use(found.choice), posterior[data.observed].sum(axis=0), atol=1e-12)


@pairs()
def test_causal_posteriors_agree_with_the_recursion(pair, data):
    problem = pair.problem(data)
    point = problem.start(np.random.default_rng(2))
    truth = [forward_backward(*plainly(pair, point, data, n)) for n in range(data.n_sessions)]
    for found, expected in zip(causal(problem.read(point)), zip(*(t[1:3] for t in truth), strict=True), strict=True):
        np.testing.assert_allclose(found, np.concatenate(expected) @ np.eye(3)[pair.clock.phases(3)], atol=1e-12)


@pairs()
def test_all_actions_of_all_steps_are_as_the_part_means_them(pair, data):
    problem = pair.problem(data)
    point = problem.start(np.random.default_rng(3))
    known = np.flatnonzero(data.states >= 0)
    found = problem.choice.proba(point.choice, data, np.arange(data.n_steps))
    np.testing.assert_allclose(found.sum(axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(found[known], [pair.way.acts(point.choice, data, t) for t in known], atol=1e-12)
