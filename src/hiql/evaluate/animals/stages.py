"""The paper's three stages of fitting several animals (Appendix C.3), as functions of data and one fold.

1. History ℓ by a single intention (:func:`score_history`); 2. K by fits to all animals together
(:func:`score_intentions`); 3. each animal from the global fit, so that intentions stay aligned
(:func:`fit_individuals`). Whatever has to be chosen besides (strengths of priors) is chosen on training sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

from hiql.data.bandit import bandit_trials
from hiql.data.folds import Fold, session_folds
from hiql.data.histories import shorter_histories
from hiql.data.table_files import load_table
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.evaluate.animals.coarse_to_fine import STRENGTHS, FloatArray, Level, choose_strength, fit_coarse_to_fine
from hiql.evaluate.measures.leaking import leaking_score
from hiql.models import HIQL, IntentionModel
from hiql.models.scoring import Scored

METHODS = ("plain", "back-off", "stochastic")
PSEUDO_COUNT = 0.1
STOCHASTIC: dict[str, Any] = {"method": "stochastic", "n_init": 10, "max_iter": 40, "epochs": 10}
"""Algorithm 2 as printed, with the paper's ten initialisations."""


class StageScore(NamedTuple):
    """Nats per trial on both sides of a fold, and of each animal held out (nats per trial, trials).

    ``leaking`` is :func:`~hiql.evaluate.leaking_score` per trial of the test side, for models with intentions.
    """

    train: float
    test: float
    test_trials: int
    by_subject: dict[str, tuple[float, int]]
    strength: float | None = None
    leaking: float | None = None


def history_levels(table: pd.DataFrame | str | PathLike[str], history: int, **columns: Any) -> list[Level]:
    """The same trials with histories of 1, 2, …, ℓ trials, each state knowing the shorter history it refines."""
    if history < 1:
        raise InvalidParameter(parameter="history", value=history, remedy="choose a whole number ≥ 1")
    frame = table if isinstance(table, pd.DataFrame) else load_table(table)
    data = [bandit_trials(frame, length, **columns) for length in range(1, history + 1)]
    return [Level(part, shorter_histories(part) if i else None) for i, part in enumerate(data)]


def score_model(model: Scored, train: Trajectories, test: Trajectories, strength: float | None = None) -> StageScore:
    """Score a fitted model on both sides of a fold."""
    each = {name: (model.score(part, per="step"), part.n_observed) for name, part in test.by_subject().items()}
    leaking = leaking_score(model, test) / test.n_observed if isinstance(model, IntentionModel) else None
    return StageScore(
        model.score(train, per="step"), model.score(test, per="step"), test.n_observed, each, strength, leaking
    )  # fmt: skip


# --- stages 1 and 2: all animals together --------------------------------------------------------------------


def score_history(data: Trajectories, fold: Fold, random_state: int = 0) -> StageScore:
    """Stage 1: a single intention, which is plain inverse Q-learning, on one fold."""
    train, test = data.select(fold.train), data.select(fold.test)
    return score_model(new_model(1, random_state=random_state).fit(train), train, test)


def score_intentions(
    levels: Sequence[Level],
    fold: Fold,
    n_intentions: int,
    method: str = "plain",
    *,
    strengths: Sequence[float] = STRENGTHS,
    random_state: int = 0,
) -> StageScore:
    """Stage 2: K intentions on the finest level of one fold, by one of ``METHODS``."""
    training = [level.select(fold.train) for level in levels]
    strength = choose_back_off(training, n_intentions, strengths, random_state) if method == "back-off" else None
    model = fit_intentions(training, n_intentions, method, strength, random_state=random_state)
    return score_model(model, training[-1].data, levels[-1].data.select(fold.test), strength)


