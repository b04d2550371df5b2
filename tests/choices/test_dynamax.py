"""A GLM-HMM is dynamax's LogisticRegressionHMM: at equal parameters, equal likelihood and posteriors."""

from __future__ import annotations

import numpy as np
import pytest

import hiql

pytest.importorskip("dynamax", reason="dynamax comes with make .venv/bench")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of tensorflow_probability
def test_at_equal_parameters_likelihood_and_posteriors_are_those_of_dynamax():
    import jax
    import jax.numpy as jnp
    from dynamax.hidden_markov_model import LogisticRegressionHMM

    rng = np.random.default_rng(0)
    n_sessions, n_steps, k = 3, 200, 3
    inputs = 50.0 + 7.0 * rng.normal(size=(n_sessions, n_steps, 2))
    actions = (rng.random((n_sessions, n_steps)) < 0.4 + 0.02 * (inputs[..., 0] - 50.0)).astype(int)
    data = hiql.Trajectories.from_arrays(None, list(actions), inputs=list(inputs), input_names=["x", "y"])
    model = hiql.GLMHMM(k, n_init=1, patience=0, max_iter=5, progress=False).fit(data)
    with jax.enable_x64(True):
        peer = LogisticRegressionHMM(k, 2)
        log_odds = jnp.asarray(model.weights_[:, 1] - model.weights_[:, 0])
        chain = {"initial_probs": jnp.asarray(model.initial_), "transition_matrix": jnp.asarray(model.transition_)}
        params, _ = peer.initialize(**chain, emission_weights=log_odds[:, :2], emission_biases=log_odds[:, 2])
        found = [peer.smoother(params, jnp.asarray(a), jnp.asarray(u)) for a, u in zip(actions, inputs, strict=True)]
        total = sum(float(each.marginal_loglik) for each in found)
        smoothed = np.concatenate([np.asarray(each.smoothed_probs) for each in found])
        filtered = np.concatenate([np.asarray(each.filtered_probs) for each in found])
    assert smoothed.dtype == np.float64
    assert model.score(data) == pytest.approx(total, rel=1e-8)
    np.testing.assert_allclose(model.smooth_proba(data), smoothed, atol=1e-8)
    np.testing.assert_allclose(model.filter_proba(data), filtered, atol=1e-8)
