"""Evidence: against enumeration of all paths with conjugate integrals, exact values at K = 1, and what a fit shows."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp, psi

import hiql
from hiql.dynamics import MarkovChain, SemiMarkov, SessionWise
from hiql.engine import inference
from hiql.errors import InvalidParameter
from hiql.kernels.expected_logs import LOWEST, digamma
from hiql.priors.estimates import evidence_of_rows, log_rows
from tests.problems import random_data, switching_data

QUIET = {"progress": False, "estimate": "bayes"}


def log_beta(x):
    return gammaln(x).sum(-1) - gammaln(x.sum(-1))


def dirichlet_multinomial(counts, pseudo_count):
    """Σ over rows of log ∫ Dirichlet(θ; c) Π θ^n dθ."""
    return (log_beta(counts + pseudo_count) - log_beta(np.full_like(counts, pseudo_count))).sum()


def counted(data, path, n_intentions):
    """Counts of beginnings, moves and choices if the intentions were these."""
    firsts, moves = np.zeros((1, n_intentions)), np.zeros((n_intentions, n_intentions))
    acts = np.zeros((n_intentions, data.n_states, data.n_actions))
    for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        firsts[0, path[first]] += 1
        for t in range(first, last):
            if t > first:
                moves[path[t - 1], path[t]] += 1
            if data.observed[t]:
                acts[path[t], data.states[t], data.actions[t]] += 1
    return firsts, moves, acts


def log_p_of_data(data, n_intentions, pseudo_count, chain=0.1, switching=True):
    """log p(data): every path of intentions, every parameter integrated out."""
    terms = []
    for path in product(range(n_intentions), repeat=data.n_steps):
        firsts, moves, acts = counted(data, path, n_intentions)
        if not switching and (moves - np.diag(np.diag(moves))).any():
            continue
        term = dirichlet_multinomial(firsts, chain) + dirichlet_multinomial(acts, pseudo_count)
        terms.append(term + (dirichlet_multinomial(moves, chain) if switching else 0.0))
    return logsumexp(terms)


def tiny(seed):
    return random_data(np.random.default_rng(seed), n_states=2, n_actions=2, lengths=(4, 1, 3), missing=0.1)


@pytest.mark.parametrize("pseudo_count", [0.1, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_evidence_is_a_lower_bound_of_what_enumeration_gives(seed, pseudo_count):
    data = tiny(seed)
    for clock, switching in ((MarkovChain(), True), (SessionWise(), False)):
        exact = log_p_of_data(data, 2, pseudo_count, switching=switching)
        model = hiql.HIQL(2, pseudo_count=pseudo_count, dynamics=clock, **QUIET).fit(data)
        assert exact - 3.0 < model.evidence_ <= exact + 1e-9


def test_durations_of_their_own_are_bounded_by_the_enumeration_of_paths_through_phases():
    n, c = 2, 0.1
    data = random_data(np.random.default_rng(4), n_states=2, n_actions=2, lengths=(3, 1, 2), missing=0.0)
    terms = []
    for path in product(product(range(2), range(n)), repeat=data.n_steps):
        firsts, entries, stays = np.zeros((1, 2)), np.zeros((2, 2, n)), np.zeros((2, 2))
        for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
            (i, m), moves = path[first], pairwise(path[first:last])
            firsts[0, i] += 1
            entries[0, i, m] += 1
            for (i, m), (j, after) in moves:
                stays[i, int((j, after) != (i, m))] += 1
                entries[1, j, after] += i != j
        possible = all(
            (j == i and after in (m, m + 1)) or (j != i and m == n - 1)
            for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True)
            for (i, m), (j, after) in pairwise(path[first:last])
        )
        if possible:
            _, _, acts = counted(data, [i for i, _ in path], 2)
            tables = firsts, entries, stays, acts
            terms.append(sum(dirichlet_multinomial(table, c) for table in tables))
    exact = logsumexp(terms)
    model = hiql.HIQL(2, dynamics=SemiMarkov(n_phases=n), **QUIET).fit(data)
    assert exact - 3.0 < model.evidence_ <= exact + 1e-9


def test_with_one_intention_it_is_exact_whatever_the_clock():
    data = random_data(np.random.default_rng(1), n_states=4, lengths=(20, 9, 31))
    _, _, acts = counted(data, np.zeros(data.n_steps, int), 1)
    for pseudo_count, clock in product((0.1, 2.0), ("markov", "session-wise")):
        model = hiql.HIQL(1, pseudo_count=pseudo_count, dynamics=clock, **QUIET).fit(data)
        assert model.evidence_ == pytest.approx(dirichlet_multinomial(acts, pseudo_count), abs=1e-8)


def test_the_mean_is_shown_and_scored_and_kept(tmp_path):
    data, _, _ = switching_data(np.random.default_rng(0), n_sessions=10)
    model = hiql.HIQL(2, **QUIET).fit(data)
    np.testing.assert_allclose(model.policy_.sum(-1), 1.0)
    np.testing.assert_allclose(model.transition_.sum(-1), 1.0)
    assert model.log_likelihood_ == pytest.approx(model.score(data), rel=1e-12)
    assert model.objective_ == model.evidence_ < model.log_likelihood_
    model.save(tmp_path / "model.hiql")
    other = hiql.load(tmp_path / "model.hiql")
    assert (other.evidence_, other.estimate) == (model.evidence_, "bayes")
    assert not hasattr(other.set_params(estimate="mode").fit(data), "evidence_")


def test_chunks_and_threads_and_blocks_end_at_the_same_bound(monkeypatch):
    data, _, _ = switching_data(np.random.default_rng(2), n_sessions=12)
    blocks = hiql.HIQL(2, tol=1e-12, **QUIET).fit(data)
    monkeypatch.setattr(inference, "STEPS_PER_CHUNK", 50)
    one, two = (hiql.HIQL(2, tol=1e-12, n_jobs=n, **QUIET).fit(data) for n in (1, 2))
    assert one.evidence_ == two.evidence_
    assert one.evidence_ == pytest.approx(blocks.evidence_, abs=1e-5)


def test_an_intention_too_many_is_paid_for():
    data, _, _ = switching_data(np.random.default_rng(5), n_sessions=40)
    evidence = [hiql.HIQL(k, **QUIET).fit(data).evidence_ for k in (1, 2, 3)]
    assert evidence[1] > evidence[0] + 20
    assert evidence[1] > evidence[2]


def test_what_has_no_posterior_is_refused():
    data, _, _ = switching_data(np.random.default_rng(0), n_sessions=5)
    wrong = {"method": "stochastic"}, {"sampled": True}, {"estimate": "map"}
    for options in wrong:
        with pytest.raises(InvalidParameter, match="choose|leave"):
            hiql.HIQL(2, **(QUIET | options)).fit(data)


def test_digamma():
    for x in np.exp(np.random.default_rng(0).uniform(-12, 15, 200)):
        assert digamma(x) == pytest.approx(psi(x), rel=1e-12, abs=1e-12)


def test_a_tiny_count_reads_as_the_lowest_and_nothing_as_nothing():
    rows = log_rows("bayes", np.array([[1e-9, 3.0, 0.0], [0.0, 0.0, 0.0]]))
    assert rows[0, 0] == LOWEST
    assert rows[0, 2] == -np.inf
    np.testing.assert_allclose(rows[1], np.log(1 / 3))
    zeros = np.zeros((1, 3))
    assert evidence_of_rows(zeros, np.array([0.1, 0.0, 0.2])) == 0.0
    assert evidence_of_rows(np.array([[0.0, 1.0, 0.0]]), np.array([0.1, 0.0, 0.2])) == -np.inf
