"""What a fitted model says of how sure it is."""

from __future__ import annotations

import copy
import io
import json
import pickle
import warnings
import zipfile

import numpy as np
import pytest
from sklearn.base import clone

import hiql
from hiql.errors import ChainsNotMixed, InvalidParameter, ModelFileError, NoDraws, NoIntervals
from tests.models.test_hostile_files import npy, packed
from tests.problems import switching_data

SAMPLE = hiql.IntentionModel.sample_posterior
QUICK = {"n_draws": 40, "n_chains": 2, "warm_up": 10, "thin": 1}


@pytest.fixture(scope="module")
def data():
    return switching_data(np.random.default_rng(0), n_sessions=15)[0]


def sampled(model, data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainsNotMixed)
        return SAMPLE(model, data, **QUICK | options)


@pytest.fixture(scope="module")
def model(data):
    fitted = hiql.HIQL(2, n_init=2, patience=0, progress=False).fit(data)
    sampled(fitted, data)
    return fitted


def test_intervals_have_the_shape_of_what_they_are_about(model):
    posterior = model.posterior_
    shown = {"transition_", "initial_", "policy_", "share_", "reward_", "value_", "durations"}
    assert shown < set(posterior.names)
    for name in posterior.names:
        draws, bounds = model.draws(name), model.interval(name, 0.9)
        shape = (2,) if name == "durations" else np.shape(getattr(model, name))
        assert draws.shape == (40, *shape)
        assert bounds.shape == (2, *shape)
        assert (bounds[0] <= bounds[1]).all()
        np.testing.assert_allclose(((bounds[0] <= draws) & (draws <= bounds[1])).mean(axis=0).min(), 0.9, atol=0.051)


def test_wider_levels_hold_narrower_ones(model):
    (low, high), (lower, higher) = model.interval("policy_", 0.5), model.interval("policy_", 0.95)
    assert (lower <= low).all()
    assert (high <= higher).all()
    assert (higher - lower > high - low).mean() > 0.9


def test_any_function_of_a_model_has_an_interval(model, data):
    np.testing.assert_array_equal(model.draws(lambda one: 1 / (1 - np.diag(one.transition_))), model.draws("durations"))
    bounds = model.interval(lambda one: one.smooth_proba(data)[:5])
    assert bounds.shape == (2, 5, 2)
    with pytest.raises(AttributeError):
        model.draws(lambda one: one.reward_)


def test_rewards_are_those_of_the_drawn_policies(model):
    """Q is log π but for a number in each state."""
    policy, q = model.draws("policy_"), model.draws("q_")
    np.testing.assert_allclose(np.diff(q, axis=-1), np.diff(np.log(policy), axis=-1), atol=1e-9)
    np.testing.assert_allclose(q.max(axis=-1), model.draws("value_"))


def test_rewards_of_several_draws_at_once_are_those_of_each(data):
    world = switching_data(np.random.default_rng(0), n_sessions=15)[1]
    for fitted in (
        hiql.HIAVI(2, mdp=world, n_init=1, patience=0).fit(data),
        hiql.HIQL(2, n_init=1, patience=0).fit(data),
    ):
        sampled(fitted, data, n_draws=8)
        problem = fitted._problem(data)
        evidence = problem.evidence(fitted._point, problem.expect(fitted._point))
        for n in (0, 7):
            alone = fitted._reward().explain(evidence, np.log(fitted.draws("policy_")[n]))
            for name, array in zip(("reward_", "q_", "value_"), alone[:3], strict=True):
                np.testing.assert_allclose(fitted.draws(name)[n], array, atol=1e-9)


def test_after_a_fit_an_interval_needs_no_more_than_to_be_asked_for(data, monkeypatch):
    monkeypatch.setattr(hiql.IntentionModel, "sample_posterior", sampled)
    fitted = hiql.IntentionModel(1, progress=False).fit(data)
    assert fitted.interval("policy_").shape == (2, 1, 5, 3)
    first = fitted.posterior_
    assert fitted.interval("share_").tolist() == [[1.0], [1.0]]
    assert fitted.posterior_ is first
    assert not hasattr(fitted.fit(data), "posterior_")


