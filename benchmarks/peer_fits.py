"""Whole fits as other tools do them, on the same data, and the policies that come out, in our shapes.

Sessions must have one length, for dynamax knows no other. All peers get our prior, where they have one: 0.1 added to
every count (hmmlearn and dynamax write it as a Dirichlet concentration of 1.1).

- *hmmlearn, per state*: ``CategoricalHMM`` whose symbols are the pairs (s, a), its emissions normalised for each state
  s after every M-step. Then p(s, a|z) = π(a|s, z) / S, and the model is ours, up to the constant log S for each step.
- *hmmlearn, pairs* and *dynamax, pairs*: ``CategoricalHMM`` as it comes. It normalises over all pairs and so models
  p(s, a|z): where the animal is counts as a sign of its intention. To compare, we read off p(a|s, z)
  (:func:`given_state`) and score that as a policy, like ours.
- *dynamax, GLM-HMM*: ``CategoricalRegressionHMM``, a softmax regression on the state in one-hot code. With a weight for
  every state and action it can be any policy, so the likelihood is ours; its M-step is 50 steps of Adam, without prior.

hmmlearn runs with ``implementation="scaling"``, the faster of its two. dynamax runs in single precision, as it comes.
Its ``fit_em`` is compiled anew at each call; we compile it once around the call and leave that time out.

Two more implementations of GLM-HMMs could not be compared: ``ssm`` 0.0.1 cannot be installed from its package (it needs
Cython to build, and does not say so), and ``nemos`` 0.2.8 has the parts of a GLM-HMM but no model of that name to fit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import softmax

from hiql.data.trajectories import Trajectories
from parameters import Parameters, problem_of

CONCENTRATION = 1.1


Fit = Callable[[Parameters], Parameters]


def score(data: Trajectories, found: Parameters) -> float:
    """Nats per decision, by our own scorer whoever did the fit."""
    return problem_of(data, len(found.initial)).expect(found.point).log_likelihood / data.n_steps


def given_state(joint: np.ndarray, n_states: int) -> np.ndarray:
    """p(a|s, z) (K, S, A) of p(s, a|z) (K, S·A); uniform where z never meets s."""
    pairs = joint.reshape(len(joint), n_states, -1)
    visits = pairs.sum(axis=-1, keepdims=True)
    uniform = np.full_like(pairs, 1 / pairs.shape[-1])
    return np.divide(pairs, visits, out=uniform, where=visits > 0)


def hmmlearn_fit(data: Trajectories, n_iter: int, tol: float = -np.inf, *, per_state: bool) -> Fit:
    """EM from a given start; ``tol`` is hmmlearn's rule, a least gain in nats."""
    from hmmlearn.hmm import CategoricalHMM

    class PerState(CategoricalHMM):  # type: ignore[misc]
        def _do_mstep(self, stats: Any) -> None:
            super()._do_mstep(stats)
            self.emissionprob_ = given_state(self.emissionprob_, data.n_states).reshape(self.n_components, -1)
            self.emissionprob_ /= data.n_states

    # With a prior EM climbs the posterior; hmmlearn watches the likelihood, which may fall, and would say so.
    logging.getLogger("hmmlearn").setLevel(logging.ERROR)
    symbols, lengths = data.pairs.astype(np.int64)[:, None], data.lengths
    options = {"implementation": "scaling", "init_params": "", "n_features": data.n_states * data.n_actions}
    options |= dict.fromkeys(("startprob_prior", "transmat_prior", "emissionprob_prior"), CONCENTRATION)

    def fit(start: Parameters) -> Parameters:
        kind = PerState if per_state else CategoricalHMM
        peer = kind(len(start.initial), n_iter=n_iter, tol=tol, **options)
        peer.startprob_, peer.transmat_ = start.initial, start.transition
        peer.emissionprob_ = start.policy.reshape(len(start.initial), -1) / data.n_states
        peer.fit(symbols, lengths)
        return Parameters(peer.startprob_, peer.transmat_, given_state(peer.emissionprob_, data.n_states))

    return fit


def dynamax_pairs_fit(data: Trajectories, n_intentions: int, n_iter: int) -> Fit:
    import jax.numpy as jnp
    from dynamax.hidden_markov_model import CategoricalHMM

    peer = CategoricalHMM(n_intentions, 1, data.n_states * data.n_actions)
    symbols = jnp.array(data.pairs.astype(np.int32).reshape(data.n_sessions, -1, 1))

    def emission(policy: np.ndarray) -> dict[str, Any]:
        return {"emission_probs": jnp.array(policy.reshape(n_intentions, 1, -1) / data.n_states)}

    def policy(emissions: Any) -> np.ndarray:
        return given_state(np.asarray(emissions.probs, float)[:, 0], data.n_states)

    return _dynamax_fit(peer, emission, policy, n_iter, symbols)


def dynamax_glm_fit(data: Trajectories, n_intentions: int, n_iter: int) -> Fit:
    import jax.numpy as jnp
    from dynamax.hidden_markov_model import CategoricalRegressionHMM

    peer = CategoricalRegressionHMM(n_intentions, data.n_actions, data.n_states)
    shape = data.n_sessions, -1
    actions = jnp.array(data.actions.astype(np.int32).reshape(shape))
    inputs = jnp.array(np.eye(data.n_states, dtype=np.float32)[data.states.reshape(shape)])

    def emission(policy: np.ndarray) -> dict[str, Any]:
        weights = jnp.array(np.log(policy).transpose(0, 2, 1))
        return {"emission_weights": weights, "emission_biases": jnp.zeros(weights.shape[:2])}

    def policy(emissions: Any) -> np.ndarray:
        logits = np.asarray(emissions.weights, float).transpose(0, 2, 1) + np.asarray(emissions.biases, float)[:, None]
        return softmax(logits, axis=-1)

    return _dynamax_fit(peer, emission, policy, n_iter, actions, inputs)


def _dynamax_fit(
    peer: Any,
    emission: Callable[[np.ndarray], dict[str, Any]],
    policy: Callable[[Any], np.ndarray],
    n_iter: int,
    *observed: Any,
) -> Fit:
    """``fit_em`` of a dynamax model, compiled at the first call only.

    ``emission`` turns a policy into the model's parameters, ``policy`` turns them back.
    """
    import jax
    import jax.numpy as jnp

    _, props = peer.initialize()
    run = jax.jit(lambda params: peer.fit_em(params, props, *observed, num_iters=n_iter, verbose=False)[0])

    def fit(start: Parameters) -> Parameters:
        chain = {"initial_probs": jnp.array(start.initial), "transition_matrix": jnp.array(start.transition)}
        params, _ = peer.initialize(**chain, **emission(start.policy))
        found = run(params)
        ends = found.initial.probs, found.transitions.transition_matrix, policy(found.emissions)
        return Parameters(*(_normalised(np.asarray(p, float)) for p in ends))

    return fit


def _normalised(single: np.ndarray) -> np.ndarray:
    """Rows that sum to 1 in double precision, too."""
    return single / single.sum(axis=-1, keepdims=True)
