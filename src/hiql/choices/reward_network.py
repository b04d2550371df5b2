r"""Rewards of features by a small network; without hidden units they are linear.

.. math:: x_0 = \varphi, \qquad x_l = \tanh(x_{l-1} W_l + b_l), \qquad r = x_L \cdot w

There is no constant at the end: a reward that is the same everywhere changes nothing. All numbers of a network are one
vector θ: W and b of each layer, then w.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from hiql.parts.part import FloatArray


@dataclass(frozen=True, eq=False)
class RewardNetwork:
    """``features`` (n, F) of states, or of pairs of states and actions, and the sizes of ``hidden`` layers."""

    features: FloatArray
    hidden: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many numbers θ has."""
        return len(self._scales)

    @cached_property
    def _scales(self) -> FloatArray:
        """What standard normal numbers are multiplied by, that every layer, and the reward, vary by about one."""
        norm = np.sqrt((self.features**2).sum(axis=1).mean())
        scales, onward = [], 1.0 / max(norm, 1e-12)
        for before, units in pairwise((self.features.shape[1], *self.hidden)):
            scales += [np.full(before * units, onward), np.ones(units)]
            onward = 1.0 / np.sqrt(units)
        last = (self.features.shape[1], *self.hidden)[-1]
        return np.concatenate([*scales, np.full(last, onward)])

    def drawn(self, n_networks: int, rng: np.random.Generator) -> FloatArray:
        """(n, P) random θ."""
        return np.asarray(rng.normal(size=(n_networks, self.size)) * self._scales)

    def _layers(self, theta: FloatArray) -> tuple[list[tuple[FloatArray, FloatArray]], FloatArray]:
        """W and b of each hidden layer, and w."""
        layers, at = [], 0
        for before, units in pairwise((self.features.shape[1], *self.hidden)):
            weights, at = theta[at : at + before * units].reshape(before, units), at + before * units
            layers.append((weights, theta[at : at + units]))
            at += units
        return layers, theta[at:]

    def _activations(self, layers: list[tuple[FloatArray, FloatArray]]) -> list[FloatArray]:
        """x_0, x_1, …, x_L."""
        found = [self.features]
        for weights, bias in layers:
            found.append(np.tanh(found[-1] @ weights + bias))
        return found

    def reward(self, theta: FloatArray) -> FloatArray:
        """(n,) r of one θ (P,)."""
        layers, last = self._layers(theta)
        return np.asarray(last @ self._activations(layers)[-1].T)

    def slope(self, theta: FloatArray, by_reward: FloatArray) -> FloatArray:
        """(k, P) the gradients by θ of k functions whose gradients by r are ``by_reward`` (k, n): backpropagation."""
        layers, last = self._layers(theta)
        activations = self._activations(layers)
        parts = [by_reward @ activations[-1]]
        upstream = by_reward[..., None] * last  # (k, n, units)
        for (weights, _), before, after in zip(layers[::-1], activations[-2::-1], activations[:0:-1], strict=True):
            upstream = upstream * (1.0 - after**2)
            parts += [upstream.sum(axis=1), (before.T @ upstream).reshape(len(by_reward), -1)]
            upstream = upstream @ weights.T
        return np.concatenate(parts[::-1], axis=1)
