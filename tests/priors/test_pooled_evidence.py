"""The evidence of pooled rows: against integrals over the parents' rows, nested models, and enumeration of paths."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta as beta_function
from scipy.special import betaln, gammaln, logsumexp

import hiql
from hiql.dynamics import ByState, ChainCounts
from hiql.kernels.pooled_evidence import expected_log_rise
from hiql.priors import Tree
from hiql.priors.pooled_evidence import evidence_at
from tests.priors.test_evidence import dirichlet_multinomial
from tests.problems import random_data, switching_data

ROOT = np.array([0.4, 0.7])


def of_counts(tree, counts, strength, root=ROOT):
    """The bound at a given strength."""
    return evidence_at(tree, counts, root, np.full((tree.n_levels, counts.shape[1]), strength)).sum()


def leaf(counts, strength, m):
    """log B(s m + n) / B(s m) for a row of two outcomes whose parent's row is (m, 1 − m)."""
    x = strength * m, strength * (1 - m)
    return betaln(x[0] + counts[0], x[1] + counts[1]) - betaln(*x)


def star_exactly(counts, strength, root=ROOT):
    """log ∫ over the root's row, two outcomes."""
    *leaves, own = counts[:, 0]

    def density(m):
        weight = m ** (root[0] + own[0] - 1) * (1 - m) ** (root[1] + own[1] - 1) / beta_function(*root)
        return weight * np.exp(sum(leaf(n, strength, m) for n in leaves) + 8.0)

    return np.log(quad(density, 0, 0.5)[0] + quad(density, 0.5, 1)[0]) - 8.0


