r"""Choices linear in the inputs: the regression of a GLM-HMM (Ashwood et al. 2022), for any number of actions.

.. math:: p(a_t \mid u_t, z_t = i) = (1 - \varepsilon_i)\,\mathrm{softmax}_a(W_i u_t) + \varepsilon_i / A

Inputs are standardised inside, as the data of the fit say, and the last of u_t is 1, for the bias.
:mod:`hiql.parts.regression` has the M-step and :mod:`hiql.parts.ridge` the prior.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, softmax

from hiql.choices.by_step import StepChoice
from hiql.choices.choice import Evidence, Taken
from hiql.data.blocks import BLOCK
from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.kernels.regression import log_likely
from hiql.parts import averaged
from hiql.parts.input_doubts import told_inputs
from hiql.parts.inputs import (
    Names,
    Steps,
    check_inputs,
    chosen,
    in_users_units,
    pieces,
    reading,
    regressors,
    regressors_of,
)
from hiql.parts.newton_walk import Terrain, newton_walk
from hiql.parts.part import FloatArray
from hiql.parts.path import Path
from hiql.parts.registry import register
from hiql.parts.regression import (
    Moments,
    by_intention,
    damped,
    free,
    hessian,
    known,
    limits,
    log_ridge,
    moments,
    of_actions,
    of_intentions,
    symmetric,
)
from hiql.parts.ridge import check_ridge, given_precision, learned_precision
from hiql.parts.rows import Sessions, Some, StepRows
from hiql.priors.counted import ModeOrPosterior
from hiql.priors.estimates import BAYES, MODE

LAPSES, NO_LAPSES = 1.0, 19.0
"""Pseudo-counts of steps with and without a lapse: a prior around 5 %."""
APART = 0.5
"""Random starts lie around the regression of all steps, with this standard deviation."""
ENOUGH = 5_000
"""Steps, evenly spread, for the regression that starts lie around."""
Read = tuple[FloatArray, npt.NDArray[np.uint32], npt.NDArray[np.int32]]
"""Of some steps: inputs (n, F), groups (n,), and actions (n,), −1 where nothing was observed."""


@register
@dataclass(frozen=True, eq=False)
class LinearWeights:
    """``weights`` (K, A, D + 1) of standardised inputs, bias last; their ``precision`` (K, D + 1); ``lapse`` (K,)."""

    weights: FloatArray
    precision: FloatArray
    lapse: FloatArray


@dataclass(frozen=True, eq=False)
class AveragedWeights(LinearWeights):
    """A posterior: the weights are its means, and ``covariance`` (K, n, n) is that of their n = (A − 1)(D + 1) free
    coordinates."""

    covariance: FloatArray


@register
@dataclass(frozen=True, eq=False)
class LinearChoice(ModeOrPosterior, StepChoice):
    """p(a) = softmax(W_i u): each intention weighs the inputs in its own way. The M-step is a damped step of Newton's,
    or a step to the Normal posterior of :mod:`hiql.parts.averaged`.

    Parameters
    ----------
    ridge : "learned", or the precision λ of the weights of standardised inputs: a number, or one for each input (D,).
        With K = 1 it is scikit-learn's 1/C, and 2/C with two actions. Learned: one for each input, alike for all
        intentions
    bias_ridge : the same for the bias, which is not learned; small, so that an intention may have a favourite
    lapse : whether each intention also does anything at all, now and then, at a rate that is learned
    inputs : the names of the inputs that choices depend on; None: all
    estimate : "mode" or "bayes", without lapses; models say it for their parts
    """

    ridge: str | float | FloatArray = "learned"
    bias_ridge: float = 0.01
    lapse: bool = False
    inputs: Names = None
    estimate: str = field(default=MODE, repr=False, kw_only=True)
    coding: Coding | None = field(default=None, repr=False, kw_only=True)

    def knowing(self, coding: Coding) -> Self:
        return replace(self, coding=coding) if self.coding is None else self

    def _coding(self, data: Trajectories) -> Coding:
        return Coding.of(data) if self.coding is None else self.coding

    def check(self, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        coding = self._coding(data)
        check_inputs(self.inputs, coding)
        if data.n_actions < 2:
            remedy = "give data with at least two actions"
            raise InvalidParameter(parameter="n_actions", value=data.n_actions, remedy=remedy)
        check_ridge(self.ridge, self.bias_ridge, len(chosen(self.inputs, coding)))

    def estimating(self, estimate: str) -> Self:
        unable = {"lapse": self.lapse, "bias_ridge": self.bias_ridge == 0}
        if estimate == BAYES and any(unable.values()):
            name = next(name for name, one in unable.items() if one)
            remedy = "regressions have posteriors with lapse=False and bias_ridge > 0 only; or choose estimate='mode'"
            raise InvalidParameter(parameter=name, value=getattr(self, name), remedy=remedy)
        return super().estimating(estimate)

    # --- what the smoother reads -------------------------------------------------------------------------------

    def by_group(self, params: Any) -> FloatArray:
        """(G, K, A, F) the weights that each group of steps reads; here there is one group."""
        return np.asarray(params.weights[None])

    def groups(self, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.uint32]:  # noqa: ARG002
        """(n,) the group that each of these steps belongs to."""
        return np.zeros(len(steps), dtype=np.uint32)

    def _unsure(self, params: Any) -> FloatArray:
        """(G, K, A(A − 1)/2, T) how unsure the weights are that each group reads."""
        weights = self.by_group(params)
        belief = self._belief(params)
        return averaged.unsure(belief.covariance, weights.shape[2])[None] if belief.is_wide else known(weights)

    def _inputs(self, data: Trajectories, steps: Steps) -> FloatArray:
        return regressors(self.inputs, self._coding(data), data, steps)

    def bind(self, data: Trajectories) -> StepRows:
        return reading(self.inputs, self._coding(data), data)

    def _chunk(self, rows: StepRows, sessions: Sessions) -> Read:
        here = rows.slice(sessions)
        groups = self.groups(rows.data, np.arange(here.start, here.stop))
        return self._regressors(rows, sessions), groups, rows.data.seen_actions(here)

    def _regressors(self, rows: StepRows, sessions: Sessions) -> FloatArray:
        return regressors_of(rows, self.inputs, self._coding(rows.data), sessions)

    def taken(self, params: Any, rows: StepRows) -> Callable[[Sessions], Taken]:
        def of(sessions: Sessions) -> Taken:
            parts = [self._log_taken(params, self._chunk(rows, piece)) for piece in pieces(rows, sessions)]
            log_p = np.concatenate(parts)
            top = log_p.max(axis=1, keepdims=True)
            here, log_scale = np.arange(len(log_p), dtype=np.uint32), float(top.sum())
            return Taken(np.exp(log_p - top), here, lambda: log_scale)

        return of

    def _log_taken(self, params: Any, read: Read) -> FloatArray:
        """(n, K) how likely what was done is under each intention; 0 where nothing was observed.

        The logarithm; or, for posteriors, a lower bound of its mean.
        """
        inputs, groups, done = read
        log_p = np.empty((len(inputs), len(params.lapse)))
        log_likely(inputs, groups, done, self.by_group(params), self._unsure(params), log_p)
        if not self.lapse:
            return log_p
        mixed = np.log((1 - params.lapse) * np.exp(log_p) + self._lapsed(params))
        return np.where(done[:, None] >= 0, mixed, 0.0)

    def _lapsed(self, params: Any) -> FloatArray:
        """(K,) the probability of a lapse and of any one action."""
        return np.asarray(params.lapse / params.weights.shape[-2])

    def statistics(self, params: Any, rows: StepRows, sessions: Sessions, counts: FloatArray) -> FloatArray:
        """(K, n): steps explained, and the moments of the regression from those that are no lapses."""
        start = rows.slice(sessions).start
        found = []
        for piece in pieces(rows, sessions):
            here = rows.slice(piece)
            of_these = counts[here.start - start : here.stop - start]
            found.append(self._statistics(params, self._chunk(rows, piece), of_these))
        return np.sum(found, axis=0)

    def _statistics(self, params: Any, read: Read, counts: FloatArray) -> FloatArray:
        inputs, groups, done = read
        explained = np.where(done[:, None] >= 0, counts, 0.0)
        meant = explained
        if self.lapse:
            meant = explained * (1.0 - self._lapsed(params) * np.exp(-self._log_taken(params, read)))
        weights = self.by_group(params)
        targets = of_actions(inputs, groups, done, meant, weights.shape)
        found = moments(inputs, groups, meant, weights, targets, self._unsure(params))
        return np.column_stack([explained.sum(axis=0), by_intention(found)])

    def add_up(self, statistics: Sequence[tuple[FloatArray, Some | None]]) -> FloatArray:
        first, *others = [part for part, _ in statistics]
        return sum(others, first)

    def use(self, statistics: FloatArray) -> FloatArray:
        return np.asarray(statistics[:, 0])

    # --- fitting -----------------------------------------------------------------------------------------------

    def found(self, params: Any, statistics: FloatArray) -> Moments:
        """What the regressions learn from the steps that are no lapses."""
        return of_intentions(statistics[:, 1:], self.by_group(params).shape)

    def _held(self, params: Any) -> FloatArray:
        """The precisions of the weights: learned ones are among the parameters."""
        learned, n_features = isinstance(self.ridge, str), params.weights.shape[-1]
        return np.asarray(params.precision) if learned else given_precision(self.ridge, self.bias_ridge, n_features)

    def update(self, params: Any, evidence: Evidence) -> LinearWeights:
        found = self.found(params, evidence.counts)
        if self.is_posterior:
            return self._averaged(params, found)
        weights = damped(params.weights[None], found, self._held(params))[0]
        return LinearWeights(weights, params.precision, self.lapses(params, evidence.counts, found))

    def _averaged(self, params: Any, found: Moments) -> AveragedWeights:
        """Normal posteriors with a higher bound of the evidence."""
        n_outcomes, belief, held = params.weights.shape[1], self._belief(params), self._free_precision(params)

        def along(change: FloatArray) -> tuple[FloatArray, FloatArray]:
            bound, c = limits(symmetric(change, n_outcomes)[None], found)
            return bound[0], c[0]

        slopes = free(found.slopes[0]) - held * belief.mean
        bent = hessian(found.curvature[0], n_outcomes)
        mean, covariance = averaged.better(belief, slopes, bent, held, along)
        return AveragedWeights(symmetric(mean, n_outcomes), params.precision, params.lapse, covariance)

    def _belief(self, params: Any) -> averaged.Belief:
        covariance = params.covariance if isinstance(params, AveragedWeights) else np.empty((len(params.weights), 0, 0))
        return averaged.Belief(free(params.weights), covariance)

    def _free_precision(self, params: Any) -> FloatArray:
        """(K, n) that of the free coordinates."""
        n_intentions, n_outcomes = params.weights.shape[:2]
        held = np.broadcast_to(self._held(params), params.precision.shape)
        return np.tile(held, n_outcomes - 1).reshape(n_intentions, -1)

    def worth(self, params: Any, statistics: FloatArray) -> float:
        """The log-prior; or minus the divergence of the posteriors from the prior."""
        if not self.is_posterior:
            return super().worth(params, statistics)
        return -averaged.divergence(self._belief(params), self._free_precision(params))

    def lapses(self, params: Any, statistics: FloatArray, found: Moments) -> FloatArray:
        """(K,) the rates of lapses that best explain these statistics."""
        if not self.lapse:
            return np.asarray(params.lapse)
        explained = self.use(statistics)
        return np.asarray((explained - found.weight.sum(axis=0) + LAPSES) / (explained + LAPSES + NO_LAPSES))

    def log_prior(self, params: Any) -> float:
        ridge = log_ridge(params.weights, self._held(params))
        if not self.lapse:
            return ridge
        return ridge + float((LAPSES * np.log(params.lapse) + NO_LAPSES * np.log1p(-params.lapse)).sum())

    def gradient(self, params: Any, statistics: FloatArray) -> FloatArray:
        found = self.found(params, statistics)
        slopes = free(found.slopes[0] - np.expand_dims(self._held(params), -2) * params.weights).ravel()
        return np.r_[slopes, self._slope_of_lapses(params, statistics, found)]

    def _slope_of_lapses(self, params: Any, statistics: FloatArray, found: Moments) -> FloatArray:
        """(K,) by their log-odds; 0 without lapses."""
        weight = found.weight.sum(axis=0)
        meant, lapsed = weight + NO_LAPSES, self.use(statistics) - weight + LAPSES
        return np.asarray(self.lapse * ((1.0 - params.lapse) * lapsed - params.lapse * meant))

    def learned(self, params: Any, statistics: FloatArray, data: Trajectories) -> LinearWeights:  # noqa: ARG002
        if not isinstance(self.ridge, str):
            return params
        before = params.precision[0]
        new = learned_precision(params.weights, self.found(params, statistics).curvature[0], before)
        new[-1] = before[-1]
        if np.array_equal(new, before):
            return params
        now = replace(params, precision=np.tile(new, (len(params.weights), 1)))
        return self._narrowed(now, self.found(params, statistics)) if self.is_posterior else now

    def _narrowed(self, params: Any, found: Moments) -> AveragedWeights:
        """With the widths that belong to these precisions: a climb from others would be long."""
        bent, held = hessian(found.curvature[0], params.weights.shape[1]), self._free_precision(params)
        covariance = averaged.inverse(averaged.with_prior(bent, held))
        return AveragedWeights(params.weights, params.precision, params.lapse, covariance)

    def drawn(self, params: Any, path: Path, rng: np.random.Generator) -> LinearWeights | None:
        """A step of :mod:`hiql.parts.newton_walk` for each intention; learned precisions are taken for true."""
        if type(self).update is not LinearChoice.update:
            return None

        def surveyed(x: FloatArray) -> Terrain:
            return self._terrain(self._of_rows(x, params), path)

        return self._of_rows(newton_walk(self._as_rows(params), surveyed, rng), params)

    def _as_rows(self, params: Any) -> FloatArray:
        """(K, n) weights without constraints, and the log-odds of a lapse where there are lapses."""
        vector = self.vector(params)
        n_intentions = len(params.weights)
        lapse = vector[-n_intentions:, None][:, : int(self.lapse)]
        return np.column_stack([vector[:-n_intentions].reshape(n_intentions, -1), lapse])

    def _of_rows(self, rows: FloatArray, like: Any) -> LinearWeights:
        n_weights = rows.shape[1] - int(self.lapse)
        lapse = rows[:, -1] if self.lapse else like.lapse
        return self.from_vector(np.r_[rows[:, :n_weights].ravel(), lapse], like)

    def _terrain(self, params: Any, path: Path) -> Terrain:
        """What :func:`newton_walk` wants to know of log p(actions on the path | params) + log p(params)."""
        statistics, held = path.told(self, params), self._held(params)
        found, n_actions = self.found(params, statistics), params.weights.shape[1]
        log_density = -0.5 * (np.expand_dims(held, -2) * params.weights**2).sum(axis=(1, 2))
        for each in path.used:
            log_density += (each.counts * self._log_taken(params, self._chunk(path.index, each.sessions))).sum(axis=0)
        slopes = free(found.slopes[0] - np.expand_dims(held, -2) * params.weights)
        ridge = np.broadcast_to(np.tile(held, n_actions - 1), slopes.shape)
        bent = hessian(found.curvature[0], n_actions) + ridge[..., None] * np.eye(slopes.shape[-1])
        if not self.lapse:
            return Terrain(log_density, slopes, bent)
        meant, explained = found.weight[0] + NO_LAPSES + 1.0, self.use(statistics) + LAPSES + NO_LAPSES + 2.0
        lapse = params.lapse  # with its density by log-odds: one more of each pseudo-count
        log_density += (LAPSES + 1.0) * np.log(lapse) + (NO_LAPSES + 1.0) * np.log1p(-lapse)
        slope, curvature = (1.0 - lapse) * (explained - meant) - lapse * meant, explained * lapse * (1.0 - lapse)
        whole = np.zeros((len(slopes), slopes.shape[1] + 1, slopes.shape[1] + 1))
        whole[:, :-1, :-1], whole[:, -1, -1] = bent, curvature
        return Terrain(log_density, np.column_stack([slopes, slope]), whole)

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> LinearWeights:
        """Around the regression of all steps, each intention elsewhere."""
        n_features = len(chosen(self.inputs, self._coding(data))) + 1
        precision = given_precision(self.ridge, self.bias_ridge, n_features)
        away = rng.normal(scale=APART, size=(n_intentions, data.n_actions, n_features))
        of_all, bent = self._of_all(data, precision)
        weights = of_all + away - away.mean(axis=1, keepdims=True)
        lapse = np.full(n_intentions, LAPSES / (LAPSES + NO_LAPSES) if self.lapse else 0.0)
        held = np.tile(precision, (n_intentions, 1))
        if not self.is_posterior:
            return LinearWeights(weights, held, lapse)
        unsure = averaged.inverse(bent / n_intentions + np.diag(np.tile(precision, data.n_actions - 1)))
        return AveragedWeights(weights, held, lapse, np.tile(unsure, (n_intentions, 1, 1)))

    def _of_all(self, data: Trajectories, precision: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(A, F) one regression of steps spread over the data, and minus the Hessian there (n, n)."""
        apart = max(1, data.n_steps // ENOUGH)
        block = apart * max(1, BLOCK // apart)
        spread = [slice(i, i + block, apart) for i in range(0, data.n_steps, block)]
        inputs = np.concatenate([self._inputs(data, some) for some in spread])
        done = np.concatenate([data.seen_actions(some) for some in spread])
        groups, counts = np.zeros(len(done), dtype=np.uint32), (done >= 0).astype(np.float64)[:, None]
        weights = np.zeros((1, 1, data.n_actions, inputs.shape[1]))
        targets = of_actions(inputs, groups, done, counts, weights.shape)
        for _ in range(8):
            found = moments(inputs, groups, counts, weights, targets)
            weights = damped(weights, found, precision)
        return np.asarray(weights[0, 0]), hessian(found.curvature[0, 0], data.n_actions)

    # --- what search, simulation and model files ask -------------------------------------------------------------

    def deal(self, params: Any, rng: np.random.Generator) -> LinearWeights:
        """Input by input."""
        order = rng.permuted(np.tile(np.arange(len(params.weights))[:, None], params.weights.shape[-1]), axis=0)
        return replace(params, weights=np.take_along_axis(params.weights, order[:, None, :], axis=0))

    def vector(self, params: Any) -> FloatArray:
        lapse = logit(np.clip(params.lapse, 1e-9, 1 - 1e-9)) if self.lapse else params.lapse
        return np.r_[averaged.numbers(self._belief(params).covariance), free(params.weights).ravel(), lapse]

    def from_vector(self, vector: FloatArray, like: Any) -> LinearWeights:
        n_intentions, n_actions = like.weights.shape[:2]
        covariance, rest = averaged.parted(vector, self._belief(like).covariance.shape)
        weights = symmetric(rest[:-n_intentions].reshape(n_intentions, -1), n_actions)
        lapse = expit(np.clip(rest[-n_intentions:], -20, 20)) if self.lapse else like.lapse
        now = replace(like, weights=weights, lapse=lapse)
        return replace(now, covariance=covariance) if covariance.size else now

    def proba(self, params: Any, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> FloatArray:
        inputs, groups, weights = self._inputs(data, steps), self.groups(data, steps), self.by_group(params)
        logits = np.empty((len(steps), *weights.shape[1:3]))
        for group in np.unique(groups):
            here = groups == group
            logits[here] = np.einsum("kaf,nf->nka", weights[group], inputs[here])
        return np.asarray((1 - params.lapse[:, None]) * softmax(logits, axis=-1) + self._lapsed(params)[:, None])

    def n_free(self, data: Trajectories, n_intentions: int) -> int:
        n_features = len(chosen(self.inputs, self._coding(data))) + 1
        return int(n_intentions * ((data.n_actions - 1) * n_features + self.lapse))

    def summary(self, params: Any) -> dict[str, FloatArray]:
        """``weights`` (K, A, D + 1) in the units of the ``inputs`` (D,), bias last; ``ridge`` (D,); ``lapse`` (K,)."""
        weights = in_users_units(params.weights, self.inputs, self.coding)
        names = () if self.coding is None else chosen(self.inputs, self.coding)
        shown = {"weights": weights, "inputs": np.array(names, dtype=object), "ridge": params.precision[0, :-1]}
        return shown | ({"lapse": params.lapse} if self.lapse else {})

    def notes(self, params: Any, data: Trajectories) -> tuple[str, ...]:  # noqa: ARG002
        return told_inputs(self.inputs, self._coding(data), data)

    def check_params(self, params: Any, data: Trajectories, n_intentions: int) -> None:
        super(LinearChoice, self.estimating(MODE)).check_params(params, data, n_intentions)
        check_sums(params.weights)
        if (params.precision < 0).any() or (params.lapse < 0).any() or (params.lapse > 1).any():
            remedy = "give precisions ≥ 0 and lapses between 0 and 1"
            raise InvalidParameter(parameter="precision, lapse", value="out of range", remedy=remedy)


LinearChoice.counts_as = LinearChoice


def check_sums(weights: FloatArray) -> None:
    """Raise unless weights (…, A, F) sum to 0 over actions."""
    if not np.allclose(weights.sum(axis=-2), 0.0, atol=1e-6 * (1.0 + np.abs(weights).max(initial=0.0))):
        raise InvalidParameter(parameter="weights", value="a sum over actions", remedy="let it be 0")
