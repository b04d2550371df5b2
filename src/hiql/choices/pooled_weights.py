"""Choices linear in the inputs, with weights that differ: between animals, states, or contexts of any kind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.choices.choice import Evidence
from hiql.choices.linear import LinearChoice, LinearWeights, Read, check_sums
from hiql.data.codes import label_text
from hiql.data.trajectories import Trajectories
from hiql.dynamics.contexts import check_context, context_named
from hiql.errors import InvalidParameter
from hiql.parts.around import Around
from hiql.parts.inputs import in_users_units
from hiql.parts.part import IN_COMMON, FloatArray
from hiql.parts.reads import LAST_ACTION, LAST_OUTCOME, STATE_LEFT, SUBJECT
from hiql.parts.registry import register
from hiql.parts.regression import Moments, free, symmetric
from hiql.parts.ridge import BEFORE_LEARNING, learned_precision, taught
from hiql.parts.rows import Sessions, StepRows

OF_THE_STEP_BEFORE = STATE_LEFT, LAST_ACTION, LAST_OUTCOME


@register
@dataclass(frozen=True, eq=False)
class PooledLinear(LinearWeights):
    """``weights`` (K, A, D + 1) in common; ``own`` (K, G, A, D + 1) of each group, and how strongly these are held to
    the common ones, ``own_precision`` (K, D + 1). What is in common ``stays`` as it is, or not: (K,), 1 or 0."""

    own: FloatArray
    own_precision: FloatArray
    stays: FloatArray


@dataclass(frozen=True, eq=False)
class GroupedSteps(StepRows):
    """Steps, and the group that each reads, (N,)."""

    groups: npt.NDArray[np.uint32] = field(kw_only=True)


@register
@dataclass(frozen=True, eq=False)
class PooledWeights(LinearChoice):
    """W of a group ~ Normal(M, 1/λ): each group has weights of its own around the common ones, M.

    How much groups differ is learned, for each input and the bias. A group never met has the common weights.

    Parameters
    ----------
    by : "subject", "state entered", another name that :class:`hiql.dynamics.ByState` knows, or that of one of the
        data's contexts
    """

    by: str = SUBJECT

    @property
    def pooled(self) -> bool:
        return True

    def check(self, data: Trajectories, n_intentions: int) -> None:
        super().check(data, n_intentions)
        check_context(self.by, self._coding(data))

    def n_groups(self, data: Trajectories) -> int:
        return len(context_named(self.by).labels(self._coding(data)))

    def labels(self) -> list[str]:
        """What the groups are called; nothing is known before a fit."""
        labels = () if self.coding is None else context_named(self.by).labels(self.coding)
        return [label_text(label) for label in labels]

    # --- what the smoother reads -------------------------------------------------------------------------------

    def groups(self, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.uint32]:
        n_groups, codes = self.n_groups(data), context_named(self.by).codes(self._coding(data), data)[steps]
        known = (codes >= 0) & (codes < n_groups)
        if self.by in OF_THE_STEP_BEFORE:
            known &= data.time[steps] > 0
        return np.where(known, codes, n_groups).astype(np.uint32)

    def bind(self, data: Trajectories) -> GroupedSteps:
        plain = super().bind(data)
        groups = self.groups(data, np.arange(data.n_steps))
        return GroupedSteps(plain.size, plain.between, data=data, kept=plain.kept, groups=groups)

    def _chunk(self, rows: Any, sessions: Sessions) -> Read:
        here = rows.slice(sessions)
        return self._regressors(rows, sessions), rows.groups[here], rows.data.seen_actions(here)

    def by_group(self, params: Any) -> FloatArray:
        return np.concatenate([np.swapaxes(params.own, 0, 1), params.weights[None]])

    # --- fitting -----------------------------------------------------------------------------------------------

    def _around(self, params: Any) -> Around:
        held = np.broadcast_to(self._held(params), params.precision.shape)[0]
        own, stays = np.swapaxes(params.own, 0, 1), float(params.stays[0])
        return Around(own, params.weights, params.own_precision[0], held, stays)

    def update(self, params: Any, evidence: Evidence) -> PooledLinear:
        found = self.found(params, evidence.counts)
        better = self._around(params).better(found)
        lapse = self.lapses(params, evidence.counts, found)
        return replace(params, weights=better.common, own=np.swapaxes(better.own, 0, 1), lapse=lapse)

    def log_prior(self, params: Any) -> float:
        """Of the weights in common, and of the others around them."""
        around = self._around(params)
        alone = around._replace(own=around.own[:0])
        return super().log_prior(params) + around.log_prior - alone.log_prior

    def lapses(self, params: Any, statistics: FloatArray, found: Moments) -> FloatArray:
        """In common, too."""
        return np.asarray(params.lapse if params.stays[0] else super().lapses(params, statistics, found))

    def gradient(self, params: Any, statistics: FloatArray) -> FloatArray:
        """0 of what stays as it is."""
        found, common = self.found(params, statistics), 1.0 - float(params.stays[0])
        *own, shared = self._around(params).slopes(found)
        lapse = common * self._slope_of_lapses(params, statistics, found)
        return np.r_[shared.ravel(), np.swapaxes(own, 0, 1).ravel(), lapse]

    def blocks(self, params: Any, data: Trajectories) -> npt.NDArray[np.intp] | None:
        """Groups, where no session has steps of two of them."""
        rows = self.bind(data)
        pairs = np.unique(data.session_of_step * np.int64(self.n_groups(data) + 1) + rows.groups)
        if len(pairs) > data.n_sessions:
            return None
        k, n_groups, n_outcomes, n_features = params.own.shape
        size = (n_outcomes - 1) * n_features
        own = np.tile(np.repeat(np.arange(n_groups), size), k)
        return np.r_[np.full(k * size, IN_COMMON), own, np.full(k, IN_COMMON)]

    def for_others(self, params: Any, data: Trajectories) -> PooledLinear:
        """Parameters for the groups of these data, around the same weights in common, which stay."""
        own = np.repeat(params.weights[:, None], self.n_groups(data), axis=1)
        return replace(params, own=own, stays=np.ones(len(own)))

    def learned(self, params: Any, statistics: FloatArray, data: Trajectories) -> PooledLinear:  # noqa: ARG002
        around, found, n_outcomes = self._around(params), self.found(params, statistics), params.weights.shape[1]
        own, common = around.precision, around.common_precision
        if len(around.own):
            own = learned_precision(around.away, found.curvature[:-1], own)
        if isinstance(self.ridge, str):
            of_what = np.tile(np.arange(len(common)), n_outcomes - 1)
            common = taught(free(around.common), around.told(found), of_what, common)
            common[-1] = around.common_precision[-1]
        if np.array_equal(own, around.precision) and np.array_equal(common, around.common_precision):
            return params
        k = len(params.weights)
        return replace(params, precision=np.tile(common, (k, 1)), own_precision=np.tile(own, (k, 1)))

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> PooledLinear:
        """All groups alike: so they have the same intentions, by the same numbers."""
        plain = super().start(data, n_intentions, rng)
        own = np.repeat(plain.weights[:, None], self.n_groups(data), axis=1)
        held = np.full(plain.precision.shape, BEFORE_LEARNING)
        return PooledLinear(plain.weights, plain.precision, plain.lapse, own, held, np.zeros(n_intentions))

    # --- what search, simulation and model files ask -------------------------------------------------------------

    def deal(self, params: Any, rng: np.random.Generator) -> PooledLinear:
        """Input by input, for all groups alike."""
        k, _, n_features = params.weights.shape
        order = rng.permuted(np.tile(np.arange(k)[:, None], n_features), axis=0)
        weights = np.take_along_axis(params.weights, order[:, None, :], axis=0)
        return replace(params, weights=weights, own=np.take_along_axis(params.own, order[:, None, None, :], axis=0))

    def vector(self, params: Any) -> FloatArray:
        plain = super().vector(params)
        k = len(params.weights)
        return np.r_[plain[:-k], free(params.own).ravel(), plain[-k:]]

    def from_vector(self, vector: FloatArray, like: Any) -> PooledLinear:
        k, n_groups, n_outcomes, n_features = like.own.shape
        n_own = k * n_groups * (n_outcomes - 1) * n_features
        first = len(vector) - k - n_own
        plain: Any = super().from_vector(np.delete(vector, np.s_[first : first + n_own]), like)
        rows = vector[first : first + n_own].reshape(k, n_groups, (n_outcomes - 1) * n_features)
        return replace(plain, own=symmetric(rows, n_outcomes))

    def summary(self, params: Any) -> dict[str, FloatArray]:
        """``weights`` are the common ones; ``weights_by_group`` (K, G, A, D + 1) those of the groups, in their order;
        ``weights_spread`` (D + 1,) how much groups differ: the deviation of weights of standardised inputs."""
        own = in_users_units(params.own, self.inputs, self.coding)
        return super().summary(params) | {
            "weights_by_group": own,
            "weights_spread": 1.0 / np.sqrt(params.own_precision[0]),
        }

    def check_params(self, params: Any, data: Trajectories, n_intentions: int) -> None:
        super().check_params(params, data, n_intentions)
        check_sums(params.own)
        if (params.own_precision < 0).any():
            raise InvalidParameter(parameter="own_precision", value="below 0", remedy="give numbers ≥ 0")
        if not np.isin(params.stays, (0.0, 1.0)).all() or np.ptp(params.stays):
            raise InvalidParameter(parameter="stays", value=params.stays, remedy="give 0 for all intentions, or 1")
