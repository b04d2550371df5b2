"""The posterior of DIRL's goal maps and weights, and its exact gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hiql.models.scoring import FloatArray
from hiql.worlds.soft_planning import SoftPlanner


@dataclass(eq=False)
class DIRLPosterior:
    """log p(actions | u, w) + log p(w) + log p(u), as a function of whitened coordinates.

    The reward of time t is r_t(s) = Σ_m w_m(t) u_m(s). The weights follow a random walk, w_m(0) ~ N(0, σ²) and
    w_m(t) − w_m(t−1) ~ N(0, σ²); the maps have the log-prior −penalty · Σ u². A point is the vector of
    v = u √(2 · penalty) (M·S numbers), then of the innovations e (M·T) with w_m(t) = σ Σ_{t' ≤ t} e_m(t'). In
    these coordinates the prior is −½ |point|² and L-BFGS needs fewer steps. With σ = 0 the weights are all 1
    and a point holds the maps only.

    Parameters
    ----------
    planner : plans in the world the data come from
    counts : (T, S, A) actions taken in each state at each time
    n_maps, sigma, penalty : M, σ and the penalty above
    """

    planner: SoftPlanner
    counts: FloatArray
    n_maps: int
    sigma: float
    penalty: float

    def __post_init__(self) -> None:
        self._value: FloatArray | None = None  # the last plan's, where the next one starts

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """The log-posterior at a point, up to a constant, and its gradient."""
        maps, weights = self.unpack(point)
        likelihood = self.planner.likelihood(weights.T @ maps, self.counts, self._value)
        self._value = likelihood.plan.value
        prior_gradient = self._prior_slope(point)
        gradient = np.concatenate(
            [
                (weights @ likelihood.gradient).ravel() / self._map_scale,
                self._per_innovation(maps @ likelihood.gradient.T).ravel(),
            ]
        )
        return likelihood.total + 0.5 * float(prior_gradient @ point), gradient + prior_gradient

    def pack(self, maps: FloatArray, weights: FloatArray) -> FloatArray:
        """The point of maps (M, S) and weights (M, T)."""
        scaled = (maps * self._map_scale).ravel()
        if self.sigma == 0:
            return scaled
        return np.concatenate([scaled, (np.diff(weights, axis=1, prepend=0.0) / self.sigma).ravel()])

    def unpack(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Maps (M, S) and weights (M, T) of a point."""
        scaled, innovations = np.split(point, [self.n_maps * self.counts.shape[1]])
        maps = scaled.reshape(self.n_maps, -1) / self._map_scale
        if self.sigma == 0:
            return maps, np.ones((self.n_maps, len(self.counts)))
        return maps, self.sigma * np.cumsum(innovations.reshape(self.n_maps, -1), axis=1)

    def slopes(self, point: FloatArray, time: int, per_reward: FloatArray) -> FloatArray:
        """(k, M·S + M·T) gradients of k functions of the reward r_t (k, S) with respect to maps and weights."""
        maps, weights = self.unpack(point)
        per_map = weights[None, :, time, None] * per_reward[:, None]
        if self.sigma == 0:
            return per_map.reshape(len(per_reward), -1)
        per_weight = np.zeros((len(per_reward), *weights.shape))
        per_weight[:, :, time] = per_reward @ maps.T
        return np.concatenate([part.reshape(len(per_reward), -1) for part in (per_map, per_weight)], axis=1)

    @property
    def _map_scale(self) -> float:
        return float(np.sqrt(2.0 * self.penalty)) if self.penalty > 0 else 1.0

    def _prior_slope(self, point: FloatArray) -> FloatArray:
        """The gradient of the log-prior: −point, or 0 for maps without a penalty."""
        slope = -point
        if self.penalty == 0:
            slope[: self.n_maps * self.counts.shape[1]] = 0.0
        return slope

    def _per_innovation(self, per_weight: FloatArray) -> FloatArray:
        """An innovation moves its own weight and all later ones."""
        if self.sigma == 0:
            return np.empty(0)
        return self.sigma * np.cumsum(per_weight[:, ::-1], axis=1)[:, ::-1]
