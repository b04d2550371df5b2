r"""Choices planned for a reward of features, in a known world.

.. math:: r_i(s, a) = \theta_i \cdot \varphi(s, a), \qquad \pi_i = \mathrm{plan}(r_i), \qquad
          \theta_i \sim \mathrm{Normal}(0, 1/\text{ridge}) \cdot \mathrm{Laplace}(1/\text{lasso})

Or the reward is a small network of the features, and θ holds its weights (:mod:`hiql.choices.reward_network`).

The M-step climbs Σ n_i(s, a) log π_i(a|s) + log p(θ_i), with n_i the expected counts, by L-BFGS and the exact gradient
that planning gives (:mod:`hiql.worlds.planners`). It goes on from the last parameters and takes some steps only, so it
is generalised EM: it never falls. With one intention this is maximum causal entropy IRL (Ziebart 2010).

Here the reward comes first, and need not be found afterwards: ``reward_``, ``q_`` and ``value_`` of a fit are those
that were planned with. Features share what is learned between states, also with those that were never visited.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hiql.choices.by_policy import PolicyChoice, counted
from hiql.choices.choice import Evidence
from hiql.choices.identifiable import n_identifiable
from hiql.choices.reward_network import RewardNetwork
from hiql.choices.table import Policies
from hiql.data.sizes import check_sizes
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.parts.climbing import climb
from hiql.parts.part import FloatArray
from hiql.parts.registry import register
from hiql.worlds.mdp import MDP
from hiql.worlds.planners import PLANNERS
from hiql.worlds.soft_planning import SoftPlan, SoftPlanner

MOST_STEPS = 10
"""Steps of L-BFGS in one M-step."""
TOL = 1e-9
"""An M-step ends when a step gains less, relatively: the next pass goes on."""
LARGEST = 1e6
"""No coefficient is farther from 0: plans for larger rewards could not be told apart."""
MOST_UNITS = 1000
"""Hidden units of one layer."""
AROUND = ZERO, COMMON = "zero", "common"


@register
@dataclass(frozen=True, eq=False)
class Coefficients:
    """``coefficients`` (K, F): θ of each intention, or all weights of its network (K, P)."""

    coefficients: FloatArray


@register
@dataclass(frozen=True, eq=False)
class Planned(PolicyChoice):
    """Each intention plans for its own reward r_i = θ_i·φ in a known world; θ_i is learned, and the policy follows.

    Parameters
    ----------
    mdp : the world, with its discount
    features : φ, (S, F) or (S, A, F); without them every state has a reward of its own
    hidden : sizes of the hidden layers, of tanh units, of a network that makes the reward; without any it is linear
    planner : "soft" (maximum causal entropy), "boltzmann" (exp Q of the optimal Q) or "linearly-solvable"
        (:mod:`hiql.worlds.planners`)
    ridge, lasso : the prior −(ridge/2) Σ θ² − lasso Σ |θ|, in nats
    around : "zero", or "common": the ridge holds the θ of all intentions to a common one, which is learned, and held to
        zero as much as each is held to it
    """

    mdp: MDP = field(kw_only=True)
    features: FloatArray | None = field(default=None, kw_only=True)
    hidden: tuple[int, ...] = field(default=(), kw_only=True)
    planner: str = field(default="soft", kw_only=True)
    ridge: float = field(default=0.1, kw_only=True)
    lasso: float = field(default=0.0, kw_only=True)
    around: str = field(default=ZERO, kw_only=True)

    def __post_init__(self) -> None:
        check_planning(self.mdp, self.planner)
        if self.around not in AROUND:
            raise InvalidParameter(parameter="around", value=self.around, remedy=f"choose {ZERO!r} or {COMMON!r}")
        for name in ("ridge", "lasso"):
            value = getattr(self, name)
            if not (isinstance(value, int | float | np.number) and 0 <= value < np.inf):
                raise InvalidParameter(parameter=name, value=value, remedy="choose a number ≥ 0")
        if self.features is not None:
            object.__setattr__(self, "features", checked_features(self.features, self.mdp))
        object.__setattr__(self, "hidden", checked_layers(self.hidden))
        if self.hidden and self.around == COMMON:
            remedy = "networks have no common one, for their units have no order: choose 'zero', or no hidden layers"
            raise InvalidParameter(parameter="around", value=self.around, remedy=remedy)

    @property
    def world(self) -> MDP:
        return self.mdp

    @property
    def _planned_in(self) -> MDP:
        """The world as the animal sees it: its states may remember more than those of the data."""
        return self.mdp

    def _as_seen(self, data: Trajectories) -> Trajectories:
        """The data in the states of that world."""
        return data

    def check(self, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        check_sizes(data, self.mdp.n_states, self.mdp.n_actions)

    # --- planning ----------------------------------------------------------------------------------------------

    @cached_property
    def _planner(self) -> SoftPlanner:
        return PLANNERS[self.planner](self._planned_in)

    @cached_property
    def _network(self) -> RewardNetwork:
        """From (S, F) or (S·A, F)."""
        features = np.eye(self.mdp.n_states) if self.features is None else self.features
        return RewardNetwork(np.ascontiguousarray(features.reshape(-1, features.shape[-1])), self.hidden)

    @property
    def _by_state(self) -> bool:
        return len(self._network.features) == self._planned_in.n_states

    def reward(self, coefficients: FloatArray) -> FloatArray:
        """(n, S) or (n, S, A): r of each θ (n, P)."""
        flat = np.stack([self._network.reward(theta) for theta in coefficients])
        return flat if self._by_state else flat.reshape(-1, self.mdp.n_states, self.mdp.n_actions)

    def plan(self, params: Coefficients) -> SoftPlan:
        """The plans of all intentions, made one by one, so that none depends on another in its last digit."""
        plans = [self._planner.plan(self.reward(theta[None])) for theta in params.coefficients]
        return SoftPlan(*(np.concatenate(parts) for parts in zip(*plans, strict=True)))

    def policies(self, params: Coefficients) -> Policies:
        return Policies(self.plan(params).log_policy)

    # --- fitting -----------------------------------------------------------------------------------------------

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Coefficients:  # noqa: ARG002
        """Random rewards that differ from state to state by about one."""
        return Coefficients(self._network.drawn(n_intentions, rng))

    def update(self, params: Coefficients, evidence: Evidence) -> Coefficients:
        counts, centre = counted(evidence, self.mdp.n_actions), self._centre(params)
        pairs = zip(params.coefficients, counts, strict=True)
        return Coefficients(np.stack([self._climbed(theta, n[None], centre) for theta, n in pairs]))

    def _climbed(self, theta: FloatArray, counts: FloatArray, centre: FloatArray) -> FloatArray:
        """(F,) coefficients that explain counts (1, S, A) better; where nothing better was found, as they were."""
        value: list[FloatArray | None] = [None]

        def objective(at: FloatArray) -> tuple[float, FloatArray]:
            found = self._planner.likelihood(self.reward(at[None]), counts, value[0])
            value[0] = found.plan.value  # where planning for the next reward begins
            away = at - centre
            slope = self._network.slope(at, found.gradient.reshape(1, -1))[0] - self.ridge * away
            return found.total - self.ridge / 2 * float(away @ away), slope

        def apart(parts: FloatArray) -> tuple[float, FloatArray]:
            """θ = p − n with p, n ≥ 0: then the lasso, too, is smooth."""
            total, slope = objective(parts[: len(theta)] - parts[len(theta) :])
            return total - self.lasso * float(parts.sum()), np.r_[slope, -slope] - self.lasso

        if self.lasso == 0:
            best = climb(objective, theta, MOST_STEPS, TOL)
            found, before = best.point, objective(theta)[0]
        else:
            begin = np.r_[np.maximum(theta, 0.0), np.maximum(-theta, 0.0)]
            best = climb(apart, begin, MOST_STEPS, TOL, lowest=0.0)
            found, before = best.point[: len(theta)] - best.point[len(theta) :], apart(begin)[0]
        return np.clip(found, -LARGEST, LARGEST) if best.objective > before else theta

    def _centre(self, params: Coefficients) -> FloatArray:
        """(F,) what coefficients are held to: the mode of the common ones, or zero."""
        total = params.coefficients.sum(axis=0)
        return np.asarray(total / (len(params.coefficients) + 1) if self.around == COMMON else 0.0 * total)

    def log_prior(self, params: Coefficients) -> float:
        centre = self._centre(params)
        away = ((params.coefficients - centre) ** 2).sum() + (centre**2).sum()
        return -self.ridge / 2 * float(away) - self.lasso * float(np.abs(params.coefficients).sum())

    def from_vector(self, vector: FloatArray, like: Coefficients) -> Coefficients:
        return Coefficients(np.clip(vector, -LARGEST, LARGEST).reshape(like.coefficients.shape))

    # --- what a fitted model shows, and keeps ------------------------------------------------------------------

    def summary(self, params: Coefficients) -> dict[str, FloatArray]:
        """``coefficients`` (K, F); policies; ``reward`` and ``q`` (K, S, A), and ``value`` (K, S) as planned with."""
        plan, reward = self.plan(params), self.reward(params.coefficients)
        shape = plan.log_policy.shape
        shown = {"coefficients": params.coefficients, "log_policy": plan.log_policy, "policy": np.exp(plan.log_policy)}
        full = np.broadcast_to(reward[..., None] if reward.ndim == 2 else reward, shape).copy()
        return shown | {"reward": full, "q": self._planner.q(plan), "value": plan.value}

    def n_free(self, data: Trajectories, n_intentions: int) -> int:
        """In how many ways coefficients move the log-odds of actions that were seen, at random ones."""
        some = self.start(data, 1, np.random.default_rng(0))

        def slopes(_: int, gradients: FloatArray) -> FloatArray:
            flat = gradients.sum(axis=2) if self._by_state else gradients.reshape(len(gradients), -1)
            return self._network.slope(some.coefficients[0], flat)

        counts, size = np.asarray(self._as_seen(data).pair_counts, dtype=np.float64)[None], self._network.size
        return n_intentions * n_identifiable(self._planner, self.plan(some), counts, slopes, n_parameters=size)

    def check_params(self, params: Any, data: Trajectories, n_intentions: int) -> None:
        super().check_params(params, data, n_intentions)
        if np.abs(params.coefficients).max() > LARGEST:
            remedy = f"let none be farther from 0 than {LARGEST:g}"
            raise InvalidParameter(parameter="coefficients", value="too large", remedy=remedy)


def check_planning(mdp: Any, planner: Any) -> None:
    """Raise unless there is a world to plan in, and a planner of that name."""
    if not isinstance(mdp, MDP):
        remedy = "give an hiql.MDP or a world of hiql.worlds"
        raise InvalidParameter(parameter="mdp", value=type(mdp).__name__, remedy=remedy)
    if not isinstance(planner, str) or planner not in PLANNERS:
        remedy = f"choose from {', '.join(map(repr, PLANNERS))}"
        raise InvalidParameter(parameter="planner", value=planner, remedy=remedy)


def checked_layers(hidden: Any) -> tuple[int, ...]:
    """Sizes of layers as whole numbers, if there are not too many."""
    given = np.asarray(hidden)
    if given.ndim != 1 or (
        given.size and (given.dtype.kind not in "iu" or given.min() < 1 or given.max() > MOST_UNITS)
    ):
        remedy = f"give whole numbers from 1 to {MOST_UNITS}, one for each layer, or ()"
        raise InvalidParameter(parameter="hidden", value=hidden, remedy=remedy)
    return tuple(int(size) for size in given)


def checked_features(features: Any, mdp: MDP) -> FloatArray:
    """φ as float64, if its shape and its numbers are such that rewards can be made of it."""
    try:
        array = np.array(features, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    by_state, by_pair = (mdp.n_states,), (mdp.n_states, mdp.n_actions)
    if array.shape[:-1] not in (by_state, by_pair) or array.size == 0:
        raise ShapeMismatch(
            field="features",
            shape=array.shape,
            expected=f"({mdp.n_states}, F) or ({mdp.n_states}, {mdp.n_actions}, F)",
            remedy="give one row of features for each state, or for each state and action",
        )
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        remedy = "give finite numbers"
        raise InvalidParameter(parameter=f"features[{', '.join(map(str, where))}]", value=array[where], remedy=remedy)
    array.setflags(write=False)
    return array