def test_the_same_seed_gives_the_same_draws_whatever_the_threads(model, data):
    again = clone(model).set_params(n_jobs=3).fit(data)
    sampled(again, data)
    np.testing.assert_array_equal(again.draws("policy_"), model.draws("policy_"))
    assert not np.array_equal(sampled(again, data, random_state=5).draws("policy_"), model.draws("policy_"))


@pytest.mark.parametrize(("estimate", "concentration"), [("mode", 1.5), ("bayes", 0.5)])
def test_draws_have_the_prior_of_the_estimate(data, estimate, concentration):
    """With one intention policies are drawn from Dirichlet(concentration + counts)."""
    fitted = hiql.HIQL(1, estimate=estimate, pseudo_count=0.5, progress=False).fit(data)
    sampled(fitted, data, n_draws=4000, warm_up=0)
    raised = data.pair_counts + concentration
    np.testing.assert_allclose(
        fitted.draws("policy_")[:, 0].mean(axis=0), raised / raised.sum(axis=1, keepdims=True), atol=0.004
    )


def test_posterior_means_lie_within_their_intervals(data):
    """With the prior that the evidence is about; the means are those of mean-field, and the draws are not."""
    fitted = hiql.HIQL(2, estimate="bayes", n_init=2, patience=0, progress=False).fit(data)
    sampled(fitted, data, n_draws=200)
    low, high = fitted.interval("policy_", 0.99)
    assert ((low <= fitted.policy_) & (fitted.policy_ <= high)).mean() > 0.9
    assert fitted.interval("transition_", 0.95).shape == (2, 2, 2)


def test_intentions_in_another_order_take_their_draws_along(model):
    other = model.permuted([1, 0])
    for name in ("policy_", "share_", "value_", "durations", "initial_"):
        np.testing.assert_array_equal(other.draws(name), model.draws(name)[:, ::-1])
    np.testing.assert_array_equal(other.draws("transition_"), model.draws("transition_")[:, ::-1, ::-1])
    np.testing.assert_array_equal(other.posterior_.model.policy_, other.policy_)


