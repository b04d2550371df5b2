"""What the search, alignment and ``init=`` do with parameters leaves parameters, and means what it should."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from hiql.engine.inference import smooth
from hiql.engine.search import deal_habits_anew, renew_an_intention
from tests.contract.pairs import exact, given_prior, more_data, pairs, some_data


@pytest.fixture
def problem(pair):
    return pair.problem(some_data())


@pytest.fixture
def point(problem):
    return problem.start(np.random.default_rng(5))


def assert_sound(problem, point):
    for part, params in zip(problem.parts, point, strict=True):
        part.check_params(params, problem.data, problem.n_intentions)


@pairs()
def test_the_names_of_intentions_do_not_matter(problem, point):
    likelihood, posterior = problem.expect(point).log_likelihood, smooth(problem.read(point))
    for order in permutations(range(3)):
        other = problem.permute(point, np.array(order))
        assert_sound(problem, other)
        assert problem.expect(other).log_likelihood == pytest.approx(likelihood, rel=1e-12)
        np.testing.assert_allclose(smooth(problem.read(other)), posterior[:, order], atol=1e-12)


@pairs()
def test_a_permuted_model_gives_the_same_answers_under_other_names(pair):
    data = some_data(lengths=(20, 1, 30, 9))
    model = pair.model(3, max_iter=3).fit(data)
    other = model.permuted([2, 0, 1])
    assert other.score(data) == pytest.approx(model.score(data), rel=1e-12)
    np.testing.assert_allclose(other.smooth_proba(data), model.smooth_proba(data)[:, [2, 0, 1]], atol=1e-12)
    np.testing.assert_array_equal(other.share_, model.share_[[2, 0, 1]])


@pairs()
def test_a_vector_leads_back_to_the_parameters_it_came_from(problem, point):
    back = problem.from_vector(problem.vector(point), point)
    assert_sound(problem, back)
    for one, other in zip(point, back, strict=True):
        for array, again in zip(vars(one).values(), vars(other).values(), strict=True):
            np.testing.assert_allclose(np.maximum(again, -700), np.maximum(array, -700), rtol=1e-12, atol=1e-12)


@pairs()
def test_any_vector_leads_to_parameters(problem, point):
    rng = np.random.default_rng(6)
    vector = problem.vector(point)
    for size in (1.0, 100.0):
        anywhere = problem.from_vector(vector + size * rng.standard_normal(vector.shape), point)
        assert_sound(problem, anywhere)
        assert problem.expect(anywhere).log_likelihood < 0


@pairs()
@pytest.mark.parametrize("kick", [deal_habits_anew, renew_an_intention])
def test_kicks_leave_parameters(problem, point, kick):
    for seed in range(5):
        assert_sound(problem, kick(problem, point, np.random.default_rng(seed)))


@pairs()
def test_a_graft_replaces_the_intentions_named_and_no_other(problem, point):
    fresh = problem.choice.start(problem.data, 1, np.random.default_rng(7))
    steps = np.arange(problem.data.n_steps)
    grafted = problem.choice.graft(point.choice, np.array([1]), fresh)
    before, after, new = (problem.choice.proba(p, problem.data, steps) for p in (point.choice, grafted, fresh))
    np.testing.assert_array_equal(after[:, [0, 2]], before[:, [0, 2]])
    np.testing.assert_array_equal(after[:, 1], new[:, 0])


@pairs()
def test_dealing_keeps_every_habit(problem, point):
    dealt = problem.choice.deal(point.choice, np.random.default_rng(8))
    for array, again in zip(vars(point.choice).values(), vars(dealt).values(), strict=True):
        np.testing.assert_array_equal(np.sort(again, axis=0), np.sort(array, axis=0))


@pairs()
def test_a_fit_goes_on_from_another(pair):
    data = more_data()
    first = pair.model(max_iter=3).fit(data)
    again = pair.model(max_iter=20).fit(data, init=first)
    assert np.isfinite(again.objective_)
    if exact(*pair) and given_prior(*pair):
        assert again.objective_ >= first.objective_


@pairs()
def test_contexts_never_met_in_training_have_an_answer(pair):
    """A state, its place and a subject that the fit has never seen."""
    model = pair.model().fit(some_data(1, lengths=(20, 1, 30), states=(0, 1), subjects=("ada",)))
    new = some_data(2, lengths=(5, 1, 9), states=(0, 1, 2), subjects=("ben", "dot"))
    assert np.isfinite(model.score(new))
    for posterior in (model.smooth_proba(new), model.filter_proba(new), model.predict_action_proba(new)):
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-9)
    assert set(model.decode(new)) <= {0, 1}


@pairs()
def test_data_at_the_edges_are_fitted(pair):
    """Sessions of one step, of missing steps only, and an ordinary one."""
    edges = some_data(3, lengths=(1, 1, 1, 1, 25), missing=0.5)
    model = pair.model(max_iter=5).fit(edges)
    assert np.isfinite([model.score(edges), model.aic(edges), *model.share_]).all()
    gone = some_data(4, lengths=(7, 1), missing=1.0)
    assert model.score(gone) == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(model.smooth_proba(gone).sum(axis=1), 1.0, atol=1e-9)
