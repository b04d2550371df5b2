"""The units of the experiment: one fit of one stage, on one fold or on all sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hiql.baselines import FQLearning, RandomPolicy
from hiql.data.folds import Fold, session_folds
from hiql.data.trajectories import Trajectories
from hiql.evaluate.animals.stages import (
    fit_individuals,
    fit_intentions,
    fit_together,
    score_by_subject,
    score_history,
    score_individuals,
    score_intentions,
    score_model,
)
from hiql.experiments.as_printed import AS_PRINTED, Procedure, fit_as_printed
from hiql.experiments.reversal.sources import Source, remembered
from hiql.rewards.iql import ExpectedIQL

Unit = Mapping[str, Any]


def fit_unit(unit: Unit, found: Mapping[str, Source]) -> dict[str, Any]:
    """Whatever the unit's stage asks for, as JSON can hold it; ``found`` says where its table lies."""
    source = found[unit["source"]]
    stages = {
        "history": _history,
        "intentions": _intentions,
        "baseline": _baseline,
        "whole": _whole,
        "individuals": _individuals,
    }
    return stages[unit["stage"]](source, unit)


def fold_of(data: Trajectories, unit: Unit) -> Fold:
    """Sessions of every animal in every fold."""
    folds = session_folds(data, unit["n_folds"], strata=data.subjects, random_state=unit["seed"])
    return folds[unit["fold"]]


def _history(source: Source, unit: Unit) -> dict[str, Any]:
    data = remembered(source, unit["history"])
    return score_history(data, fold_of(data, unit), unit["seed"])._asdict()


def _intentions(source: Source, unit: Unit) -> dict[str, Any]:
    data = remembered(source, unit["history"])
    fold = fold_of(data, unit)
    if unit["method"] == AS_PRINTED:
        return _as_printed(data, fold, unit)
    return score_intentions(data, fold, unit["size"], unit["method"], random_state=unit["seed"])._asdict()


def _as_printed(data: Trajectories, fold: Fold, unit: Unit) -> dict[str, Any]:
    """Algorithm 3 as its authors ran it; the policies of Algorithm 2 are those of its fixed point."""
    train, test = data.select(fold.train), data.select(fold.test)
    procedure = Procedure(n_starts=unit["n_restarts"])
    model = fit_as_printed(unit["size"], ExpectedIQL(), train, test, procedure=procedure, seed=unit["seed"])
    return score_model(model, train, test)._asdict()


def _baseline(source: Source, unit: Unit) -> dict[str, Any]:
    data = remembered(source, unit["history"])
    fold = fold_of(data, unit)
    train, test = data.select(fold.train), data.select(fold.test)
    model = {"fQ-learning": FQLearning, "random": RandomPolicy}[unit["method"]]()
    return score_model(model.fit(train), train, test)._asdict()


def _whole(source: Source, unit: Unit) -> dict[str, Any]:
    """BIC on all sessions."""
    data = remembered(source, unit["history"])
    if unit["method"] == "fQ-learning":
        fq = FQLearning().fit(data)
        return {"bic": fq.bic(data), "n_free": fq.n_free_, "log_likelihood": fq.score(data)}
    model = fit_intentions(data, unit["size"], unit["method"], random_state=unit["seed"])
    scores = {"bic": model.bic(data), "n_free": model.n_free_, "log_likelihood": model.score(data)}
    return scores | {"notes": model.notes_}


def _individuals(source: Source, unit: Unit) -> dict[str, Any]:
    """Stage 3 on one fold: each animal's held-out sessions by the global fit, by its own, and by all in one fit."""
    data = remembered(source, unit["history"])
    fold = fold_of(data, unit)
    train, test = data.select(fold.train), data.select(fold.test)
    everyone = fit_intentions(train, unit["size"], "pooled", random_state=unit["seed"])
    together = fit_together(train, unit["size"], random_state=unit["seed"])
    return {
        "global": score_by_subject(everyone, test),
        "alone": score_individuals(fit_individuals(everyone, train), test),
        "together": score_by_subject(together, test),
    }
