"""Choices by any classifier: the policy of each intention is whatever scikit-learn can fit to weighted actions.

Features of a step are an indicator of its state (if there is more than one), or the features given of that state, and
the standardised inputs. The M-step fits a clone for each intention to all observed steps, weighted by their posterior.
What a classifier maximises is its own affair, so the objective may fall: EM is plain, and the best point is kept.

A classifier learns nothing from a step that hardly counts, so steps of weight below ``LEAST`` are left out.
Probabilities are mixed with a little of chance (``FLOOR``), since many classifiers are sure of themselves.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from hiql.choices.by_step import StepChoice
from hiql.choices.choice import Evidence
from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.parts.inputs import regressors
from hiql.parts.part import FloatArray, Order
from hiql.parts.registry import register

LEAST = 1e-6
FLOOR = 1e-3


class Classifier(Protocol):
    """What is asked of a classifier, as scikit-learn has it."""

    def fit(self, features: FloatArray, actions: Any, sample_weight: FloatArray) -> Any: ...
    def predict_proba(self, features: FloatArray) -> FloatArray: ...


@register
@dataclass(frozen=True)
class Perceptron:
    """Settings of a small neural network: scikit-learn's MLPClassifier, fitted by L-BFGS; models with it can be saved.

    Parameters
    ----------
    hidden : sizes of hidden layers
    alpha : the L2 penalty
    max_iter : of L-BFGS in one M-step
    seed : of the weights that each fit starts from
    """

    hidden: tuple[int, ...] = (16,)
    alpha: float = 1e-3
    max_iter: int = 60
    seed: int = 0

    def classifier(self) -> Any:
        """One that is not fitted."""
        sizes = {"hidden_layer_sizes": tuple(self.hidden), "alpha": self.alpha, "max_iter": self.max_iter}
        return MLPClassifier(**sizes, activation="tanh", solver="lbfgs", random_state=self.seed)

    def kept(self, fitted: Any) -> Layers:
        return Layers(tuple(fitted.coefs_), tuple(fitted.intercepts_), np.asarray(fitted.classes_, dtype=np.float64))


@register
@dataclass(frozen=True, eq=False)
class Layers:
    """A fitted network as arrays: ``weights`` and ``biases`` of its layers, and the ``classes_`` it knows."""

    weights: tuple[FloatArray, ...]
    biases: tuple[FloatArray, ...]
    classes_: FloatArray

    def predict_proba(self, features: FloatArray) -> FloatArray:
        """(n, C) as the network that it was would."""
        at = features
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            at = np.tanh(at @ weight + bias)
        out = at @ self.weights[-1] + self.biases[-1]
        if out.shape[1] == 1:
            return np.column_stack([expit(-out), expit(out)])
        return np.asarray(softmax(out, axis=1))


@dataclass(frozen=True, eq=False)
class AnyClassifier:
    """A classifier that is kept as it is: it cannot be saved, for a file could then run code."""

    estimator: Classifier

    def classifier(self) -> Any:
        return clone(self.estimator)

    def kept(self, fitted: Any) -> Any:
        return fitted


@register
@dataclass(frozen=True, eq=False)
class Classifiers:
    """``fitted``: one for each intention."""

    fitted: tuple[Any, ...]


@register
@dataclass(frozen=True, eq=False)
class ClassifierChoice(StepChoice):
    """Each intention acts as a classifier says, that is fitted to its steps. Plain EM, which keeps the best.

    Parameters
    ----------
    estimator : a :class:`Perceptron` (which can be saved), or any scikit-learn classifier with ``predict_proba`` whose
        ``fit`` takes ``sample_weight``
    features : φ (S, F) of states, instead of an indicator for each
    """

    estimator: Any = field(default_factory=Perceptron)
    features: FloatArray | None = field(default=None, kw_only=True)
    coding: Coding | None = field(default=None, repr=False, kw_only=True)

    @property
    def exact(self) -> bool:  # type: ignore[override]
        return False

    def knowing(self, coding: Coding) -> ClassifierChoice:
        return replace(self, coding=coding) if self.coding is None else self

    @property
    def _maker(self) -> Any:
        return self.estimator if isinstance(self.estimator, Perceptron) else AnyClassifier(self.estimator)

    def check(self, data: Trajectories, n_intentions: int) -> None:  # noqa: ARG002
        if not isinstance(self.estimator, Perceptron) and not hasattr(self.estimator, "predict_proba"):
            remedy = "give a Perceptron, or a scikit-learn classifier with predict_proba"
            raise InvalidParameter(parameter="estimator", value=type(self.estimator).__name__, remedy=remedy)
        if self.features is not None and np.shape(self.features)[:1] != (data.n_states,):
            remedy, expected = "give one row of features for each state", f"({data.n_states}, F)"
            raise ShapeMismatch(field="features", shape=np.shape(self.features), expected=expected, remedy=remedy)
        if self._read(data, np.arange(0)).shape[1] == 0:
            remedy = "give data with more than one state, or with inputs"
            raise InvalidParameter(parameter="data", value="one state, no inputs", remedy=remedy)

    def _read(self, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """(n, F) what classifiers see of these steps."""
        coding = Coding.of(data) if self.coding is None else self.coding
        per_state = np.eye(coding.n_states) if self.features is None else np.asarray(self.features, dtype=np.float64)
        states = data.states[steps]
        seen = np.where((states >= 0)[:, None], per_state[states], 0.0)
        columns = [seen] if coding.n_states > 1 else []
        if coding.input_names:
            columns.append(regressors(None, coding, data, steps)[:, :-1])
        return np.column_stack(columns) if columns else np.zeros((len(steps), 0))

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Classifiers:
        """Fitted to all steps, each step of a session belonging to an intention more or less."""
        liking = rng.dirichlet(np.ones(n_intentions), size=data.n_sessions)
        weights = np.repeat(liking, data.lengths, axis=0) * rng.uniform(0.5, 1.0, (data.n_steps, n_intentions))
        return self._fitted(data, np.where(data.observed[:, None], weights, 0.0))

    def update(self, params: Classifiers, evidence: Evidence) -> Classifiers:  # noqa: ARG002
        return self._fitted(evidence.data, evidence.counts)

    def _fitted(self, data: Trajectories, weights: FloatArray) -> Classifiers:
        steps = np.flatnonzero(data.observed)
        features, actions = self._read(data, steps), data.actions[steps]
        return Classifiers(tuple(self._fit_one(features, actions, w[steps]) for w in weights.T))

    def _fit_one(self, features: FloatArray, actions: Any, weights: FloatArray) -> Any:
        """One intention's; a constant where only one action is left to learn from."""
        counts = weights > LEAST * max(weights.max(initial=0.0), LEAST)
        if len(np.unique(actions[counts])) < 2:
            return Always(np.array([float(actions[counts][0]) if counts.any() else -1.0]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the next pass goes on
            maker = self._maker
            return maker.kept(maker.classifier().fit(features[counts], actions[counts], sample_weight=weights[counts]))

    def proba(self, params: Classifiers, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """(n, K, A)."""
        features = self._read(data, steps)
        found = np.full((len(steps), len(params.fitted), data.n_actions), FLOOR / data.n_actions)
        for i, each in enumerate(params.fitted):
            known = np.asarray(each.classes_, dtype=np.intp)
            if len(steps) and (known >= 0).all():
                found[:, i, known] += (1.0 - FLOOR) * each.predict_proba(features)
        return found / found.sum(axis=2, keepdims=True)

    # --- parameters are objects, not arrays --------------------------------------------------------------------

    def permute(self, params: Classifiers, order: Order) -> Classifiers:
        return Classifiers(tuple(params.fitted[i] for i in order))

    def graft(self, params: Classifiers, intentions: Order, others: Classifiers) -> Classifiers:
        fitted = list(params.fitted)
        for i, other in zip(intentions, others.fitted, strict=True):
            fitted[i] = other
        return Classifiers(tuple(fitted))

    def deal(self, params: Classifiers, rng: np.random.Generator) -> Classifiers:
        return self.permute(params, rng.permutation(len(params.fitted)))

    def vector(self, params: Classifiers) -> FloatArray:  # noqa: ARG002
        """Nothing: there are no jumps where the M-step is not exact."""
        return np.zeros(0)

    def from_vector(self, vector: FloatArray, like: Classifiers) -> Classifiers:  # noqa: ARG002
        return like

    def summary(self, params: Classifiers) -> dict[str, Any]:
        """``classifiers``: those fitted."""
        return {"classifiers": params.fitted}

    def n_free(self, data: Trajectories, n_intentions: int) -> int:
        """The weights of networks; of other classifiers nobody can say: the log-odds that the data can tell."""
        if not isinstance(self.estimator, Perceptron):
            return n_intentions * (data.n_actions - 1) * data.n_states
        n_out = data.n_actions if data.n_actions > 2 else 1
        sizes = [self._read(data, np.arange(0)).shape[1], *self.estimator.hidden, n_out]
        return n_intentions * sum((a + 1) * b for a, b in pairwise(sizes))

    def check_params(self, params: Any, data: Trajectories, n_intentions: int) -> None:
        fitted = getattr(params, "fitted", None)
        remedy = f"give Classifiers with {n_intentions} of them, of finite weights that fit each other and the data"
        wrong = InvalidParameter(parameter="fitted", value=type(params).__name__, remedy=remedy)
        if not isinstance(params, Classifiers) or not isinstance(fitted, tuple) or len(fitted) != n_intentions:
            raise wrong
        n_features = self._read(data, np.arange(0)).shape[1]
        if isinstance(self.estimator, Perceptron) and not all(sound(e, n_features, data.n_actions) for e in fitted):
            raise wrong


@register
@dataclass(frozen=True, eq=False)
class Always:
    """The only action that an intention was seen to do, or none (−1)."""

    classes_: FloatArray

    def predict_proba(self, features: FloatArray) -> FloatArray:
        return np.ones((len(features), 1))


def sound(fitted: Any, n_features: int, n_actions: int) -> bool:
    """Whether this could be a network, or a constant, for so many features and actions: files come from others."""
    if not isinstance(fitted, Layers | Always) or not _numbers(fitted.classes_, 1):
        return False
    known = fitted.classes_
    if isinstance(fitted, Always):
        return len(known) == 1 and known[0] in range(-1, n_actions)
    layers = fitted.weights, fitted.biases
    if not all(isinstance(each, tuple) and len(each) == len(fitted.weights) > 0 for each in layers):
        return False
    if not all(_numbers(w, 2) and _numbers(b, 1) for w, b in zip(*layers, strict=True)):
        return False
    sizes = [n_features, *(len(b) for b in fitted.biases)]
    fits = [w.shape for w in fitted.weights] == list(pairwise(sizes))
    n_out = len(known) if len(known) > 2 else 1
    return fits and sizes[-1] == n_out and len(known) > 1 and bool(np.isin(known, np.arange(n_actions)).all())


def _numbers(array: Any, n_axes: int) -> bool:
    fits = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.ndim == n_axes
    return bool(fits and np.isfinite(array).all())