@pytest.mark.parametrize("strength", [0.5, 3.0, 50.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_star_has_less_than_the_integral_over_its_root_but_not_much(seed, strength):
    counts = np.random.default_rng(seed).integers(0, 4, size=(4, 1, 2)).astype(float)
    exact = star_exactly(counts, strength)
    assert exact - 0.5 < of_counts(Tree.star(3), counts, strength) <= exact + 1e-6


def test_fractional_counts_are_worth_no_more_than_whole_ones_on_average():
    """Jensen: the bound of expected counts is below the expectation over what they may be."""
    rng = np.random.default_rng(0)
    drawn = rng.binomial(1, 0.2, size=(25, 4, 1, 2)).astype(float)
    drawn[:, -1] = 0.0
    average = np.mean([star_exactly(counts, 2.0) for counts in drawn])
    assert of_counts(Tree.star(3), drawn.mean(axis=0), 2.0) < average


def test_infinite_strength_is_no_pooling():
    counts = np.random.default_rng(1).integers(0, 9, size=(6, 2, 3)).astype(float)
    root = np.full(3, 0.1)
    found = of_counts(Tree.star(5), counts, 1e9, root)
    assert found == pytest.approx(dirichlet_multinomial(counts.sum(axis=0), 0.1), abs=1e-4)


def test_an_only_child_held_with_infinite_strength_is_its_parent():
    counts = np.array([[[5.0, 2.0, 0.0]], [[0.0, 0.0, 0.0]]])
    found = of_counts(Tree.star(1), counts, 1e9, np.full(3, 0.1))
    assert found == pytest.approx(dirichlet_multinomial(counts[0], 0.1), abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_a_deeper_tree_is_bounded_as_well(seed):
    """Root → one row → three leaves, two outcomes: the integral over both upper rows on a grid."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((5, 1, 2))
    counts[:3, 0] = rng.integers(0, 4, size=(3, 2))
    tree = Tree.by_depth([3, 3, 3, 4, -1])
    root = np.array([1.2, 1.5])
    strength = np.array([[3.0], [8.0]])
    found = evidence_at(tree, counts, root, strength).sum()
    grid = (np.arange(400) + 0.5) / 400
    upper = (root[0] - 1) * np.log(grid) + (root[1] - 1) * np.log(1 - grid) - betaln(*root)
    x = strength[0, 0] * np.stack([grid, 1 - grid])
    middle = (x[0][:, None] - 1) * np.log(grid) + (x[1][:, None] - 1) * np.log(1 - grid) - betaln(*x)[:, None]
    below = sum(leaf(n, strength[1, 0], grid) for n in counts[:3, 0])
    exact = logsumexp(upper[:, None] + middle + below) - 2 * np.log(400)
    assert found <= exact + 1e-3


def test_by_state_is_bounded_by_the_enumeration_of_paths():
    data = random_data(np.random.default_rng(3), n_states=2, n_actions=2, lengths=(4, 3), missing=0.0)
    model = hiql.HIQL(2, dynamics="by-state", estimate="bayes", progress=False).fit(data)
    strength = model.transition_strength_
    flat = np.full(2, 0.1)
    known, terms = {}, []
    for path in product(range(2), repeat=data.n_steps):
        firsts, moves, acts = np.zeros((1, 2)), np.zeros((3, 2, 2)), np.zeros((2, 2, 2))
        for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
            firsts[0, path[first]] += 1
            for t in range(first, last):
                acts[path[t], data.states[t], data.actions[t]] += 1
                if t > first:
                    moves[data.states[t - 1], path[t - 1], path[t]] += 1
        term = dirichlet_multinomial(firsts, 0.1) + dirichlet_multinomial(acts, 0.1)
        for i in range(2):
            key = (i, *moves[:, i].ravel())
            if key not in known:
                known[key] = star_exactly(moves[:, [i]], strength[i], flat)
            term += known[key]
        terms.append(term)
    exact = logsumexp(terms)
    assert exact - 3.0 < model.evidence_ <= exact + 1e-3


def test_one_intention_is_the_same_under_every_clock():
    data = random_data(np.random.default_rng(1), n_states=4, lengths=(20, 9, 31))
    clocks = "markov", "session-wise", "by-state", ByState(context="last action")
    found = [hiql.HIQL(1, dynamics=c, estimate="bayes", progress=False).fit(data).evidence_ for c in clocks]
    np.testing.assert_allclose(found, found[0], rtol=1e-9)


def test_switching_by_place_does_not_beat_a_chain_that_is_true():
    data, _, _ = switching_data(np.random.default_rng(5), n_sessions=30)
    chain, placed = (
        hiql.HIQL(2, dynamics=clock, estimate="bayes", progress=False).fit(data) for clock in ("markov", "by-state")
    )
    assert chain.evidence_ - 6.0 < placed.evidence_ < chain.evidence_ + 1.5


def test_a_chain_that_lasts_is_refined_to_its_matrix_in_every_place():
    """For posteriors only: fits of modes keep what they found."""
    data, _, _ = switching_data(np.random.default_rng(5), n_sessions=3)
    placed = ByState().estimating("bayes")
    assert ByState().coarser(data) is None
    lasting = placed.coarser(data)
    params = lasting.start(data, 2, np.random.default_rng(0))
    refined = placed.refined(params, data)
    placed.check_params(refined, data, 2)
    assert (refined.log_transition == params.log_transition).all()
    nothing = ChainCounts(np.zeros((1, 2)), np.zeros((1, 2, 2)))
    stays = np.exp(np.diagonal(lasting.update(params, nothing).log_transition[0]))
    np.testing.assert_allclose(stays, 1 - 1 / 400, atol=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [10, 11])
def test_a_chain_that_lasts_finds_what_places_hide(seed, monkeypatch):
    """Grids on which the second search was chosen (docs/theory/evidence.md): the first ends 180 nats lower, or more."""
    data = hiql.worlds.simulate_places(30, 300, seed, side=20, discount=0.97, inverse_temperature=20.0).data
    placed = hiql.HIQL(2, dynamics="by-state", estimate="bayes", progress=False).fit(data)
    right = (placed.decode(data) == data.intentions).mean()
    assert max(right, 1 - right) > 0.97
    monkeypatch.setattr(ByState, "coarser", lambda *_: None)
    once = hiql.HIQL(2, dynamics="by-state", estimate="bayes", progress=False).fit(data)
    assert once.evidence_ < placed.evidence_ - 180


def test_expectations_over_one_entry_of_a_row():
    rng = np.random.default_rng(0)
    for a, b, s, n in [(0.3, 0.5, 3.0, 2.0), (5.0, 3.0, 10.0, 4.5), (2.0, 1e3, 100.0, 1.0)]:
        x = s * np.maximum(rng.beta(a, b, size=200_000), 1e-300)
        drawn = gammaln(x + n) - gammaln(x)
        assert expected_log_rise(a, b, s, n) == pytest.approx(drawn.mean(), abs=5 * drawn.std() / 447)
    assert expected_log_rise(7.0, 0.0, 3.0, 2.0) == pytest.approx(np.log(12.0))
