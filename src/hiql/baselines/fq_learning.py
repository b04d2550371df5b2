"""Forgetting Q-learning (Beron et al. 2022): the forward model the paper compares with in §5.3."""

from __future__ import annotations

from functools import partial
from typing import Self

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from hiql.baselines.checks import check_evidence, check_number, check_whole
from hiql.baselines.fq_likelihood import BIAS, PERSEVERATION, RETENTION, REWARD, FQLikelihood
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.models.scoring import FloatArray, ScoredEstimator
from hiql.parts.climbing import Optimum, climb

CERTAIN = 1000.0
"""Odds of more than this for each trial seen are more than any data can tell from certainty."""
EVERYONE = "all"
"""What the animals together are called where one set of parameters serves them all."""


class FQLearning(ScoredEstimator):
    """An animal that learns the values of two choices, forgets the one not taken, and tends to repeat itself.

    With choice c in {0, 1}, c̄ = 2c − 1 and reward r, a trial changes the values, 0 at a session's start, to

        Q_c ← Q_c + k (r − Q_c),   Q_{1−c} ← (1 − k) Q_{1−c},

    and then P(choice 1) = σ((Q₁ − Q₀)/T + α c̄ + b). The same in the form of Beron et al.: φ ← e^{−1/τ} φ + β r c̄
    with log-odds φ + α c̄ + b, where 1 − k = e^{−1/τ} and T = k/β. Fitted with the exact gradient, from several
    forgetting rates; given that rate the likelihood has a single maximum. A weak prior keeps the numbers finite: few
    trials can often be predicted perfectly, and the likelihood alone would then grow for ever.

    **Data.** It takes the same ``Trajectories`` as the models, made by :func:`hiql.bandit_trials` with any history
    ≥ 1, and reads every trial's outcome from the history state that follows it. So sessions, folds and scored
    trials are those of the models: the first trial of a session is scored (at σ(b), as nothing has been learnt),
    and a trial that was missed, or whose outcome is unknown, changes nothing, as it does not enter the histories.
    How long the histories are does not matter: the memory goes back to the session's start.

    Parameters
    ----------
    per_subject : one set of parameters for each animal (data of an animal not seen in ``fit`` are refused), or
        one for all
    bias : whether b is free; else b = 0
    prior_scale : standard deviation of the normal prior on logit (1 − k), β, α and b, all around 0. They are log-odds,
        or weights in them, so that 5 leaves all behaviour possible that some hundred trials could tell from certainty.
        ``math.inf`` is maximum likelihood.
    n_init : number of starts, spread evenly over forgetting rates
    max_iter, tol : most steps of one climb, and the relative gain below which it has converged

    Attributes
    ----------
    parameters_ : table with one row an animal (or the row "all"): learning_rate k, temperature T, perseveration α,
        bias b, reward_weight β, decay_time τ in trials. T is negative if the animal avoids rewards.
    points_ : the same as points of :class:`~hiql.baselines.fq_likelihood.FQLikelihood`, by animal
    log_likelihood_ : of the training data, in nats, without the prior
    n_free_ : 3, or 4 with a bias, for each animal
    n_iter_, converged_, notes_
    """

    def __init__(
        self,
        *,
        per_subject: bool = True,
        bias: bool = False,
        prior_scale: float = 5.0,
        n_init: int = 4,
        max_iter: int = 1000,
        tol: float = 1e-10,
    ) -> None:
        self.per_subject = per_subject
        self.bias = bias
        self.prior_scale = prior_scale
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, data: Trajectories, y: object = None) -> Self:  # noqa: ARG002
        """Fit to the data; returns itself."""
        n_init, max_iter = check_whole("n_init", self.n_init), check_whole("max_iter", self.max_iter)
        tol = check_number("tol", self.tol)
        check_evidence(data)
        if not self.prior_scale > 0:
            raise InvalidParameter(parameter="prior_scale", value=self.prior_scale, remedy="choose a number > 0")
        starts = [self._start((i + 0.5) / n_init) for i in range(n_init)]
        best = {}
        with threadpool_limits(1, "blas"):  # threads make L-BFGS in 3 dimensions ten times slower
            for name, part in self._parts(data).items():
                likelihood = FQLikelihood(part)
                objective = partial(_with_prior, likelihood, self.prior_scale)
                climbs = [climb(objective, start, max_iter, tol) for start in starts]
                best[name] = _without_bound(max(climbs, key=lambda found: found.objective), likelihood)
        self._keep(best)
        self.log_likelihood_ = self._log_likelihood(data)
        return self

    def predict_action_proba(self, data: Trajectories) -> FloatArray:
        """(N, 2) p(a_t | trials before t): causal."""
        self._check_data(data)
        proba = np.empty((data.n_steps, 2))
        for name, part in self._parts(data).items():
            steps = np.isin(data.session_of_step, self._sessions(data, name))
            log_odds = FQLikelihood(part).at(self.points_[name]).log_odds
            proba[steps] = expit(np.stack([-log_odds, log_odds], axis=1))
        return proba

    def _log_likelihood(self, data: Trajectories) -> float:
        return sum(FQLikelihood(part).at(self.points_[name]).total for name, part in self._parts(data).items())

    def _check_data(self, data: Trajectories) -> None:
        check_is_fitted(self, "points_")
        unknown = [name for name in self._parts(data) if name not in self.points_]
        if unknown:
            raise InvalidParameter(
                parameter="subject",
                value=unknown[0],
                remedy=f"parameters were fitted to {', '.join(self.points_)}; fit to this animal too, or to all "
                f"together with per_subject=False",
            )

    def _parts(self, data: Trajectories) -> dict[str, Trajectories]:
        """The data by animal, or all under one name."""
        return data.by_subject() if self.per_subject else {EVERYONE: data}

    def _sessions(self, data: Trajectories, name: str) -> list[int]:
        return [i for i, subject in enumerate(data.subjects) if not self.per_subject or subject == name]

    def _start(self, retention: float) -> FloatArray:
        return np.array([logit(retention), 1.0, 0.0, 0.0])[: 4 if self.bias else 3]

    def _keep(self, best: dict[str, Optimum]) -> None:
        self.points_ = {name: found.point for name, found in best.items()}
        self.parameters_ = pd.DataFrame({name: _readable(point) for name, point in self.points_.items()}).T
        self.n_free_ = sum(len(point) for point in self.points_.values())
        self.n_iter_ = max(found.n_iter for found in best.values())
        self.converged_ = all(found.converged for found in best.values())
        self.notes_ = tuple(f"subject {name}: {note}" for name, found in best.items() for note in found.notes)