def test_copies_and_files_leave_the_data_behind_and_keep_the_draws(model, tmp_path):
    model.save(tmp_path / "m.hiql")
    back = hiql.load(tmp_path / "m.hiql")
    for other in (back, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert "_trained_on" not in vars(other)
        for name in model.posterior_.names:
            np.testing.assert_array_equal(other.draws(name), model.draws(name))
        assert other.posterior_.told == model.posterior_.told


def test_without_draws_and_data_the_remedy_is_told(data, tmp_path):
    hiql.HIQL(2, n_init=1, patience=0, progress=False).fit(data).save(tmp_path / "m.hiql")
    back = hiql.load(tmp_path / "m.hiql")
    with pytest.raises(NoDraws, match=r"transition_ has no draws.*sample_posterior\(data\)"):
        back.interval("transition_")
    sampled(back, data)
    assert back.interval("transition_").shape == (2, 2, 2)


def test_what_cannot_be_is_said_by_name(model, data):
    with pytest.raises(InvalidParameter, match="choose from initial_, transition_"):
        model.interval("weights_")
    with pytest.raises(InvalidParameter, match="level"):
        model.interval("share_", 95)
    for wrong in ({"n_draws": 2}, {"n_chains": 0}, {"warm_up": -1}, {"thin": 0}):
        with pytest.raises(InvalidParameter, match=next(iter(wrong))):
            model.sample_posterior(data, **wrong)
    learned = hiql.HIQL(2, method="stochastic", n_init=1, max_iter=2, epochs=1, progress=False).fit(data)
    with pytest.raises(NoIntervals, match="LearnedPolicies cannot draw"):
        learned.interval("policy_")


def test_the_summary_has_a_row_for_each_number(model):
    table = model.posterior_.summary()
    assert list(table.columns) == ["fit", "mean", "low", "high", "worth", "r_hat"]
    assert len(table) == 2 + 2 + 2 + 4
    assert table.loc[("transition_", "0, 1"), "fit"] == model.transition_[0, 1]
    assert (table["low"] <= table["high"]).all()


def test_chains_that_have_not_mixed_are_told(data):
    fitted = hiql.HIQL(3, n_init=1, patience=0, progress=False).fit(data)
    with pytest.warns(ChainsNotMixed, match="draw more, farther apart"):
        posterior = fitted.sample_posterior(data, **QUICK)
    assert posterior.doubts
    assert "independent ones" in posterior.told


def test_sessions_of_one_intention_never_leave_it(data):
    fitted = hiql.HIQL(2, dynamics="session-wise", n_init=1, patience=0, progress=False).fit(data)
    sampled(fitted, data)
    assert (fitted.draws("transition_") == np.eye(2)).all()
    assert (fitted.interval("durations") == np.inf).all()
    assert np.ptp(fitted.draws("initial_")[:, 0]) > 0


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(0)
    u = rng.normal(2.0, 3.0, size=(10, 100, 1))
    right = rng.random((10, 100)) < 1 / (1 + np.exp(-1.5 * (u[..., 0] - 1.0)))
    data = hiql.Trajectories.from_arrays(None, list(right.astype(int)), inputs=list(u), input_names=["stimulus"])
    return data, hiql.GLMHMM(1, progress=False).fit(data)


def test_weights_are_as_sure_as_the_errors_of_a_regression_say(regression):
    """With one intention the posterior is nearly Normal: the intervals are those of the standard errors."""
    data, model = regression
    posterior = sampled(model, data, n_draws=1000)
    error, scale = hiql.evaluate.effects(model, data).error[0, 0, 0], model.coding_.input_scales[0]
    low, high = model.interval(lambda one: scale * (one.weights_[0, 1, 0] - one.weights_[0, 0, 0]))
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.25)
    assert posterior.moved[1] > 0.5  # most proposals are accepted


def test_thresholds_are_where_both_actions_are_as_likely(regression):
    data, model = regression
    sampled(model, data, n_draws=200)
    low, high = model.interval("thresholds")
    assert (low < 1.0).all()
    assert (high > 1.0).all()
    assert (high - low < 0.6).all()
    halves = [one.weights_[0, 1] @ [x, 1.0] for one, x in zip(
        model.posterior_.models(), model.draws("thresholds")[:, 0, 0], strict=True
    )]  # fmt: skip
    np.testing.assert_allclose(halves, 0.0, atol=1e-9)


@pytest.mark.parametrize("broken", ["short", "not normalised", "holes", "another number of chains", "of others"])
def test_draws_that_could_not_be_are_refused(model, tmp_path, broken):
    path = tmp_path / "m.hiql"
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(entries["model.json"])
    own = document["draws"]["dict"]
    transition = own["dynamics"]["fields"]["log_transition"]["array"] + ".npy"
    array = np.load(io.BytesIO(entries[transition]))
    changed = {
        "short": {transition: npy(array[:-1])},
        "not normalised": {transition: npy(array + 0.01 * (np.arange(len(array)) == 7)[:, None, None, None])},
        "holes": {own["share"]["array"] + ".npy": npy(np.full((40, 2), np.nan))},
        "another number of chains": {},
        "of others": {},
    }[broken]
    if broken == "another number of chains":
        own["n_chains"] = 7
    if broken == "of others":
        own["choice"], own["dynamics"] = own["dynamics"], own["choice"]
    path.write_bytes(packed(entries | changed | {"model.json": json.dumps(document)}))
    with pytest.raises(ModelFileError):
        hiql.load(path)
