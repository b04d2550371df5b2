"""Draws from the posterior: against exact sums over all paths, and the same whatever the threads."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln

import hiql
from hiql.choices import TableChoice
from hiql.dynamics import MarkovChain
from hiql.engine.problem import Problem
from hiql.engine.sampling import Names, Sampling, sample_posterior, unstacked
from tests.contract.pairs import more_data
from tests.problems import random_data

PLAN = Sampling(n_chains=4, warm_up=50, n_kept=400, thin=1, most_doublings=0)


def drawn(problem, fit, plan=PLAN, seed=0, is_enough=lambda draws: True):
    return sample_posterior(problem, fit, plan, seed, is_enough, lambda done, total: None)


def log_evidence(concentration, counts):
    """(…,) log of the Dirichlet–multinomial probability of counts (…, A) in a given order."""
    a = np.broadcast_to(concentration, counts.shape)
    ratio = gammaln(a + counts).sum(-1) - gammaln(a).sum(-1)
    return ratio + gammaln(a.sum(-1)) - gammaln((a + counts).sum(-1))


def exact(problem, names):
    """The posterior mean of Π, Λ, policies and shares under the fit's names, by summing over all paths."""
    data, (prior, k) = problem.data, (1.1, problem.n_intentions)
    log_weights, means = [], []
    for path in product(range(k), repeat=data.n_steps):
        z = np.array(path)
        initial, moves, acts = np.zeros(k), np.zeros((k, k)), np.zeros((k, data.n_states, data.n_actions))
        for s in range(data.n_sessions):
            here = z[data.session(s)]
            initial[here[0]] += 1
            np.add.at(moves, (here[:-1], here[1:]), 1)
        seen = data.observed
        np.add.at(acts, (z[seen], data.states[seen], data.actions[seen]), 1)
        log_weights.append(sum(log_evidence(prior, counts).sum() for counts in (initial, moves, acts)))
        order = names.order(z)
        initial, moves, acts = initial[order], moves[np.ix_(order, order)], acts[order]
        rows = [(counts + prior) / (counts + prior).sum(-1, keepdims=True) for counts in (initial, moves, acts)]
        share = np.bincount(z[seen], minlength=k)[order] / seen.sum()
        means.append(np.concatenate([part.ravel() for part in (*rows, share)]))
    weights = np.exp(np.array(log_weights) - max(log_weights))
    return weights @ np.array(means) / weights.sum()


@pytest.mark.parametrize(("k", "lengths"), [(2, (4, 1, 3)), (3, (5, 2))])
def test_means_are_those_of_all_paths_together(k, lengths):
    data = random_data(np.random.default_rng(k), n_states=2, n_actions=2, lengths=lengths, missing=0.15)
    problem = Problem(data, MarkovChain(0.1), TableChoice(0.1), k)
    fit = problem.start(np.random.default_rng(1))
    draws = drawn(problem, fit)
    dynamics, choice = draws.point
    tables = np.exp(dynamics.log_initial), np.exp(dynamics.log_transition), np.exp(choice.log_policy), draws.share
    flat = np.concatenate([part.reshape(len(part), -1) for part in tables], axis=1)
    by_batch = flat.reshape(20, -1, flat.shape[1]).mean(axis=1)  # successive draws hang together
    error = by_batch.std(axis=0, ddof=1) / np.sqrt(20)
    off = np.abs(flat.mean(axis=0) - exact(problem, Names(problem, fit)))
    assert (off < 4.5 * error + 1e-9).all()
    assert error.max() < 0.04


@pytest.fixture(scope="module")
def problem():
    return Problem(more_data(), MarkovChain(), TableChoice(0.1), 2)


def test_threads_change_nothing_and_seeds_do(problem, monkeypatch):
    monkeypatch.setattr("hiql.engine.inference.STEPS_PER_CHUNK", 30)
    fit = problem.start(np.random.default_rng(0))
    plan = Sampling(3, 5, 10, 2, 0)
    together = Problem(problem.data, problem.dynamics, problem.choice, 2, n_threads=3)
    alone, many, other = drawn(problem, fit, plan), drawn(together, fit, plan), drawn(problem, fit, plan, seed=1)
    np.testing.assert_array_equal(alone.point.choice.log_policy, many.point.choice.log_policy)
    np.testing.assert_array_equal(alone.log_likelihood, many.log_likelihood)
    assert not np.array_equal(alone.share, other.share)


def test_chains_go_on_until_it_is_enough(problem):
    fit, seen = problem.start(np.random.default_rng(0)), []

    def is_enough(draws):
        seen.append(draws)
        return len(seen) == 3

    draws = drawn(problem, fit, Sampling(2, 4, 20, 1, 5), is_enough=is_enough)
    assert [len(each.share) for each in seen] == [40, 40, 40]
    np.testing.assert_array_equal(draws.share, seen[-1].share)
    long = drawn(problem, fit, Sampling(2, 24, 20, 2, 0))
    one, two = (each.share.reshape(2, 20, 2) for each in (long, seen[1]))
    np.testing.assert_array_equal(one, two)  # nothing of the first round is kept
    assert len(drawn(problem, fit, Sampling(2, 4, 20, 1, 1), is_enough=lambda draws: False).share) == 40


def test_draws_are_called_as_the_fit_calls_them(problem):
    """Whatever the names that the chain goes through."""
    data = problem.data
    model = hiql.IntentionModel(2, n_init=1, patience=0, progress=False).fit(data)
    clear, fit, path = model._problem(data), model._point, model.decode(data)
    names = Names(clear, fit)
    np.testing.assert_array_equal(names.order(path), [0, 1])
    np.testing.assert_array_equal(names.order(1 - path), [1, 0])
    other = clear.permute(fit, np.array([1, 0]))
    np.testing.assert_array_equal(Names(clear, other).order(path), [1, 0])


def test_intentions_with_priors_of_their_own_keep_their_names(problem):
    own = np.stack([np.full((3, 2), 0.1), np.tile([3.0, 0.1], (3, 1))])
    told_apart = Problem(problem.data, MarkovChain(), TableChoice(own), 2)
    fit = told_apart.start(np.random.default_rng(0))
    away = np.random.default_rng(1).integers(2, size=problem.data.n_steps)
    assert [Names(told_apart, fit).order(path).tolist() for path in (away, 1 - away)] == [[0, 1], [0, 1]]
    orders = [Names(problem, problem.start(np.random.default_rng(0))).order(path).tolist() for path in (away, 1 - away)]
    assert sorted(orders) == [[0, 1], [1, 0]]


def test_draws_come_apart_as_they_were_put_together(problem):
    fit = problem.start(np.random.default_rng(0))
    draws = drawn(problem, fit, Sampling(1, 0, 6, 1, 0))
    for n in range(6):
        one = unstacked(draws.point, n)
        for part, params in zip(problem.parts, one, strict=True):
            part.check_params(params, problem.data, 2)
        np.testing.assert_array_equal(one.choice.log_policy, draws.point.choice.log_policy[n])