def _with_prior(likelihood: FQLikelihood, scale: float, point: FloatArray) -> tuple[float, FloatArray]:
    """log-likelihood − Σ x² / (2 scale²), and its gradient."""
    total, gradient = likelihood(point)
    return total - float(point @ point) / (2 * scale**2), gradient - point / scale**2


def _without_bound(found: Optimum, likelihood: FQLikelihood) -> Optimum:
    """What the search calls converged may be a plain on which the weights grow for ever: that is said."""
    log_odds = float(np.abs(likelihood.at(found.point).log_odds).max())
    if log_odds < np.log(CERTAIN * len(likelihood.signs)):
        return found
    note = (
        f"the weights grow without bound (log-odds reached {log_odds:.3g} on {len(likelihood.signs)} trials): these "
        f"are predicted as if with certainty, and others may be missed by far; choose a smaller prior_scale"
    )
    return found._replace(converged=False, notes=(*found.notes, note))


def _readable(point: FloatArray) -> dict[str, float]:
    """The numbers of a point in the terms of the docstring's equations."""
    learning_rate = expit(-point[RETENTION])
    with np.errstate(divide="ignore"):
        temperature = np.divide(learning_rate, point[REWARD])
        decay_time = np.divide(-1.0, np.log(expit(point[RETENTION])))
    return {
        "learning_rate": float(learning_rate),
        "temperature": float(temperature),
        "perseveration": float(point[PERSEVERATION]),
        "bias": float(point[BIAS]) if len(point) > BIAS else 0.0,
        "reward_weight": float(point[REWARD]),
        "decay_time": float(decay_time),
    }
