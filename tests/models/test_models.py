"""The estimators as a user meets them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import hiql
from hiql.errors import DataDoesNotFitModel, EmptyData, InvalidNumberOfIntentions, InvalidParameter, ShapeMismatch
from hiql.evaluate import align, decoding_agreement, match_policies
from tests.problems import random_data, random_mdp, switching_data


@pytest.fixture(scope="module")
def problem():
    return switching_data(np.random.default_rng(0))


@pytest.fixture(scope="module")
def fitted(problem):
    data, mdp, _ = problem
    return hiql.HIAVI(2, mdp=mdp).fit(data)


def both_models(mdp):
    return [
        hiql.HIAVI(2, mdp=mdp),
        hiql.HIQL(2, discount=0.9),
        hiql.HIQL(2, discount=0.9, method="stochastic", n_init=2, max_iter=15),
    ]


@pytest.mark.parametrize("which", range(3))
def test_every_model_keeps_the_contract(problem, which):
    """Shapes, probabilities, consistency: the same for every pair of solver and dynamics."""
    data, mdp, _ = problem
    model = both_models(mdp)[which].fit(data)
    K, S, A = 2, data.n_states, data.n_actions
    shapes = {
        "initial_": (K,),
        "transition_": (K, K),
        "policy_": (K, S, A),
        "reward_": (K, S, A),
        "q_": (K, S, A),
    }
    for name, shape in (shapes | {"value_": (K, S)}).items():
        assert getattr(model, name).shape == shape
        assert np.isfinite(getattr(model, name)).all()
    for name in ("initial_", "transition_", "policy_"):
        np.testing.assert_allclose(getattr(model, name).sum(axis=-1), 1.0)
    for proba in (model.smooth_proba(data), model.filter_proba(data)):
        assert proba.shape == (data.n_steps, K)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert model.score(data) == pytest.approx(model.log_likelihood_)
    assert model.score(data, per="step") == pytest.approx(model.log_likelihood_ / data.n_steps)
    assert model.score(data, per="session") == pytest.approx(model.log_likelihood_ / data.n_sessions)
    proba = model.predict_action_proba(data)
    taken = proba[np.arange(data.n_steps), data.actions]
    assert np.log(taken).sum() == pytest.approx(model.score(data))
    assert model.share_.sum() == pytest.approx(1.0)
    assert (np.diff(model.share_) <= 0).all()


def test_causal_quantities_do_not_look_ahead(fitted, problem):
    """Changing the future of a session changes neither filtered posteriors nor predictions before it."""
    data = problem[0]
    half = 20
    cut = hiql.Trajectories.from_arrays(
        [data.states[:half]], [data.actions[:half]], n_states=data.n_states, n_actions=data.n_actions
    )
    for causal in (fitted.filter_proba, fitted.predict_action_proba):
        np.testing.assert_allclose(causal(cut), causal(data)[:half], atol=1e-12)
    assert not np.allclose(fitted.smooth_proba(cut), fitted.smooth_proba(data)[:half])


def test_missing_steps_carry_no_evidence_but_get_a_posterior(fitted, problem):
    data = problem[0]
    states, actions = data.states[:30].copy(), data.actions[:30].copy()
    actions[10:13] = -1
    states[12] = -1
    gap = hiql.Trajectories.from_arrays([states], [actions], n_states=data.n_states, n_actions=data.n_actions)
    posterior = fitted.filter_proba(gap)
    np.testing.assert_allclose(posterior[10], posterior[9] @ fitted.transition_, atol=1e-12)
    np.testing.assert_allclose(posterior[12], posterior[11] @ fitted.transition_, atol=1e-12)
    assert fitted.decode(gap).shape == (30,)
    np.testing.assert_allclose(fitted.predict_action_proba(gap)[12], 1 / data.n_actions)
    refit = hiql.HIAVI(2, mdp=problem[1]).fit(gap)
    assert gap.n_observed == 27
    assert np.isfinite(refit.log_likelihood_)


def test_moves_that_no_data_show_are_not_counted():
    """Sessions of one step show no move; habits that are kept for whole sessions show none but staying."""
    rng = np.random.default_rng(0)
    single = hiql.Trajectories.from_arrays(rng.integers(3, size=(60, 1)), rng.integers(2, size=(60, 1)))
    assert hiql.HIQL(2, patience=0, progress=False).fit(single).n_free_ == 1 + 2 * 3
    kept = np.repeat([[0], [1]], 30, axis=0) * np.ones((1, 40), int)
    constant = hiql.Trajectories.from_arrays(np.zeros((60, 40), int), kept)
    assert hiql.HIQL(2, patience=0, progress=False).fit(constant).n_free_ == 1 + 2 * 1


def test_information_criteria_count_only_what_the_data_identify(problem):
    data, mdp, _ = problem
    for k in (1, 2, 3):
        model = hiql.HIAVI(k, mdp=mdp).fit(data)
        visited = data.pair_counts > 0
        n_free = (k - 1) + k * (k - 1) + k * (visited.sum() - visited.any(axis=1).sum())
        assert model.n_free_ == n_free
        assert model.bic(data) == pytest.approx(-2 * model.score(data) + n_free * np.log(data.n_steps))
        assert model.aic(data) == pytest.approx(-2 * model.score(data) + 2 * n_free)


def test_init_from_a_fitted_model_keeps_its_intentions(problem):
    data, mdp, _ = problem
    everyone = hiql.HIAVI(2, mdp=mdp).fit(data)
    for swapped in (everyone, everyone.permuted([1, 0])):
        animal = hiql.HIAVI(2, mdp=mdp).fit(data.select(range(10)), init=swapped)
        assert match_policies(animal.policy_, swapped.policy_).order.tolist() == [0, 1]
        assert animal.score(data.select(range(10))) > swapped.score(data.select(range(10)))


def test_align_undoes_a_permutation(fitted, problem):
    data = problem[0]
    swapped = fitted.permuted([1, 0])
    assert not np.allclose(swapped.policy_, fitted.policy_)
    assert swapped.score(data) == pytest.approx(fitted.score(data))
    back = align(swapped, fitted)
    for name in ("policy_", "reward_", "transition_", "initial_", "share_"):
        np.testing.assert_array_equal(getattr(back, name), getattr(fitted, name))
    assert decoding_agreement(swapped.decode(data), fitted.decode(data)) == 1.0


def test_a_fit_can_be_seen_over_finer_states(fitted, problem):
    """Each state split in two that behave alike: as good a score, and a start for a fit to the finer data."""
    data, n = problem[0], problem[0].n_states
    half = np.random.default_rng(0).integers(2, size=data.n_steps)
    split = np.where(data.states >= 0, data.states + n * half, -1)
    finer = replace(data, states=split, next_states=np.full_like(split, -1), n_states=2 * n, state_labels=None)
    lifted = fitted.lifted(np.tile(np.arange(n), 2))
    assert lifted.score(finer) == pytest.approx(fitted.score(data))
    np.testing.assert_allclose(lifted.policy_at(finer), fitted.policy_at(data))
    plain = hiql.IntentionModel(2, progress=False, patience=0).fit(data)
    assert plain.lifted(np.tile(np.arange(n), 2)).score(finer) == pytest.approx(plain.score(data))


def test_an_intention_that_empties_is_reported_in_words_and_never_gives_nan():
    """A model of two habits, refitted to an animal that shows only one of them."""
    mdp = hiql.MDP(np.ones((1, 2, 1)), 0.9)
    options = {"mdp": mdp, "pseudo_count": 1e-9, "dynamics": hiql.dynamics.MarkovChain(1e-9)}
    two = hiql.Trajectories.from_arrays(
        np.zeros((20, 30), int), np.repeat([[0], [1]], 10, axis=0) * np.ones((1, 30), int)
    )
    one = hiql.Trajectories.from_arrays([[0] * 50], [[0] * 50], n_actions=2)
    model = hiql.HIAVI(2, **options).fit(one, init=hiql.HIAVI(2, **options).fit(two))
    for name in ("initial_", "transition_", "policy_", "reward_", "q_", "value_", "share_"):
        assert np.isfinite(getattr(model, name)).all()
    assert any("it is empty; try n_intentions=1" in note for note in model.notes_)


def test_a_fit_that_stops_early_says_so(problem):
    data, mdp, _ = problem
    model = hiql.HIAVI(2, mdp=mdp, max_iter=2, patience=0).fit(data)
    assert not model.converged_
    assert any("raise max_iter" in note for note in model.notes_)


def test_sampling_simulates_what_was_fitted(fitted, problem):
    _, mdp, _ = problem
    sample = fitted.sample(mdp, n_sessions=400, n_steps=50, random_state=1)
    assert (sample.n_sessions, sample.n_steps) == (400, 20_000)
    np.testing.assert_array_equal(sample.states[1:50], sample.next_states[:49])
    for z in (0, 1):
        counts = np.zeros((sample.n_states, sample.n_actions))
        mine = sample.intentions == z
        np.add.at(counts, (sample.states[mine], sample.actions[mine]), 1)
        busy = counts.sum(axis=1) > 500
        shown = counts[busy] / counts[busy].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(shown, fitted.policy_[z][busy], atol=0.08)
    first = sample.offsets[:-1]
    np.testing.assert_allclose((sample.intentions[first] == 0).mean(), fitted.initial_[0], atol=0.08)
    assert fitted.sample(mdp, 2, [3, 7]).lengths.tolist() == [3, 7]
    again = fitted.sample(mdp, n_sessions=400, n_steps=50, random_state=1)
    np.testing.assert_array_equal(sample.actions, again.actions)


def test_scikit_learn_conventions(problem):
    data, mdp, _ = problem
    for model in both_models(mdp):
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        assert copy is not model
        assert copy.set_params(n_intentions=1).fit(data).policy_.shape[0] == 1
        with pytest.raises(NotFittedError):
            model.score(data)
    assert clone(hiql.HIAVI(2, mdp=mdp)).mdp is mdp


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "two"])
def test_a_senseless_number_of_intentions_is_refused(problem, k):
    data, mdp, _ = problem
    with pytest.raises(InvalidNumberOfIntentions, match="choose a whole number ≥ 1"):
        hiql.HIAVI(k, mdp=mdp).fit(data)


def test_more_intentions_than_the_data_can_carry_are_refused():
    data = hiql.Trajectories.from_arrays([[0, 1, 0]], [[0, 1, -1]])
    with pytest.raises(InvalidNumberOfIntentions, match="only 2 observed steps; choose fewer"):
        hiql.HIQL(3).fit(data)


def test_init_with_another_number_of_intentions_is_refused(fitted, problem):
    data, mdp, _ = problem
    with pytest.raises(InvalidNumberOfIntentions, match="init has 2; choose the same number"):
        hiql.HIAVI(3, mdp=mdp).fit(data, init=fitted)


def test_anything_but_trajectories_is_refused_with_the_way_to_make_them(fitted, problem):
    for call in (hiql.HIAVI(2, mdp=problem[1]).fit, fitted.score, fitted.decode):
        with pytest.raises(InvalidParameter, match="data is 'ndarray'; give hiql.Trajectories"):
            call(np.zeros((3, 4)))


def test_data_without_evidence_are_refused():
    nothing = hiql.Trajectories.from_arrays([[-1, 0]], [[0, -1]], n_states=2, n_actions=2)
    with pytest.raises(EmptyData, match="no step has both a state and an action"):
        hiql.HIQL(1).fit(nothing)


@pytest.mark.parametrize("start", [-1, 5, 1.7, [0.1] * 5, [2.0, -1.0, 0, 0, 0], [np.nan] * 5, [1.0, 0.0]])
def test_senseless_starts_are_refused(fitted, problem, start):
    with pytest.raises(InvalidParameter, match="start is .*give a state 0…4, or 5 probabilities that sum to 1"):
        fitted.sample(problem[1], 2, 3, start=start)


def test_a_start_state_and_a_start_distribution_are_obeyed(fitted, problem):
    sample = fitted.sample(problem[1], 300, 1, start=3)
    assert set(sample.states) == {3}
    sample = fitted.sample(problem[1], 300, 1, start=[0.5, 0, 0, 0, 0.5])
    assert set(sample.states) == {0, 4}


@pytest.mark.parametrize(("n_sessions", "n_steps"), [(0, 5), (2, 0), (3, [5, 4]), (2, 5.5), (2.0, 5)])
def test_senseless_sizes_are_refused(fitted, problem, n_sessions, n_steps):
    with pytest.raises(InvalidParameter, match="n_sessions, n_steps"):
        fitted.sample(problem[1], n_sessions, n_steps)


def test_a_permutation_must_name_every_intention_once(fitted):
    for order in ([0, 0], [0], [0, 5]):
        with pytest.raises(InvalidParameter, match="exactly once"):
            fitted.permuted(order)


@pytest.mark.parametrize("discount", [0.3, 0.95])
def test_one_intention_of_hiql_is_iql(problem, discount):
    data = problem[0]
    single = hiql.iql(data, discount)
    np.testing.assert_allclose(hiql.HIQL(1, discount=discount).fit(data).reward_[0], single.reward, atol=1e-9)


def test_a_world_with_one_action_has_nothing_to_explain():
    data = hiql.Trajectories.from_arrays([[0, 1, 0, 1]], [[0, 0, 0, 0]])
    for method in ("expected", "stochastic"):
        model = hiql.HIQL(2, method=method, n_init=1, max_iter=3).fit(data)
        assert model.log_likelihood_ == pytest.approx(0.0)
        assert np.isfinite(model.reward_).all()


def test_sessions_of_one_step_say_that_no_next_state_is_known():
    data = hiql.Trajectories.from_arrays([[0], [1], [0]], [[0], [1], [1]])
    assert any("no step has a known next state" in note for note in hiql.HIQL(1).fit(data).notes_)


def test_a_base_policy_for_every_intention_must_have_one_for_each(problem):
    data, mdp, _ = problem
    with pytest.raises(ShapeMismatch, match="pseudo_count has shape \\(3, 5, 3\\)"):
        hiql.HIAVI(2, mdp=mdp, pseudo_count=np.ones((3, 5, 3))).fit(data)
    model = hiql.HIQL(2, method="stochastic", pseudo_count=np.full((2, 5, 3), 0.1), n_init=1, max_iter=2).fit(data)
    assert np.isfinite(model.log_likelihood_)


def test_data_of_another_size_are_refused(fitted):
    with pytest.raises(DataDoesNotFitModel, match="n_states = 9 but the model was made for n_states = 5"):
        fitted.score(random_data(np.random.default_rng(0), n_states=9))
    with pytest.raises(DataDoesNotFitModel, match="n_actions = 2 but the model was made for n_actions = 3"):
        fitted.decode(random_data(np.random.default_rng(0), n_states=5, n_actions=2))
    with pytest.raises(DataDoesNotFitModel, match="n_states"):
        hiql.HIAVI(2, mdp=random_mdp(np.random.default_rng(0), 4)).fit(random_data(np.random.default_rng(0)))


def test_bad_options_are_refused_by_name(problem):
    data, mdp, _ = problem
    wrong = [{"n_init": 0}, {"n_init": 2.5}, {"n_init": "2"}, {"max_iter": 0}, {"max_iter": 2.5}, {"tol": -1.0}]
    wrong += [{"tol": "small"}, {"patience": -1}, {"random_state": -1}, {"random_state": None}]
    for options in wrong:
        with pytest.raises(InvalidParameter, match=next(iter(options))):
            hiql.HIAVI(2, mdp=mdp, **options).fit(data)
    with pytest.raises(InvalidParameter, match="mdp is 'NoneType'"):
        hiql.HIAVI(2, mdp=None).fit(data)
    with pytest.raises(InvalidParameter, match="per is 'trial'"):
        hiql.HIAVI(2, mdp=mdp).fit(data).score(data, per="trial")


def test_a_base_policy_pulls_rare_states_towards_it():
    """A pseudo-count of shape (S, A) is a base policy times a strength for each state."""
    data = hiql.Trajectories.from_arrays([[0, 1]], [[0, 0]], n_states=3, n_actions=2)
    mdp = hiql.MDP(np.full((3, 2, 3), 1 / 3), 0.9)
    base = np.array([[0.5, 0.5], [0.1, 0.9], [0.1, 0.9]])
    strength = np.array([2.0, 8.0, 1.0])
    model = hiql.HIAVI(1, mdp=mdp, pseudo_count=base * strength[:, None]).fit(data)
    np.testing.assert_allclose(model.policy_[0, :, 0], [2 / 3, 1.8 / 9, 0.1])


def test_intentions_with_base_policies_of_their_own_keep_their_names():
    """Sorted by use they would trade priors, and the objective would be that of another model."""
    rng = np.random.default_rng(0)
    rare_left = [(rng.random(50) < (0.9 if session < 25 else 0.1)).astype(int) for session in range(30)]
    data = hiql.Trajectories.from_arrays(None, rare_left)
    base = 3 * np.array([[[9.0, 1.0]], [[1.0, 9.0]]])
    model = hiql.HIQL(2, pseudo_count=base, progress=False).fit(data)
    assert model.objective_ == pytest.approx(model.restarts_.best, rel=1e-6)
    assert model.share_[0] < model.share_[1]
    np.testing.assert_array_equal(model.policy_[:, 0].argmax(axis=1), [0, 1])
