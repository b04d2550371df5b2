"""All baselines keep one contract: scores in nats, missing steps no evidence, scikit-learn's conventions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import hiql
from hiql.baselines import (
    DIRL,
    CountPolicy,
    KnownExpert,
    MaxCausalEntropyIRL,
    RandomPolicy,
    Scored,
    TimedCountPolicy,
)
from hiql.errors import DataDoesNotFitModel, InvalidParameter
from tests.baselines.worlds import ring
from tests.problems import random_data, random_policy

POLICIES = random_policy(np.random.default_rng(0), 2, 6, 3)


def baselines() -> dict[str, Scored]:
    return {
        "random": RandomPolicy(),
        "count": CountPolicy(),
        "timed count": TimedCountPolicy(pseudo_count=0.5),
        "known expert": KnownExpert(POLICIES),
        "max causal entropy": MaxCausalEntropyIRL(mdp=ring()),
        "max causal entropy, state-action": MaxCausalEntropyIRL(mdp=ring(), reward="state_action"),
        "dirl": DIRL(2, mdp=ring(), max_iter=30, tol=1e-3),
        "dirl, constant": DIRL(2, mdp=ring(), sigma=0, max_iter=30, tol=1e-3),
    }


def sessions(lengths, seed=0, missing=0.2):
    """Ragged sessions with missing states and actions, and true intentions."""
    rng = np.random.default_rng(seed)
    data = random_data(rng, 6, 3, lengths, missing)
    intentions = rng.integers(2, size=data.n_steps).astype(np.int32)
    return replace(data, intentions=intentions)


DATA = sessions((4, 1, 7, 9, 5))


@pytest.fixture(params=baselines())
def fitted(request):
    return baselines()[request.param].fit(DATA)


def test_score_is_the_sum_over_observed_steps(fitted):
    proba = fitted.predict_action_proba(DATA)
    seen = (DATA.states >= 0) & (DATA.actions >= 0)
    assert 0 < seen.sum() < DATA.n_steps
    total = np.log(proba[seen, DATA.actions[seen]]).sum()
    assert fitted.score(DATA) == pytest.approx(total)
    assert fitted.score(DATA, per="step") == pytest.approx(total / seen.sum())
    assert fitted.score(DATA, per="session") == pytest.approx(total / 5)


def test_predictions_are_distributions_and_uniform_where_the_state_is_missing(fitted):
    proba = fitted.predict_action_proba(DATA)
    assert proba.shape == (DATA.n_steps, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_allclose(proba[DATA.states < 0], 1 / 3)


def test_information_criteria(fitted):
    assert isinstance(fitted.n_free_, int)
    assert fitted.bic(DATA) == pytest.approx(-2 * fitted.score(DATA) + fitted.n_free_ * np.log(DATA.n_observed))
    assert fitted.aic(DATA) == pytest.approx(-2 * fitted.score(DATA) + 2 * fitted.n_free_)


def test_sessions_longer_than_any_seen_are_scored(fitted):
    longer = sessions((30, 2), seed=1)
    assert np.isfinite(fitted.score(longer))


@pytest.mark.parametrize("name", sorted(set(baselines()) - {"dirl"}))  # whose start would differ; see test_dirl
def test_missing_steps_do_not_change_a_fit(name):
    """Sessions that end in a missing step carry no more evidence than sessions that end before it."""
    short = sessions((5, 6), seed=2, missing=0.0)
    parts = [short.session(i) for i in range(short.n_sessions)]
    padded = hiql.Trajectories.from_arrays(
        [np.append(short.states[part], -1) for part in parts],
        [np.append(short.actions[part], 0) for part in parts],
        n_states=6,
        n_actions=3,
        intentions=[np.append(short.intentions[part], 0) for part in parts],
    )
    plain, with_gaps = baselines()[name].fit(short), baselines()[name].fit(padded)
    assert with_gaps.score(padded) == pytest.approx(plain.score(short))
    assert with_gaps.n_free_ == plain.n_free_


def test_clone_and_parameters(fitted):
    again = clone(fitted)
    assert not hasattr(again, "log_policy_")
    assert set(again.get_params()) == set(fitted.get_params())
    assert again.fit(DATA).score(DATA) == fitted.score(DATA)


def test_unfitted_baselines_say_so(fitted):
    with pytest.raises(NotFittedError):
        clone(fitted).score(DATA)


def test_unknown_unit_of_score(fitted):
    with pytest.raises(InvalidParameter, match=r"per is 'trial'; choose None, 'step' or 'session'"):
        fitted.score(DATA, per="trial")


@pytest.mark.parametrize(("field", "n_states", "n_actions"), [("n_states", 7, 3), ("n_actions", 6, 4)])
def test_data_of_another_world_are_refused(fitted, field, n_states, n_actions):
    other = random_data(np.random.default_rng(3), n_states, n_actions)
    with pytest.raises(DataDoesNotFitModel, match=field):
        fitted.predict_action_proba(other)
