"""Choices planned for a reward of the present state and the one before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.choices.planned import Coefficients, Planned
from hiql.choices.reward_network import RewardNetwork
from hiql.data.trajectories import Trajectories
from hiql.errors import ShapeMismatch
from hiql.parts.part import FloatArray
from hiql.parts.reads import Reads
from hiql.parts.registry import register
from hiql.worlds.mdp import MDP
from hiql.worlds.state_before import StateBefore


@register
@dataclass(frozen=True, eq=False)
class PlannedWithMemory(Planned):
    """Each intention plans for r_i(s_{t−1}, s_t), in the world of such pairs (SWIRL's S-2; Ke et al. 2025).

    The reward is that of the present state, θ_i·φ(s_t), and one of each move that the world allows, held to zero by the
    same ridge; where the state before is unknown, and in sessions' first steps, it is the first alone. Parameters are
    those of :class:`Planned`; ``features`` are of states, (S, F). Policies depend on two states, so they are no table
    of states that rewards could explain: ``pair_policy_`` (K, M, A) and ``pair_reward_`` (K, M) belong to the M pairs
    of ``pairs``.
    """

    by_table = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features is not None and self.features.ndim != 2:
            expected, remedy = f"({self.mdp.n_states}, F)", "give one row of features for each state"
            raise ShapeMismatch(field="features", shape=self.features.shape, expected=expected, remedy=remedy)

    @cached_property
    def pairs(self) -> StateBefore:
        return StateBefore(self.mdp)

    @property
    def _planned_in(self) -> MDP:
        return self.pairs.mdp

    def _as_seen(self, data: Trajectories) -> Trajectories:
        return self.pairs.seen(data)

    @cached_property
    def _network(self) -> RewardNetwork:
        n_states, now = self.mdp.n_states, self.pairs.now
        features = np.eye(n_states) if self.features is None else self.features
        moves = np.eye(len(now))[:, n_states:]
        return RewardNetwork(np.ascontiguousarray(np.hstack([features[now], moves])), self.hidden)

    @property
    def reads(self) -> Reads:
        return None

    def bind(self, data: Trajectories) -> Any:
        return super().bind(self._as_seen(data))

    def proba(self, params: Any, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> FloatArray:
        return super().proba(params, self._as_seen(data), steps)

    def summary(self, params: Coefficients) -> dict[str, FloatArray]:
        """``coefficients`` (K, F + moves); ``pair_policy`` (K, M, A) and ``pair_reward`` (K, M)."""
        policy, reward = np.exp(self.plan(params).log_policy), self.reward(params.coefficients)
        return {"coefficients": params.coefficients, "pair_policy": policy, "pair_reward": reward}
