"""Choices that head for a goal: the reward is one state, found by trying them all."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hiql.choices.by_policy import PolicyChoice, counted
from hiql.choices.choice import Evidence
from hiql.choices.planned import check_planning
from hiql.choices.table import Policies
from hiql.data.sizes import check_sizes
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.parts.part import FloatArray
from hiql.parts.registry import register
from hiql.worlds.mdp import MDP
from hiql.worlds.planners import PLANNERS
from hiql.worlds.soft_planning import SoftPlan, SoftPlanner


@register
@dataclass(frozen=True, eq=False)
class Aims:
    """``goal`` (K,): the state that each intention heads for, a whole number; ``sharpness`` (K,): what it is worth."""

    goal: FloatArray
    sharpness: FloatArray


@register
@dataclass(frozen=True, eq=False)
class Goals(PolicyChoice):
    """Each intention has a goal, a reward of β in one state, and plans for it in a known world (Michini & How 2012).

    The M-step takes the goal and the β of greatest likelihood, from all states and all β given: there is no gradient.

    Parameters
    ----------
    mdp : the world, with its discount
    sharpness : the β to choose from; the larger, the straighter is the way
    planner : "boltzmann" (exp Q of the optimal Q, as in the paper), "soft" or "linearly-solvable"
    """

    mdp: MDP = field(kw_only=True)
    sharpness: tuple[float, ...] = field(default=(1.0, 3.0, 10.0, 30.0), kw_only=True)
    planner: str = field(default="boltzmann", kw_only=True)

    def __post_init__(self) -> None:
        check_planning(self.mdp, self.planner)
        given = np.atleast_1d(np.asarray(self.sharpness, dtype=np.float64))
        if given.ndim != 1 or len(given) < 1 or not (np.isfinite(given).all() and (given > 0).all()):
            remedy = "give numbers > 0 to choose from"
            raise InvalidParameter(parameter="sharpness", value=self.sharpness, remedy=remedy)
        object.__setattr__(self, "sharpness", tuple(given.tolist()))

    @property
    def world(self) -> MDP:
        return self.mdp

    def check(self, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        check_sizes(data, self.mdp.n_states, self.mdp.n_actions)

    @cached_property
    def _planner(self) -> SoftPlanner:
        return PLANNERS[self.planner](self.mdp)

    @cached_property
    def _plans(self) -> SoftPlan:
        """Values (B·S, S) and log-policies (B·S, S, A) of every β and every goal, planned for one by one."""
        rewards = np.concatenate([beta * np.eye(self.mdp.n_states) for beta in self.sharpness])
        plans = [self._planner.plan(reward[None]) for reward in rewards]
        return SoftPlan(*(np.concatenate(parts) for parts in zip(*plans, strict=True)))

    def _numbers(self, params: Aims) -> Any:
        """(K,) the rows of ``_plans``."""
        step = np.searchsorted(np.sort(self.sharpness), params.sharpness)
        return np.argsort(self.sharpness)[step] * self.mdp.n_states + params.goal.astype(np.intp)

    def _aims(self, numbers: Any) -> Aims:
        beta, goal = np.divmod(np.asarray(numbers), self.mdp.n_states)
        return Aims(goal.astype(np.float64), np.array(self.sharpness)[beta])

    def policies(self, params: Aims) -> Policies:
        return Policies(self._plans.log_policy[self._numbers(params)])

    # --- fitting -----------------------------------------------------------------------------------------------

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Aims:
        """Goals drawn from all states, those that were visited often first; different ones, while there are any."""
        visits = np.asarray(data.pair_counts).sum(axis=1) + 1.0
        again = n_intentions > self.mdp.n_states
        goals = rng.choice(self.mdp.n_states, size=n_intentions, p=visits / visits.sum(), replace=again)
        return Aims(goals.astype(np.float64), np.full(n_intentions, self.sharpness[len(self.sharpness) // 2]))

    def update(self, params: Aims, evidence: Evidence) -> Aims:
        """The best of all, by Σ n_i(s, a) log π_g(a|s); of equals the one it has."""
        counts = counted(evidence, self.mdp.n_actions)
        likely = counts.reshape(len(counts), -1) @ self._plans.log_policy.reshape(len(self._plans.log_policy), -1).T
        now, each = self._numbers(params), np.arange(len(counts))
        best = likely.argmax(axis=1)
        return self._aims(np.where(likely[each, best] > likely[each, now], best, now))

    def vector(self, params: Aims) -> FloatArray:  # noqa: ARG002
        """Nothing: there is no way between two goals."""
        return np.zeros(0)

    def from_vector(self, vector: FloatArray, like: Aims) -> Aims:  # noqa: ARG002
        return like

    # --- what a fitted model shows, and keeps ------------------------------------------------------------------

    def summary(self, params: Aims) -> dict[str, FloatArray]:
        """``goal`` and ``sharpness`` (K,); policies; ``reward``, ``q`` (K, S, A) and ``value`` (K, S) planned with."""
        numbers = self._numbers(params)
        plan = SoftPlan(self._plans.value[numbers], self._plans.log_policy[numbers])
        there = np.arange(self.mdp.n_states) == params.goal[:, None]
        reward = np.repeat((there * params.sharpness[:, None])[..., None], self.mdp.n_actions, axis=-1)
        planned = {"reward": reward, "q": self._planner.q(plan), "value": plan.value}
        return super().summary(params) | planned

    def n_free(self, data: Trajectories, n_intentions: int) -> int:  # noqa: ARG002
        """A goal for each intention, and a β if there is more than one to choose from."""
        return n_intentions * (1 + (len(self.sharpness) > 1))

    def check_params(self, params: Any, data: Trajectories, n_intentions: int) -> None:
        super().check_params(params, data, n_intentions)
        known = np.isin(params.sharpness, self.sharpness).all()
        if not (known and np.isin(params.goal, np.arange(self.mdp.n_states)).all()):
            remedy = f"give goals in 0…{self.mdp.n_states - 1}, and β of {self.sharpness}"
            raise InvalidParameter(parameter="goal, sharpness", value="out of range", remedy=remedy)
