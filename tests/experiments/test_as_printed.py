"""Algorithm 3 as its authors ran it: each ingredient against what it is said to be; their score."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import hiql
from hiql.choices import Evidence, Policies
from hiql.evaluate import leaking_score
from hiql.experiments.as_printed import AsPrinted, FlooredPolicies, Procedure, RandomStartChain, fit_as_printed
from hiql.rewards.iavi import IAVI
from tests.oracles.algorithms import iavi_iterated


@pytest.fixture(scope="module")
def expert():
    return hiql.worlds.simulate_two_goals(80)


@pytest.fixture(scope="module")
def halves(expert):
    return expert.data.select(range(60)), expert.data.select(range(60, 80))


def test_a_millionth_is_added_to_the_probability_not_to_the_count(expert):
    counts = np.zeros((1, 25, 5))
    counts[0, 3] = [0, 0, 0, 20_000, 0]
    evidence = Evidence(expert.data, np.append(counts.ravel(), 0.0)[:, None], lambda: None)
    policy = np.exp(FlooredPolicies().update(Policies(counts), evidence).log_policy)
    np.testing.assert_allclose(policy[0, 3, 0], 1e-6 / (1 + 5e-6), rtol=1e-9)  # whatever the count
    np.testing.assert_allclose(policy[0, 4], 0.2)  # nothing was drawn here


def test_the_start_and_the_end_of_iavi_change_no_policy(expert):
    rng = np.random.default_rng(0)
    policy = rng.dirichlet(np.ones(5), 25)
    _, q = iavi_iterated(policy, expert.world.transitions, 0.9, 1e-3)
    shares = np.exp(q - q.max(axis=1, keepdims=True))
    np.testing.assert_allclose(shares / shares.sum(axis=1, keepdims=True), policy, atol=1e-12)


def test_the_initial_distribution_starts_at_random(expert):
    starts = [
        np.exp(RandomStartChain().start(expert.data, 2, np.random.default_rng(i)).log_initial[0]) for i in range(3)
    ]
    assert all(start.sum() == pytest.approx(1.0) for start in starts)
    assert len({round(start[0], 6) for start in starts}) == 3


def test_a_start_ends_when_the_decoding_stands_still(expert, halves):
    model = AsPrinted(2, reward=IAVI(mdp=expert.world), random_state=1).fit(halves[0])
    longer = AsPrinted(2, reward=IAVI(mdp=expert.world), procedure=Procedure(until_decoded=False), random_state=1).fit(
        halves[0]
    )
    assert model.converged_
    assert model.n_iter_ < longer.n_iter_
    assert model.reward_.shape == (2, 25, 5)


def test_weighted_by_the_posterior_it_is_plain_em(expert, halves):
    ours = Procedure(sampled=False, floor=None, pseudo_count=0.1, chain_pseudo_count=0.1, until_decoded=False)
    model = AsPrinted(2, reward=IAVI(mdp=expert.world), procedure=ours).fit(halves[0])
    assert (np.diff(model.trace_) >= -1e-9).all()
    best = hiql.HIAVI(2, mdp=expert.world, progress=False).fit(halves[0])
    assert model.objective_ <= best.objective_ + 1e-6


@pytest.mark.parametrize("by", ["leaking", "test", "training"])
def test_the_best_of_the_starts_is_kept(expert, halves, by):
    train, test = halves
    fit = partial(fit_as_printed, 2, IAVI(mdp=expert.world), train, test)
    chosen = fit(procedure=Procedure(n_starts=4, chosen_by=by))
    starts = [
        AsPrinted(2, reward=IAVI(mdp=expert.world), procedure=Procedure(), random_state=i).fit(train) for i in range(4)
    ]
    scores = {
        "leaking": [leaking_score(model, test) for model in starts],
        "test": [model.score(test) for model in starts],
        "training": [model.log_likelihood_ for model in starts],
    }[by]
    np.testing.assert_array_equal(chosen.policy_, starts[int(np.argmax(scores))].policy_)


def test_their_score_by_hand():
    """Two steps in one state, two sure intentions that never switch: the posterior knows all, the past does not."""
    data = hiql.Trajectories.from_arrays([[0, 0], [0, 0]], [[0, 0], [1, 1]])
    model = hiql.HIQL(2, pseudo_count=1e-9, progress=False).fit(data)
    assert leaking_score(model, data) == pytest.approx(0.0, abs=1e-3)
    assert model.score(data) == pytest.approx(2 * np.log(0.5), abs=0.2)


def test_missing_steps_do_not_count_in_their_score():
    data = hiql.Trajectories.from_arrays([[0, 1, 0]], [[0, -1, 1]], n_actions=2)
    model = hiql.HIQL(1, progress=False).fit(data)
    assert leaking_score(model, data) == pytest.approx(model.score(data))
