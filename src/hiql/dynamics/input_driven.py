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
from hiql.kernels.log_tables import log_shares
from hiql.kernels.regression import shares
from hiql.parts.dirichlet import log_dirichlet_draw
from hiql.parts.input_doubts import told_inputs
from hiql.parts.inputs import Names, check_inputs, chosen, in_users_units, reading, regressors_of
from hiql.parts.log_probabilities import LOWEST, check_positive, check_tables, log_dirichlet
from hiql.parts.newton_walk import Terrain, newton_walk
from hiql.parts.part import FloatArray, NothingToLearn, Order
from hiql.parts.path import Path
from hiql.parts.registry import register
from hiql.parts.regression import Moments, moments
from hiql.parts.ridge import check_ridge, given_precision, taught
from hiql.parts.rows import Rows, Sessions
from hiql.parts.tied import Tie, damped_together

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
class InputDriven(NothingToLearn):
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
    """

    inputs: Names = None
    origin: str = BIAS
    ridge: str | float | FloatArray = "learned"
    bias_ridge: float = 0.01
    pseudo_count: float = 0.1
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
        phases = np.arange(initial.shape[-1])

        def of(sessions: Sessions) -> Chain:
            begins, moves = (rows.chunk(sessions).numbers for rows in timeline)
            inputs = self._read(timeline.moves, sessions)
            bank = np.empty((len(inputs), len(phases), len(phases)))
            shares(inputs, params.weights, bank)
            return Chain(initial, begins, bank, moves, phases)

        return of

    def statistics(self, params: DrivenChain, timeline: Timeline, sessions: Sessions, counts: ChainCounts) -> Driven:
        inputs, moves = self._read(timeline.moves, sessions), counts.transitions
        groups, left = np.zeros(len(inputs), dtype=np.uint32), moves.sum(axis=2)
        targets = np.einsum("tij,tf->ijf", moves, inputs, optimize=True)[None]
        found = moments(inputs, groups, left, params.weights[None], targets)
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
        return DrivenChain(
            chain.log_initial, kept, given_precision(self.ridge, self.bias_ridge, n_features), np.zeros(bias.shape)
        )

    def update(self, params: DrivenChain, evidence: Driven) -> DrivenChain:
        tie = self._tie(params.weights)
        weights = damped_together(params.weights, evidence.moments, self._held(params, tie), tie)
        log_initial = log_shares(evidence.initial + self.pseudo_count)
        return replace(params, log_initial=log_initial, weights=weights, moves=evidence.moves)

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
        return params if np.array_equal(new, params.precision) else replace(params, precision=new)

    def drawn(self, params: DrivenChain, path: Path, rng: np.random.Generator) -> DrivenChain:
        """Beginnings ~ Dirichlet(1 + pseudo-count + counts), and a step of :mod:`hiql.parts.newton_walk` for weights.

        Learned precisions are taken for true.
        """
        tie, told = self._tie(params.weights), path.told(self, params)
        log_initial = log_dirichlet_draw(1.0 + self.pseudo_count + told.initial, rng)
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
        return np.r_[np.maximum(params.log_initial, LOWEST).ravel(), numbers.ravel()]

    def from_vector(self, vector: FloatArray, like: DrivenChain) -> DrivenChain:
        tie, n = self._tie(like.weights), like.log_initial.size
        log_initial = log_softmax(vector[:n].reshape(like.log_initial.shape), axis=-1)
        return replace(like, log_initial=log_initial, weights=tie.weights(vector[n:].reshape(-1, tie.size)))

    def permute(self, params: DrivenChain, order: Order) -> DrivenChain:
        weights, moves = params.weights[order][:, order], params.moves[order][:, order]
        return replace(params, log_initial=params.log_initial[:, order], weights=weights, moves=moves)

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
