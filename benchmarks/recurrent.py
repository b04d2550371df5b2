"""A gated recurrent unit (Cho et al. 2014) that predicts the next action: what it knows need not have a name.

Before each action it sees the state, the inputs, the last action and its outcome, and who the animal is. It is trained
by Adam on windows of sessions and keeps the weights that did best on other sessions, looked at every ``ROUND`` updates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import hiql

WINDOW, BATCH, ROUND, PATIENCE, MOST_ROUNDS = 500, 32, 20, 6, 40
RATE, DECAYS, TINY = 0.005, (0.9, 0.999), 1e-8
Weights = dict[str, jax.Array]


class Sequences(NamedTuple):
    """What is seen before each action (n, T, D), and the actions (n, T), −1 where there is none or it is unknown."""

    seen: np.ndarray
    actions: np.ndarray

    def windows(self) -> Sequences:
        """Cut, so that all are short; the network starts anew in each."""
        starts = range(0, self.actions.shape[1], WINDOW)
        width = min(WINDOW, self.actions.shape[1])
        parts = [
            (_wide(self.seen[:, t : t + width], width), _wide(self.actions[:, t : t + width], width)) for t in starts
        ]
        seen, actions = (np.concatenate(each) for each in zip(*parts, strict=True))
        some = (actions >= 0).any(axis=1)
        return Sequences(seen[some], actions[some])


def sequences_of(data: hiql.Trajectories) -> Sequences:
    """All sessions side by side, filled up at the end."""
    first = data.time == 0
    last = np.where(first, data.n_actions, np.roll(data.actions, 1))
    outcome = np.zeros(data.n_steps) if data.outcomes is None else np.nan_to_num(np.asarray(data.outcomes, dtype=float))
    animals = np.unique(data.subjects, return_inverse=True)[1][data.session_of_step]
    columns = [_one_hot(data.states, data.n_states), np.nan_to_num(data.inputs), _one_hot(last, data.n_actions)]
    columns += [np.where(first, 0.0, np.roll(outcome, 1))[:, None], _one_hot(animals, len(set(data.subjects)))]
    flat = np.concatenate(columns, axis=1).astype(np.float32)
    seen = np.zeros((data.n_sessions, data.lengths.max(), flat.shape[1]), dtype=np.float32)
    actions = np.full(seen.shape[:2], -1)
    seen[data.session_of_step, data.time] = flat
    actions[data.session_of_step, data.time] = np.where(data.observed, data.actions, -1)
    return Sequences(seen, actions)


def trained(train: Sequences, other: Sequences, n_hidden: int, n_actions: int, seed: int = 0) -> tuple[Weights, float]:
    """The weights that did best on the other sequences, and how well: mean log-likelihood of a step."""
    rng = np.random.default_rng(seed)
    windows = train.windows()
    weights = best = _start(rng, windows.seen.shape[-1], n_hidden, n_actions)
    moments = jax.tree.map(jnp.zeros_like, (weights, weights))
    reached, behind = -np.inf, 0
    for update in range(1, MOST_ROUNDS * ROUND + 1):
        chosen = rng.integers(len(windows.actions), size=BATCH)
        weights, moments = _update(weights, moments, update, windows.seen[chosen], windows.actions[chosen])
        if update % ROUND == 0:
            now = float(np.nanmean(log_taken(weights, other)))
            reached, best, behind = (now, weights, 0) if now > reached else (reached, best, behind + 1)
        if behind == PATIENCE:
            break
    return best, reached


def log_taken(weights: Weights, sequences: Sequences) -> np.ndarray:
    """(n, T) log p of the actions taken; NaN where there is none."""
    logs = np.asarray(_logs(weights, sequences.seen, sequences.actions))
    return np.where(sequences.actions >= 0, logs, np.nan)


def _start(rng: np.random.Generator, n_seen: int, n_hidden: int, n_actions: int) -> Weights:
    sizes = {"seen": (n_seen, 3 * n_hidden), "hidden": (n_hidden, 3 * n_hidden), "out": (n_hidden, n_actions)}
    drawn = {name: rng.normal(size=size) / np.sqrt(n_hidden) for name, size in sizes.items()}
    drawn |= {"bias": np.zeros(3 * n_hidden), "out_bias": np.zeros(n_actions)}
    return {name: jnp.asarray(value, dtype=jnp.float32) for name, value in drawn.items()}


@jax.jit
def _logs(weights: Weights, seen: jax.Array, actions: jax.Array) -> jax.Array:
    n_hidden = weights["out"].shape[0]

    def step(hidden: jax.Array, given: jax.Array) -> tuple[jax.Array, jax.Array]:
        own = hidden @ weights["hidden"]
        gates = jax.nn.sigmoid(given[:, : 2 * n_hidden] + own[:, : 2 * n_hidden])
        reset, keep = gates[:, :n_hidden], gates[:, n_hidden:]
        new = jnp.tanh(given[:, 2 * n_hidden :] + reset * own[:, 2 * n_hidden :])
        hidden = keep * hidden + (1 - keep) * new
        return hidden, hidden

    given = jnp.swapaxes(seen @ weights["seen"] + weights["bias"], 0, 1)
    _, hidden = jax.lax.scan(step, jnp.zeros((seen.shape[0], n_hidden)), given)
    logs = jax.nn.log_softmax(jnp.swapaxes(hidden, 0, 1) @ weights["out"] + weights["out_bias"])
    return jnp.take_along_axis(logs, jnp.maximum(actions, 0)[..., None], axis=-1)[..., 0]


def _loss(weights: Weights, seen: jax.Array, actions: jax.Array) -> jax.Array:
    there = actions >= 0
    return -jnp.sum(jnp.where(there, _logs(weights, seen, actions), 0.0)) / jnp.sum(there)


@jax.jit
def _update(weights: Weights, moments: Any, t: int, seen: jax.Array, actions: jax.Array) -> tuple[Weights, Any]:
    """One step of Adam (Kingma & Ba 2015)."""
    slopes = jax.grad(_loss)(weights, seen, actions)
    powers: tuple[Callable[[Any], Any], ...] = (lambda g: g, jnp.square)
    averages = [
        jax.tree.map(lambda m, g, keep=keep, power=power: keep * m + (1 - keep) * power(g), moment, slopes)
        for moment, keep, power in zip(moments, DECAYS, powers, strict=True)
    ]
    mean, square = (
        jax.tree.map(partial(lambda rest, m: m / rest, 1 - keep**t), moment)
        for moment, keep in zip(averages, DECAYS, strict=True)
    )
    moved = jax.tree.map(lambda w, m, s: w - RATE * m / (jnp.sqrt(s) + TINY), weights, mean, square)
    return moved, tuple(averages)


def _one_hot(codes: np.ndarray, n: int) -> np.ndarray:
    """(N, n); nothing at −1 and at n itself."""
    return (np.asarray(codes)[:, None] == np.arange(n)).astype(np.float32)


def _wide(array: np.ndarray, width: int) -> np.ndarray:
    """Filled up to ``width`` along the second axis: actions with −1."""
    missing = width - array.shape[1]
    filling = -1 if array.ndim == 2 else 0
    return np.pad(array, [(0, 0), (0, missing)] + [(0, 0)] * (array.ndim - 2), constant_values=filling)
