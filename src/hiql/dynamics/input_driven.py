r"""Switching driven by inputs: a regression for each intention says which one comes next.

.. math:: p(z_t = j \mid z_{t-1} = i, u_t) = \mathrm{softmax}_j(B_{ij} + (W u_t)_j)

Inputs are standardised inside. Every step has a matrix of its own, computed chunk by chunk; the M-step is a damped step
of Newton's on expected moves (:mod:`hiql.parts.tied`), and the ridge is learned (:mod:`hiql.parts.ridge`). With B = 0
it is the gate of PRISM; an input-output HMM (Bengio & Frasconi 1995) has weights by intention.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax

from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import ChainCounts, SomeOfBoth, Timeline, shares_told
from hiql.dynamics.dense import Chain
from hiql.dynamics.markov import MarkovChain
from hiql.errors import InvalidParameter
from hiql.kernels.regression import shares
from hiql.parts import averaged
from hiql.parts.dirichlet import log_dirichlet_draw
from hiql.parts.input_doubts import told_inputs
from hiql.parts.inputs import Names, check_inputs, chosen, in_users_units, reading, regressors_of
from hiql.parts.log_probabilities import LOWEST, check_positive, check_tables, log_dirichlet, rows_of
from hiql.parts.newton_walk import Terrain, newton_walk
from hiql.parts.part import FloatArray, Order
from hiql.parts.path import Path
from hiql.parts.registry import register
from hiql.parts.regression import Moments, known, limits, moments
from hiql.parts.ridge import check_ridge, given_precision, taught
from hiql.parts.rows import Rows, Sessions
from hiql.parts.tied import Tie, damped_together
from hiql.priors.counted import ModeOrPosterior
from hiql.priors.estimates import BAYES, MODE, concentration, evidence_of_rows, log_rows, times_log

APART = 0.1
"""Random starts have weights of this standard deviation."""
BIAS, WEIGHTS, NOTHING = "bias", "weights", "nothing"
ORIGINS = BIAS, WEIGHTS, NOTHING


@register
@dataclass(frozen=True, eq=False)
class DrivenChain:
    """log Π (1, K); ``weights`` (K, K, D + 1), from and to, of standardised inputs, bias last; their ``precision``
    (D + 1,); and how often each intention followed each, ``moves`` (K, K)."""

    log_initial: FloatArray
    weights: FloatArray
    precision: FloatArray
    moves: FloatArray


@dataclass(frozen=True, eq=False)
class AveragedChain(DrivenChain):
    """A posterior: the weights are its means, and ``covariance`` (n, n) is that of the n numbers behind them
    (:class:`~hiql.parts.tied.Tie`)."""

    covariance: FloatArray


class Driven(NamedTuple):
    """What the moves of some steps tell: ``initial`` (1, K), ``moves`` (K, K), and then the regressions' moments."""

    initial: FloatArray
    moves: FloatArray
    weight: FloatArray
    slopes: FloatArray
    spread: FloatArray
    curvature: FloatArray
    reach: FloatArray

    @property
    def moments(self) -> Moments:
        return Moments(*self[2:])


