"""Where a part says that it is conjugate, its M-step is shares of counts and pseudo-counts, and of nothing else."""

from __future__ import annotations

import numpy as np

from hiql.choices import Evidence
from hiql.dynamics import ChainCounts
from hiql.engine.problem import Point
from tests.contract.pairs import counting, exact, pairs, some_data


def shares(counts, axis=-1):
    """Each count's share of its row; equal shares of an empty row."""
    total = counts.sum(axis=axis, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), 1.0 / counts.shape[axis])


def where_any(counts, logs):
    """Σ n log p, where 0 log 0 = 0."""
    return (counts * np.where(counts > 0, logs, 0.0)).sum()


def random_counts(shape, rng):
    """Some of them 0, and a first row that was never met."""
    counts = rng.exponential(3.0, shape) * (rng.random(shape) < 0.7)
    counts[0] = 0.0
    return counts


@pairs(counting)
def test_the_m_step_is_shares_of_counts_and_pseudo_counts(pair):
    rng = np.random.default_rng(0)
    problem = pair.problem(some_data())
    start = problem.start(rng)
    chain, choice = problem.priors(start)
    moved = ChainCounts(*(random_counts(prior.shape, rng) for prior in chain))
    dynamics = problem.dynamics.update(start.dynamics, moved)
    log_tables = dynamics.log_initial, dynamics.log_transition
    for log_table, counts, prior in zip(log_tables, moved, chain, strict=True):
        np.testing.assert_allclose(np.exp(log_table), shares(counts + prior), rtol=1e-12)
    acted = random_counts(choice.pseudo_counts.shape, rng)
    seen = np.concatenate([acted, np.full((1, 3), 7.0)])  # the steps without evidence have no say
    policies = problem.choice.update(start.choice, Evidence(problem.data, seen, lambda: None))
    grouped = (acted + choice.pseudo_counts).T.reshape(3, -1, choice.n_actions)
    np.testing.assert_allclose(np.exp(policies.log_policy), shares(grouped), rtol=1e-12)


@pairs(counting)
def test_the_prior_is_worth_as_much_as_its_pseudo_counts(pair):
    rng = np.random.default_rng(1)
    problem = pair.problem(some_data())
    one, other = problem.start(rng), problem.start(rng)
    (initial, transitions), choice = problem.priors(one)

    def worth(point):
        policies = point.choice.log_policy.reshape(3, -1).T
        tables = (initial, point.dynamics.log_initial), (transitions, point.dynamics.log_transition)
        return sum(where_any(n, log) for n, log in (*tables, (choice.pseudo_counts, policies)))

    difference = worth(one) - worth(other)
    found = [problem.objective(point, problem.expect(point)._replace(log_likelihood=0.0)) for point in (one, other)]
    np.testing.assert_allclose(found[0] - found[1], difference, rtol=1e-10)


@pairs(exact)
def test_no_nudge_of_the_m_step_raises_the_objective_that_em_raises(pair):
    """Expected log-likelihood under the posteriors at ``start`` plus log-prior is highest at the update.

    Where the M-step is one step of many (a regression's), it is highest where these steps lead to, and none leads down.
    """
    rng = np.random.default_rng(2)
    data = some_data(lengths=(20, 1, 30))
    problem = pair.problem(data)
    start = problem.start(rng)
    weights = problem.evidence(start, problem.expect(start)).weights
    chunk = problem.read(start).all_sessions
    counts, moved = chunk.smoothed().moved, chunk._replace(chain=chunk.chain.dense()).smoothed().moved
    everything = (0, data.n_sessions)

    def expected(point):
        with np.errstate(divide="ignore"):
            done = np.log(problem.choice.proba(point.choice, data, np.arange(data.n_steps)))
            chain = problem.dynamics.chain(point.dynamics, problem.timeline)(everything).dense()
            moves = np.log(chain.bank), np.log(chain.initial)
        acted = done[np.arange(data.n_steps), :, data.actions]
        total = where_any(weights * data.observed[:, None], acted)
        total += where_any(moved.transitions, moves[0]) + where_any(moved.initial, moves[1])
        return total + problem.choice.log_prior(point.choice) + problem.dynamics.log_prior(point.dynamics)

    def one_step_more(point):
        each = problem.rows.count(weights, everything)
        seen = problem.choice.statistics(point.choice, problem.rows, everything, each)
        moved = problem.dynamics.statistics(point.dynamics, problem.timeline, everything, counts)
        choice = problem.choice.update(point.choice, Evidence(data, seen, lambda: weights))
        return Point(problem.dynamics.update(point.dynamics, moved), choice)

    update, worth = problem.step(start).update, [expected(start)]
    for _ in range(30):
        worth.append(expected(update))
        update = one_step_more(update)
    assert np.diff(worth).min() >= -1e-9 * abs(worth[-1])
    best, at = expected(update), problem.vector(update)
    for size in (0.3, 0.03):
        for _ in range(5):
            nudged = problem.from_vector(at + size * rng.standard_normal(at.shape), update)
            assert expected(nudged) <= best + 1e-9 * abs(best)
