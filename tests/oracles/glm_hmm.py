"""A GLM-HMM in plain numpy, as the field fits it: EM with Newton's method in each M-step, from many random starts.

Two actions, weights (K, F) of the log-odds of action 1; sessions are padded to one length, −1 where nothing was seen.
The priors are ours: ridge/4 · w² (our W₁ − W₀ is w, and ½ Σ W² is ¼ w²), and ``PSEUDO_COUNT`` for chain and beginnings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

PSEUDO_COUNT = 0.1


class Padded(NamedTuple):
    """``inputs`` (n, T, F), the last 1; ``actions`` (n, T), −1 past the end of a session."""

    inputs: np.ndarray
    actions: np.ndarray


class Fitted(NamedTuple):
    initial: np.ndarray
    transition: np.ndarray
    weights: np.ndarray


def padded(data, inputs):
    """Of data, with inputs (N, F) in the order of the steps."""
    shape = data.n_sessions, int(data.lengths.max())
    rows = np.repeat(np.arange(data.n_sessions), data.lengths), data.time
    here, done = np.zeros((*shape, inputs.shape[1])), np.full(shape, -1)
    here[rows], done[rows] = inputs, data.actions
    return Padded(here, done)


def likely(steps, weights):
    """(n, T, K) how likely what was done is under each intention; 1 where nothing was."""
    right = expit(steps.inputs @ weights.T)
    done = steps.actions[..., None]
    return np.where(done < 0, 1.0, np.where(done == 1, right, 1.0 - right))


def forward(p, initial, transition):
    """(n, T, K) p(z_t | a_0 … a_t) and (n, T) p(a_t | a_0 … a_{t−1}), where ``p`` are the likelihoods."""
    alpha, scale = np.empty(p.shape), np.empty(p.shape[:2])
    before = np.broadcast_to(initial, (len(p), p.shape[-1]))
    for t in range(p.shape[1]):
        alpha[:, t] = before * p[:, t]
        scale[:, t] = alpha[:, t].sum(axis=1)
        alpha[:, t] /= scale[:, t, None]
        before = alpha[:, t] @ transition
    return alpha, scale


def smoothed(p, alpha, scale, transition):
    """(n, T, K) p(z_t | the whole session)."""
    beta, gamma = np.ones(p.shape[::2]), alpha.copy()
    for t in range(p.shape[1] - 2, -1, -1):
        beta = (p[:, t + 1] * beta / scale[:, t + 1, None]) @ transition.T
        gamma[:, t] = alpha[:, t] * beta
    return gamma


def e_step(steps, fitted):
    """Log-likelihood, posteriors (n, T, K) and expected moves (K, K)."""
    p = likely(steps, fitted.weights)
    alpha, scale = forward(p, fitted.initial, fitted.transition)
    beta, moves = np.ones(p.shape[::2]), np.zeros(fitted.transition.shape)
    gamma = alpha.copy()
    seen = (steps.actions >= 0).astype(float)
    for t in range(p.shape[1] - 2, -1, -1):
        after = p[:, t + 1] * beta / scale[:, t + 1, None]
        moves += np.einsum("ni,nj,n->ij", alpha[:, t], after, seen[:, t + 1]) * fitted.transition
        beta = after @ fitted.transition.T
        gamma[:, t] = alpha[:, t] * beta
    return float(np.log(scale).sum()), gamma, moves


def newton(steps, gamma, weights, ridge, n_steps=5):
    """(K, F) the M-step of the weights: a few whole steps of Newton's, halved where they overshoot."""
    seen = steps.actions >= 0
    inputs, right, gamma = steps.inputs[seen], (steps.actions[seen] == 1).astype(float), gamma[seen]
    found = weights.copy()
    for k in range(len(weights)):
        w, n = found[k], gamma[:, k]

        def worth(w, n=n):
            logit = inputs @ w
            return float(n @ (right * logit - np.logaddexp(0.0, logit))) - 0.25 * float(ridge @ w**2)

        now = worth(w)
        for _ in range(n_steps):
            p = expit(inputs @ w)
            slope = inputs.T @ (n * (right - p)) - 0.5 * ridge * w
            step = np.linalg.solve((inputs.T * (n * p * (1.0 - p))) @ inputs + np.diag(0.5 * ridge), slope)
            while (after := worth(w + step)) < now - 1e-9 * abs(now) and np.abs(step).max() > 1e-9:
                step /= 2.0
            w, gain, now = w + step, after - now, after
            if gain < 1e-6:
                break
        found[k] = w
    return found


def log_prior(fitted, ridge):
    chain = PSEUDO_COUNT * (np.log(fitted.initial).sum() + np.log(fitted.transition).sum())
    return chain - 0.25 * float((ridge * fitted.weights**2).sum())


def m_step(steps, fitted, gamma, moves, ridge):
    initial, transition = gamma[:, 0].sum(axis=0) + PSEUDO_COUNT, moves + PSEUDO_COUNT
    weights = newton(steps, gamma, fitted.weights, ridge)
    return Fitted(initial / initial.sum(), transition / transition.sum(axis=1, keepdims=True), weights)


def random_start(steps, n_intentions, ridge, rng, apart=0.5, stay=0.9):
    """Around the regression of all steps; intentions stay with this probability."""
    everything = newton(steps, np.ones((*steps.actions.shape, 1)), np.zeros((1, steps.inputs.shape[-1])), ridge, 25)
    weights = everything + apart * rng.normal(size=(n_intentions, steps.inputs.shape[-1]))
    other = (1.0 - stay) / max(n_intentions - 1, 1)
    transition = np.full((n_intentions, n_intentions), other) + (stay - other) * np.eye(n_intentions)
    transition /= transition.sum(axis=1, keepdims=True)
    return Fitted(np.full(n_intentions, 1.0 / n_intentions), transition, weights)


def climbed(steps, start, ridge, max_iter=300, tol=1e-6):
    """Plain EM to convergence: the parameters, and log-likelihood + log-prior."""
    now, before = start, -np.inf
    for _ in range(max_iter):
        log_likelihood, gamma, moves = e_step(steps, now)
        objective = log_likelihood + log_prior(now, ridge)
        if objective - before <= tol * abs(objective):
            break
        before, now = objective, m_step(steps, now, gamma, moves, ridge)
    return now, objective
