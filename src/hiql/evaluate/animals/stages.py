"""The paper's three stages of fitting several animals (Appendix C.3), as functions of data and one fold.

1. History ℓ by a single intention (:func:`score_history`); 2. K by fits to all animals together
(:func:`score_intentions`); 3. each animal: from the global fit, so that intentions stay aligned
(:func:`fit_individuals`), or all animals in one fit that holds them together (:func:`fit_together`). How strongly
histories and animals are held together is learned from the training sessions, with everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from hiql.data.folds import Fold
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.evaluate.measures.leaking import leaking_score
from hiql.models import HIQL, IntentionModel
from hiql.models.scoring import Scored

METHODS: dict[str, dict[str, Any]] = {
    "plain": {},
    "pooled": {"prior": "pooled"},
    "stochastic": {"method": "stochastic", "n_init": 10, "max_iter": 40, "epochs": 10},
}
"""Plain counts; long histories around shorter ones; Algorithm 2 as printed, with the paper's ten initialisations."""


class StageScore(NamedTuple):
    """Nats per trial on both sides of a fold, and of each animal held out (nats per trial, trials).

    ``leaking`` is :func:`~hiql.evaluate.leaking_score` per trial of the test side, for models with intentions.
    """

    train: float
    test: float
    test_trials: int
    by_subject: dict[str, tuple[float, int]]
    leaking: float | None = None


def score_model(model: Scored, train: Trajectories, test: Trajectories) -> StageScore:
    """Score a fitted model on both sides of a fold."""
    leaking = leaking_score(model, test) / test.n_observed if isinstance(model, IntentionModel) else None
    return StageScore(
        model.score(train, per="step"),
        model.score(test, per="step"),
        test.n_observed,
        score_by_subject(model, test),
        leaking,
    )


def score_by_subject(model: Scored, test: Trajectories) -> dict[str, tuple[float, int]]:
    """Nats per trial and trials of each animal in ``test``, all by one model."""
    return {name: (model.score(part, per="step"), part.n_observed) for name, part in test.by_subject().items()}


# --- stages 1 and 2: all animals together --------------------------------------------------------------------


def score_history(data: Trajectories, fold: Fold, random_state: int = 0) -> StageScore:
    """Stage 1: a single intention, which is plain inverse Q-learning, on one fold."""
    return score_intentions(data, fold, 1, random_state=random_state)


def score_intentions(
    data: Trajectories, fold: Fold, n_intentions: int, method: str = "plain", *, random_state: int = 0
) -> StageScore:
    """Stage 2: K intentions on one fold, by one of ``METHODS``."""
    train, test = data.select(fold.train), data.select(fold.test)
    return score_model(fit_intentions(train, n_intentions, method, random_state=random_state), train, test)


def fit_intentions(
    data: Trajectories, n_intentions: int, method: str = "plain", *, random_state: int = 0
) -> IntentionModel:
    """K intentions of all animals together, by one of ``METHODS``."""
    if method not in METHODS:
        remedy = f"choose one of {', '.join(METHODS)}"
        raise InvalidParameter(parameter="method", value=method, remedy=remedy)
    return new_model(n_intentions, random_state=random_state, **METHODS[method]).fit(data)


def new_model(n_intentions: int, **options: Any) -> HIQL:
    """An unfitted HIQL as all stages use it: γ = 0.99, no progress bar."""
    return HIQL(n_intentions, progress=False, **options)


# --- stage 3: each animal ------------------------------------------------------------------------------------


def fit_individuals(model: IntentionModel, data: Trajectories) -> dict[str, IntentionModel]:
    """Stage 3 as in the paper: each animal of ``data`` alone, from the global ``model``; intention i stays i.

    An animal is then on its own: with few trials it predicts its held-out sessions worse than the global fit does.
    """
    return {name: clone(model).fit(part, init=model) for name, part in data.by_subject().items()}


def fit_together(data: Trajectories, n_intentions: int, *, random_state: int = 0) -> HIQL:
    """Stage 3 in one fit: animals around their population, long histories around shorter ones."""
    return new_model(n_intentions, prior="pooled", pool="subjects", random_state=random_state).fit(data)


def score_individuals(models: Mapping[str, Scored], test: Trajectories) -> dict[str, tuple[float, int]]:
    """Nats per trial and trials of each animal in ``test``, each by its own model."""
    parts = test.by_subject().items()
    return {name: (models[name].score(part, per="step"), part.n_observed) for name, part in parts if name in models}


def over_all(scores: Mapping[str, tuple[float, int]]) -> float:
    """Nats per trial over all animals of a score by animal."""
    values = np.array(list(scores.values()), dtype=np.float64)
    return float(values[:, 0] @ values[:, 1] / values[:, 1].sum())
