"""The units of the experiment: one fit (or one choice of a strength) of one stage, on one fold or on all sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hiql.baselines import FQLearning, RandomPolicy
from hiql.data.folds import Fold, session_folds
from hiql.data.trajectories import Trajectories
from hiql.evaluate.animals.stages import (
    choose_back_off,
    choose_individual_strength,
    fit_individuals,
    fit_intentions,
    score_history,
    score_individuals,
    score_intentions,
    score_model,
)
from hiql.experiments.as_printed import AS_PRINTED, Procedure, fit_as_printed
from hiql.experiments.reversal.sources import Source, levels
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
        "individual strength": _individual_strength,
    }
    return stages[unit["stage"]](source, unit)


def fold_of(data: Trajectories, unit: Unit) -> Fold:
    """Sessions of every animal in every fold."""
    folds = session_folds(data, unit["n_folds"], strata=data.subjects, random_state=unit["seed"])
    return folds[unit["fold"]]


def _history(source: Source, unit: Unit) -> dict[str, Any]:
    data = levels(source, unit["history"])[-1].data
    return score_history(data, fold_of(data, unit), unit["seed"])._asdict()


def _intentions(source: Source, unit: Unit) -> dict[str, Any]:
    found = levels(source, unit["history"])
    fold = fold_of(found[-1].data, unit)
    if unit["method"] == AS_PRINTED:
        return _as_printed(found[-1].data, fold, unit)
    options = {"strengths": unit["strengths"], "random_state": unit["seed"]}
    return score_intentions(found, fold, unit["size"], unit["method"], **options)._asdict()


def _as_printed(data: Trajectories, fold: Fold, unit: Unit) -> dict[str, Any]:
    """Algorithm 3 as its authors ran it; the policies of Algorithm 2 are those of its fixed point."""
    train, test = data.select(fold.train), data.select(fold.test)
    procedure = Procedure(n_starts=unit["n_restarts"])
    model = fit_as_printed(unit["size"], ExpectedIQL(), train, test, procedure=procedure, seed=unit["seed"])
    return score_model(model, train, test)._asdict()


def _baseline(source: Source, unit: Unit) -> dict[str, Any]:
    data = levels(source, unit["history"])[-1].data
    fold = fold_of(data, unit)
    train, test = data.select(fold.train), data.select(fold.test)
    model = {"fQ-learning": FQLearning, "random": RandomPolicy}[unit["method"]]()
    return score_model(model.fit(train), train, test)._asdict()


def _whole(source: Source, unit: Unit) -> dict[str, Any]:
    """BIC on all sessions, and the strength to fit all sessions with."""
    found = levels(source, unit["history"])
    data, k, seed = found[-1].data, unit["size"], unit["seed"]
    if unit["method"] == "fQ-learning":
        fq = FQLearning().fit(data)
        return {"bic": fq.bic(data), "n_free": fq.n_free_, "log_likelihood": fq.score(data)}
    strength = choose_back_off(found, k, unit["strengths"], seed) if unit["method"] == "back-off" else None
    model = fit_intentions(found, k, unit["method"], strength, random_state=seed)
    scores = {"bic": model.bic(data), "n_free": model.n_free_, "log_likelihood": model.score(data)}
    return scores | {"strength": strength, "notes": model.notes_}


def _individuals(source: Source, unit: Unit) -> dict[str, Any]:
    """Stage 3 on one fold: each animal's held-out sessions by the global fit and by its own, free or shrunken."""
    found = levels(source, unit["history"])
    data = found[-1].data
    fold = fold_of(data, unit)
    training = [level.select(fold.train) for level in found]
    train, test = training[-1].data, data.select(fold.test)
    strength = choose_back_off(training, unit["size"], unit["strengths"], unit["seed"])
    model = fit_intentions(training, unit["size"], "back-off", strength, random_state=unit["seed"])
    pull = choose_individual_strength(model, train, unit["strengths"], random_state=unit["seed"])
    own = {name: fit_individuals(model, train, c) for name, c in (("free", 0.0), ("shrunken", pull))}
    scores = {name: score_individuals(models, test) for name, models in own.items()}
    everyone = dict.fromkeys(data.subjects, model)
    return {"scores": {"global": score_individuals(everyone, test)} | scores, "strength": pull}


def _individual_strength(source: Source, unit: Unit) -> dict[str, Any]:
    """How strongly individuals are pulled towards the global fit of all sessions."""
    found = levels(source, unit["history"])
    strength = choose_back_off(found, unit["size"], unit["strengths"], unit["seed"])
    model = fit_intentions(found, unit["size"], "back-off", strength, random_state=unit["seed"])
    pull = choose_individual_strength(model, found[-1].data, unit["strengths"], random_state=unit["seed"])
    return {"strength": strength, "individual_strength": pull}