def fit_intentions(
    levels: Sequence[Level],
    n_intentions: int,
    method: str = "plain",
    strength: float | None = None,
    *,
    random_state: int = 0,
) -> IntentionModel:
    """K intentions on the finest of ``levels``; "back-off" starts at the coarsest and needs a strength."""
    if method not in METHODS or (method == "back-off" and strength is None):
        remedy = f"choose one of {', '.join(METHODS)}; back-off with a strength"
        raise InvalidParameter(parameter="method", value=method, remedy=remedy)
    if method == "back-off" and strength is not None:
        return fit_coarse_to_fine(_maker(n_intentions, random_state), levels, strength, PSEUDO_COUNT)
    options = STOCHASTIC if method == "stochastic" else {}
    return new_model(n_intentions, random_state=random_state, **options).fit(levels[-1].data)


def choose_back_off(
    levels: Sequence[Level], n_intentions: int, strengths: Sequence[float] = STRENGTHS, random_state: int = 0
) -> float:
    """The strength that predicts held-out sessions of these levels best.

    The fits that compare strengths share their starting points and search less (``patience=0``): it is the prior,
    not the search, that is being judged.
    """
    if len(levels) == 1 or len(strengths) == 1:
        return strengths[0]
    maker = _maker(n_intentions, random_state, patience=0)
    return choose_strength(maker, levels, strengths, random_state=random_state)


def new_model(n_intentions: int, pseudo_count: float | FloatArray = PSEUDO_COUNT, **options: Any) -> HIQL:
    """An unfitted HIQL as all stages use it: γ = 0.99, no progress bar."""
    return HIQL(n_intentions, pseudo_count=pseudo_count, progress=False, **options)


def _maker(n_intentions: int, random_state: int, **options: Any) -> Any:
    return lambda pseudo_count: new_model(n_intentions, pseudo_count, random_state=random_state, **options)


# --- stage 3: each animal ------------------------------------------------------------------------------------


def fit_individuals(model: IntentionModel, data: Trajectories, strength: float = 0.0) -> dict[str, IntentionModel]:
    """Stage 3: each animal of ``data`` fitted from the global ``model``; intention i stays intention i.

    With ``strength`` c > 0 each policy is pulled towards the global one, π_i(a|s) ∝ n_i(s, a) + c · π_i^global(a|s),
    so that an animal departs from the others only where its own trials say so; with 0 it is on its own.
    """
    if strength < 0:
        raise InvalidParameter(parameter="strength", value=strength, remedy="choose a number ≥ 0")
    prior = strength * model.policy_ if strength > 0 else PSEUDO_COUNT
    return {
        name: clone(model).set_params(pseudo_count=prior).fit(part, init=model)
        for name, part in data.by_subject().items()
    }


def score_individuals(models: Mapping[str, Scored], test: Trajectories) -> dict[str, tuple[float, int]]:
    """Nats per trial and trials of each animal in ``test``, each by its own model."""
    parts = test.by_subject().items()
    return {name: (models[name].score(part, per="step"), part.n_observed) for name, part in parts if name in models}


def choose_individual_strength(
    model: IntentionModel,
    data: Trajectories,
    strengths: Sequence[float] = STRENGTHS,
    *,
    n_folds: int = 3,
    random_state: int = 0,
) -> float:
    """The strength whose individual fits predict held-out sessions of ``data`` (training sessions) best.

    In every fold the global fit is climbed anew from ``model`` without the sessions held out: else it would already
    know them, and the strongest pull would win.
    """
    if len(strengths) == 1:
        return strengths[0]
    folds = session_folds(data, min(n_folds, data.n_sessions), strata=data.subjects, random_state=random_state)
    inner = [(clone(model).fit(data.select(fold.train), init=model), fold) for fold in folds]

    def held_out(strength: float) -> float:
        total = 0.0
        for start, fold in inner:
            scores = score_individuals(
                fit_individuals(start, data.select(fold.train), strength), data.select(fold.test)
            )
            total += sum(nats * trials for nats, trials in scores.values())
        return total

    return max(strengths, key=held_out)


def pooled(scores: Mapping[str, tuple[float, int]]) -> float:
    """Nats per trial over all animals of a score by animal."""
    values = np.array(list(scores.values()), dtype=np.float64)
    return float(values[:, 0] @ values[:, 1] / values[:, 1].sum())
