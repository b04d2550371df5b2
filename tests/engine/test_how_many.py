"""``n_intentions="auto"``: the number that evidence asks for, whatever is estimated afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import hiql
from hiql.dynamics import SessionWise, StickyChain
from hiql.engine import how_many
from hiql.engine.how_many import find_number
from hiql.engine.problem import Problem
from hiql.engine.search import Search, find_optimum
from hiql.errors import InvalidNumberOfIntentions, InvalidParameter
from tests.problems import random_data, switching_data

QUIET = {"progress": False}


@pytest.fixture(scope="module")
def data():
    return switching_data(np.random.default_rng(0), n_sessions=40)[0]


def test_it_is_the_number_that_selection_by_evidence_takes(data):
    model = hiql.HIQL("auto", estimate="bayes", **QUIET).fit(data)
    chosen = hiql.select(data, n_intentions=(1, 2, 3), by="evidence", progress=False).best
    assert (model.n_intentions_, model.n_intentions) == (chosen.n_intentions, "auto") == (2, "auto")
    assert model.evidence_ >= chosen.evidence_ - 1e-6
    np.testing.assert_allclose(model.policy_, chosen.policy_, atol=0.01)
    assert 'n_intentions="auto" tried 1 to 4 and took 2' in model.notes_[-1]
    assert model.doubts == ()
    assert f"2: {model.evidence_:.1f}" in model.notes_[-1]


def test_modes_are_fitted_with_the_number_that_posteriors_choose(data, tmp_path):
    model = clone(hiql.HIQL("auto", **QUIET)).fit(data)
    usual = hiql.HIQL(2, **QUIET).fit(data)
    np.testing.assert_array_equal(model.policy_, usual.policy_)
    assert not hasattr(model, "evidence_")
    assert len(model.names_) == len(model.live().step(state=0, action=1)) == 2
    model.save(tmp_path / "model.hiql")
    other = hiql.load(tmp_path / "model.hiql")
    assert (other.n_intentions, other.n_intentions_) == ("auto", 2)
    assert other.score(data) == model.score(data)
    assert hiql.HIQL("auto", **QUIET).fit(data, init=usual).n_intentions_ == 2
    assert model.fit(data[:1]).n_intentions_ == 1  # again, on next to nothing


def test_what_is_no_number_is_refused_and_so_is_what_has_no_posterior(data):
    with pytest.raises(InvalidNumberOfIntentions, match='whole number ≥ 1, or "auto"'):
        hiql.HIQL("many", **QUIET).fit(data)
    with pytest.raises(InvalidParameter, match="sampled"):
        hiql.HIQL("auto", sampled=True, **QUIET).fit(data)


def test_a_solution_that_lost_an_intention_replaces_a_worse_one(data, monkeypatch):
    problem = Problem(data, StickyChain(), hiql.HIQL(2)._choice(), 1)
    patient = Search(n_init=4, patience=12, max_iter=500, tol=1e-7)

    def blind_at_two(larger, *rest):
        climbed, restarts = find_optimum(larger, *rest)
        if larger.n_intentions != 2:
            return climbed, restarts
        nowhere = larger.with_new_dynamics(larger.choice.permute(tried.best.point.choice, np.zeros(2, int)), seeded)
        return how_many.climb(larger, nowhere, 500, 1e-7), restarts  # two alike stay alike

    seeded = np.random.default_rng(0)
    tried = find_number(problem, lambda k: patient, 0, lambda *_: None)[0]
    usual = find_number(problem, lambda k: patient, 0, lambda *_: None)
    monkeypatch.setattr(how_many, "find_optimum", blind_at_two)
    mended = find_number(problem, lambda k: patient, 0, lambda *_: None)
    assert mended[1].evidence == pytest.approx(usual[1].evidence, abs=0.1)


def kinds_of_sessions(seed, n_kinds=4, n_sessions=60, length=25, shape=(5, 3)):
    """Sessions, each of one of some kinds, which kind is its label."""
    rng = np.random.default_rng(seed)
    policy = rng.dirichlet(np.full(shape[1], 0.3), size=(n_kinds, shape[0]))
    kinds = rng.integers(n_kinds, size=n_sessions)
    states = rng.integers(shape[0], size=(n_sessions, length))
    actions = (rng.random((n_sessions, length, 1)) > policy[kinds[:, None], states].cumsum(-1)[..., :-1]).sum(-1)
    return hiql.Trajectories.from_arrays(list(states), list(actions)), kinds


@pytest.mark.parametrize("seed", [0, 1])
def test_a_dirichlet_process_over_sessions_finds_its_own_number(seed):
    data, kinds = kinds_of_sessions(seed)
    clock = SessionWise(concentration=1.0)
    model = hiql.HIQL("auto", dynamics=clock, estimate="bayes", **QUIET).fit(data)
    found = model.decode(data)[data.offsets[:-1]]
    assert model.n_intentions_ == 4
    together = np.zeros((4, 4))
    np.add.at(together, (found, kinds), 1)
    assert together.max(axis=1).sum() >= 59  # of 60 sessions


def test_the_concentration_is_shared_out():
    data = random_data(np.random.default_rng(0))
    for k in (1, 2, 4):
        for clock in (SessionWise(concentration=2.0), StickyChain(concentration=2.0, stickiness=5.0)):
            prior = clock.prior(clock.start(data, k, np.random.default_rng(0)))
            assert (prior.initial == 2.0 / k).all()
    np.testing.assert_allclose(prior.transitions, 0.5 + 5.0 * np.eye(4)[None])
    for wrong in (0.0, -1.0, np.nan, "much"):
        with pytest.raises(InvalidParameter, match="concentration"):
            SessionWise(concentration=wrong)
