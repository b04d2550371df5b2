"""The studies of GLM-HMMs on simulated mice: what they compare with is right, and the sizes of experiments suffice."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from tests.oracles import glm_hmm as plain


@pytest.fixture
def study(module):
    return module("glm_hmm")


@pytest.fixture
def cohort(study):
    return study.simulated(0, n_trials=2_500, n_mice=1)


def test_the_references_likelihood_and_posteriors_are_ours(study, cohort):
    data = cohort.data
    model = hiql.GLMHMM(2, ridge=1.0, n_init=1, patience=0, max_iter=3, progress=False).fit(data)
    params = model.choice_parameters_.weights
    same = plain.Fitted(model.initial_, model.transition_, params[:, 1] - params[:, 0])
    steps = study.as_read(data, data)
    log_likelihood, gamma, _ = plain.e_step(steps, same)
    assert log_likelihood == pytest.approx(model.log_likelihood_, rel=1e-9)
    np.testing.assert_allclose(gamma[steps.actions >= 0], model.smooth_proba(data), atol=1e-9)
    objective = log_likelihood + plain.log_prior(same, study.ridge_of(data, 1.0))
    assert objective == pytest.approx(model.objective_, rel=1e-9)


def test_the_reference_climbs_and_the_truth_predicts_better(study, cohort):
    steps, ridge = study.as_read(cohort.data, cohort.data), study.ridge_of(cohort.data, 1.0)
    start = plain.random_start(steps, 2, ridge, np.random.default_rng(0))
    reached = [plain.climbed(steps, start, ridge, n)[1] for n in (1, 2, 4, 8)]
    assert (np.diff(reached) > 0).all()
    true = np.log(study.as_the_truth(cohort, np.arange(cohort.data.n_sessions))[-1]).sum()
    assert true > cohort.data.n_steps * np.log(0.5)


@pytest.mark.slow
def test_weights_and_intentions_come_back_at_the_size_of_an_experiment(study):
    error, decoded, true = study.recovered(0, 0.3, 4)
    assert error < 0.55
    assert decoded > true - 0.05