@register
@dataclass(frozen=True, repr=False)
class InputDriven(ModeOrPosterior):
    """z_t ~ softmax(B[z_{t−1}] + W u_t), u_t being what is known before the action of step t.

    Parameters
    ----------
    inputs : the names of the inputs that drive switching; None: all
    origin : what depends on the intention that is left: "bias" (B; W is shared), "weights" (B and W), or "nothing"
        (B is 0: only the inputs tell what comes next)
    ridge : "learned" for each input, or the precision λ of the weights of standardised inputs: a number, or one for
        each input (D,)
    bias_ridge : the precision of B, which is not learned
    pseudo_count : of how sessions begin, as in :class:`MarkovChain`
    estimate : "mode" or "bayes"; models say it for their parts
    """

    inputs: Names = None
    origin: str = BIAS
    ridge: str | float | FloatArray = "learned"
    bias_ridge: float = 0.01
    pseudo_count: float = 0.1
    estimate: str = field(default=MODE, repr=False, kw_only=True)
    coding: Coding | None = field(default=None, repr=False, kw_only=True)

    def __repr__(self) -> str:
        """Without what is as by default."""
        given = {f.name: (getattr(self, f.name), f.default) for f in fields(self) if f.repr}
        told = (f"{name}={value!r}" for name, (value, plain) in given.items() if repr(value) != repr(plain))
        return f"InputDriven({', '.join(told)})"

    @property
    def exact(self) -> bool:
        return True

    def knowing(self, coding: Coding) -> InputDriven:
        return replace(self, coding=coding) if self.coding is None else self

    def _coding(self, data: Trajectories) -> Coding:
        return Coding.of(data) if self.coding is None else self.coding

    def check(self, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        coding = self._coding(data)
        check_inputs(self.inputs, coding)
        if self.origin not in ORIGINS:
            remedy = f"choose from {', '.join(map(repr, ORIGINS))}"
            raise InvalidParameter(parameter="origin", value=self.origin, remedy=remedy)
        check_ridge(self.ridge, self.bias_ridge, len(chosen(self.inputs, coding)))
        MarkovChain(self.pseudo_count)

    def estimating(self, estimate: str) -> InputDriven:
        if estimate == BAYES and self.bias_ridge == 0:
            remedy = "a posterior of B needs a precision > 0; or choose estimate='mode'"
            raise InvalidParameter(parameter="bias_ridge", value=self.bias_ridge, remedy=remedy)
        return super().estimating(estimate)

    def _tie(self, weights: FloatArray) -> Tie:
        """Which weights (K, K, F) are the same number whatever intention is left."""
        k, _, n_features = weights.shape
        shared = np.tile(np.arange(n_features), (k, 1))
        if self.origin == WEIGHTS:
            return Tie(shared + n_features * np.arange(k)[:, None])
        if self.origin == BIAS:
            shared[:, -1] += np.arange(k)
        return Tie(shared)

    # --- what the smoother reads -------------------------------------------------------------------------------

    def bind(self, data: Trajectories) -> Timeline:
        moves = reading(self.inputs, self._coding(data), data)
        return Timeline(Rows.only(np.arange(data.n_sessions + 1)), moves)

    def _read(self, moves: Any, sessions: Sessions) -> FloatArray:
        """(n, F) the inputs of these sessions."""
        return regressors_of(moves, self.inputs, self._coding(moves.data), sessions)

    def chain(self, params: DrivenChain, timeline: Timeline) -> Callable[[Sessions], Chain]:
        initial = np.exp(params.log_initial)
        phases, unsure = np.arange(initial.shape[-1]), self._unsure(params)

        def of(sessions: Sessions) -> Chain:
            begins, moves = (rows.chunk(sessions).numbers for rows in timeline)
            inputs = self._read(timeline.moves, sessions)
            bank = np.empty((len(inputs), len(phases), len(phases)))
            shares(inputs, params.weights[None], unsure[None], bank)
            return Chain(initial, begins, bank, moves, phases)

        return of

    def _unsure(self, params: DrivenChain) -> FloatArray:
        """(K, K(K − 1)/2, T) how unsure the weights are."""
        tie, n_outcomes = self._tie(params.weights), params.weights.shape[1]
        belief, _ = self._belief(params, tie)
        if not belief.is_wide:
            return known(params.weights)
        return averaged.unsure(tie.apart(belief.covariance[0], n_outcomes), n_outcomes)

    def statistics(self, params: DrivenChain, timeline: Timeline, sessions: Sessions, counts: ChainCounts) -> Driven:
        inputs, moves = self._read(timeline.moves, sessions), counts.transitions
        groups, left = np.zeros(len(inputs), dtype=np.uint32), moves.sum(axis=2)
        targets = np.einsum("tij,tf->ijf", moves, inputs, optimize=True)[None]
        found = moments(inputs, groups, left, params.weights[None], targets, self._unsure(params)[None])
        return Driven(counts.initial, moves.sum(axis=0), *found)

    def add_up(self, statistics: Sequence[tuple[Driven, SomeOfBoth]]) -> Driven:
        first, *others = [part for part, _ in statistics]
        return Driven(*(sum(rest, start) for start, *rest in zip(first, *others, strict=True)))

    # --- fitting -----------------------------------------------------------------------------------------------

    def _held(self, params: DrivenChain, tie: Tie) -> FloatArray:
        """(size,) the precision of each number."""
        own = (
            params.precision
            if isinstance(self.ridge, str)
            else given_precision(self.ridge, self.bias_ridge, params.weights.shape[-1])
        )
        return np.asarray(own)[tie.features]

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> DrivenChain:
        """A Markov chain's, and small weights."""
        chain = MarkovChain(self.pseudo_count).start(data, n_intentions, rng)
        bias = chain.log_transition[0] - chain.log_transition[0].mean(axis=1, keepdims=True)
        n_features = len(chosen(self.inputs, self._coding(data))) + 1
        weights = rng.normal(scale=APART, size=(n_intentions, n_intentions, n_features))
        weights[..., -1] = bias if self.origin != NOTHING else 0.0
        tie = self._tie(weights)
        kept = tie.weights(tie.numbers(weights))
        precision = given_precision(self.ridge, self.bias_ridge, n_features)
        driven = DrivenChain(chain.log_initial, kept, precision, np.zeros(bias.shape))
        return self._wide(driven, APART**2 * np.eye(tie.size * (n_intentions - 1))) if self.is_posterior else driven

    def _wide(self, params: DrivenChain, covariance: FloatArray) -> AveragedChain:
        return AveragedChain(params.log_initial, params.weights, params.precision, params.moves, covariance)

    def update(self, params: DrivenChain, evidence: Driven) -> DrivenChain:
        tie = self._tie(params.weights)
        log_initial = log_rows(self.estimate, evidence.initial + self.pseudo_count)
        if self.is_posterior and params.weights.shape[1] > 1:
            weights, covariance = self._averaged(params, evidence.moments, tie)
            return self._wide(DrivenChain(log_initial, weights, params.precision, evidence.moves), covariance)
        weights = damped_together(params.weights, evidence.moments, self._held(params, tie), tie)
        return DrivenChain(log_initial, weights, params.precision, evidence.moves)

    def _averaged(self, params: DrivenChain, found: Moments, tie: Tie) -> tuple[FloatArray, FloatArray]:
        """Means and covariance of a Normal posterior with a higher bound of the evidence."""
        n_outcomes, (belief, held) = params.weights.shape[1], self._belief(params, tie)

        def weights(numbers: FloatArray) -> FloatArray:
            return tie.weights(numbers.reshape(n_outcomes - 1, tie.size))

        def along(change: FloatArray) -> tuple[FloatArray, FloatArray]:
            bound, c = limits(weights(change)[None], found)
            return bound.sum(axis=1), c.max(axis=1)

        slopes = tie.sums(found.slopes[0]).reshape(1, -1) - held * belief.mean
        bent = tie.hessian(found.curvature[0], n_outcomes)[None]
        mean, covariance = averaged.better(belief, slopes, bent, held, along)
        return weights(mean), covariance[0]

    def _belief(self, params: DrivenChain, tie: Tie) -> tuple[averaged.Belief, FloatArray]:
        """The posterior of the numbers behind the weights, and the precision of its prior (1, n)."""
        numbers = tie.numbers(params.weights)
        held = np.tile(np.broadcast_to(self._held(params, tie), tie.size), len(numbers))
        covariance = params.covariance if isinstance(params, AveragedChain) else np.empty((0, 0))
        return averaged.Belief(numbers.reshape(1, -1), covariance[None]), held[None]

    def worth(self, params: DrivenChain, statistics: Driven) -> float:
        """The log-prior; or, of beginnings, log B(n + c) − log B(c) − n · log θ, less the divergence of the weights."""
        if not self.is_posterior:
            return self.log_prior(params)
        begins = statistics.initial, self.pseudo_count
        rows = evidence_of_rows(*begins) - times_log(statistics.initial, params.log_initial)
        return rows - averaged.divergence(*self._belief(params, self._tie(params.weights)))

    def log_prior(self, params: DrivenChain) -> float:
        tie = self._tie(params.weights)
        ridge = 0.5 * float((self._held(params, tie) * tie.numbers(params.weights) ** 2).sum())
        return log_dirichlet(self.pseudo_count, params.log_initial) - ridge

    def conjugate(self, params: DrivenChain) -> None:  # noqa: ARG002
        return None

    def learned(self, params: DrivenChain, statistics: Driven, data: Trajectories) -> DrivenChain:  # noqa: ARG002
        n_outcomes = params.weights.shape[1]
        if not isinstance(self.ridge, str) or n_outcomes == 1:
            return params
        tie = self._tie(params.weights)
        bent = tie.hessian(statistics.moments.curvature[0], n_outcomes)
        of_what = np.tile(tie.features, n_outcomes - 1)
        new = taught(tie.numbers(params.weights).ravel(), bent, of_what, params.precision)
        new[-1] = params.precision[-1]
        if np.array_equal(new, params.precision):
            return params
        now = replace(params, precision=new)
        if not self.is_posterior:
            return now
        _, held = self._belief(now, tie)
        return self._wide(now, averaged.inverse(averaged.with_prior(bent[None], held))[0])

    def drawn(self, params: DrivenChain, path: Path, rng: np.random.Generator) -> DrivenChain:
        """Beginnings ~ Dirichlet(1 + pseudo-count + counts), and a step of :mod:`hiql.parts.newton_walk` for weights.

        Learned precisions are taken for true.
        """
        tie, told = self._tie(params.weights), path.told(self, params)
        log_initial = log_dirichlet_draw(concentration(self.estimate, self.pseudo_count) + told.initial, rng)
        now = replace(params, log_initial=log_initial, moves=told.moves)
        if params.weights.shape[1] == 1:
            return now

        def weighing(x: FloatArray) -> DrivenChain:
            return replace(now, weights=tie.weights(x.reshape(-1, tie.size)))

        walked = newton_walk(
            tie.numbers(params.weights).reshape(1, -1), lambda x: self._terrain(weighing(x), tie, path), rng
        )
        return weighing(walked)

    def _terrain(self, params: DrivenChain, tie: Tie, path: Path) -> Terrain:
        """What :func:`newton_walk` wants to know of log p(moves of the path | weights) + log p(weights)."""
        numbers, held = tie.numbers(params.weights), np.broadcast_to(self._held(params, tie), tie.size)
        found = path.told(self, params).moments
        slopes = (tie.sums(found.slopes[0]) - held * numbers).ravel()
        bent = tie.hessian(found.curvature[0], params.weights.shape[1]) + np.diag(np.tile(held, len(numbers)))
        log_density = -0.5 * float((held * numbers**2).sum())
        for each in path.used:
            inputs, (t, i, j) = self._read(path.index.moves, each.sessions), np.nonzero(each.counts.transitions)
            logits = np.einsum("nkf,nf->nk", params.weights[i], inputs[t])
            log_density += float(log_softmax(logits, axis=1)[np.arange(len(t)), j].sum())
        return Terrain(np.array([log_density]), slopes[None], bent[None])

    def gradient(self, params: DrivenChain, statistics: Driven) -> FloatArray:
        tie = self._tie(params.weights)
        slopes = tie.sums(statistics.moments.slopes[0])
        slopes -= self._held(params, tie) * tie.numbers(params.weights)
        raised = statistics.initial + self.pseudo_count
        return np.r_[(raised - raised.sum() * np.exp(params.log_initial)).ravel(), slopes.ravel()]

    # --- what search and model files ask -------------------------------------------------------------------------

    def vector(self, params: DrivenChain) -> FloatArray:
        numbers = self._tie(params.weights).numbers(params.weights)
        widths = averaged.numbers(self._belief(params, self._tie(params.weights))[0].covariance)
        return np.r_[np.maximum(params.log_initial, LOWEST).ravel(), widths, numbers.ravel()]

    def from_vector(self, vector: FloatArray, like: DrivenChain) -> DrivenChain:
        tie, n = self._tie(like.weights), like.log_initial.size
        log_initial = rows_of(vector[:n].reshape(like.log_initial.shape), posterior=self.is_posterior)
        covariance, rest = averaged.parted(vector[n:], self._belief(like, tie)[0].covariance.shape)
        now = DrivenChain(log_initial, tie.weights(rest.reshape(-1, tie.size)), like.precision, like.moves)
        return self._wide(now, covariance[0]) if covariance.size else now

    def permute(self, params: DrivenChain, order: Order) -> DrivenChain:
        weights, moves = params.weights[order][:, order], params.moves[order][:, order]
        now = replace(params, log_initial=params.log_initial[:, order], weights=weights, moves=moves)
        if not isinstance(params, AveragedChain):
            return now
        tie, (k, _, _) = self._tie(weights), weights.shape
        axes = np.eye(len(params.covariance)).reshape(-1, k - 1, tie.size)
        turned = np.array([tie.numbers(tie.weights(axis)[order][:, order]).ravel() for axis in axes])
        return self._wide(now, turned.T @ params.covariance @ turned)

    def n_free(self, counts: Driven) -> int:
        k = len(counts.moves)
        return shares_told(counts.initial) + (k - 1) * self._tie(counts.slopes[0]).size

    def summary(self, params: DrivenChain) -> dict[str, FloatArray]:
        """``transition`` (K, K) is the average over the data; ``switch_weights`` (K, K, D + 1), from and to, are in the
        units of the inputs ``switch_inputs`` (D,), the bias last, and sum to 0 over where they lead; ``switch_ridge``.
        """
        left = params.moves.sum(axis=1, keepdims=True)
        at_the_mean = np.exp(log_softmax(params.weights[..., -1], axis=1))
        names = () if self.coding is None else chosen(self.inputs, self.coding)
        return {
            "initial": np.exp(params.log_initial[0]),
            "transition": np.divide(params.moves, left, out=at_the_mean, where=left > 0),
            "switch_weights": in_users_units(params.weights, self.inputs, self.coding),
            "switch_inputs": np.array(names, dtype=object),
            "switch_ridge": params.precision[:-1],
        }

    def notes(self, params: DrivenChain, data: Trajectories) -> tuple[str, ...]:  # noqa: ARG002
        return told_inputs(self.inputs, self._coding(data), data)

    def check_params(self, params: DrivenChain, data: Trajectories, n_intentions: int) -> None:
        check_tables(params, DrivenChain, log_initial=(1, n_intentions))
        n_features = len(chosen(self.inputs, self._coding(data))) + 1
        check_positive(params, DrivenChain, precision=(n_features,), moves=(n_intentions, n_intentions))
        weights, shape = params.weights, (n_intentions, n_intentions, n_features)
        good = isinstance(weights, np.ndarray) and weights.dtype == np.float64 and weights.shape == shape
        if not good or not np.isfinite(weights).all():
            remedy = f"give finite numbers of shape {shape}"
            raise InvalidParameter(parameter="weights", value=np.shape(weights), remedy=remedy)
        tie = self._tie(weights)
        if not np.allclose(tie.weights(tie.numbers(weights)), weights, atol=1e-6 * (1.0 + np.abs(weights).max())):
            remedy = f"let them sum to 0 and be shared as origin={self.origin!r} says"
            raise InvalidParameter(parameter="weights", value="other sums", remedy=remedy)


InputDriven.counts_as = InputDriven
