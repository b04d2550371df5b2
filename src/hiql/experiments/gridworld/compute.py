"""The units of the experiment, and how they are gathered into one result."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hiql.evaluate.measures.courses import mean_course
from hiql.experiments.frame import Plan, Stage
from hiql.experiments.gridworld.config import GridworldConfig
from hiql.experiments.gridworld.fitting import fit_unit, simulation
from hiql.experiments.results import mean_and_error
from hiql.sweep import Failure, Outcome
from hiql.worlds.planning import evaluate_policy
from hiql.worlds.two_goals import ABANDON, TwoGoals


class GridworldResult(NamedTuple):
    """``likelihood[model][size]``, ``evd[model][intention]`` (ours and, ``authors_evd``, theirs), ``abandon[model]``,
    ``values[model]`` and ``ablation[variant]``, as in results.json."""

    config: GridworldConfig
    expert: TwoGoals
    likelihood: dict[str, dict[int, dict[str, Any]]]
    evd: dict[str, dict[str, dict[str, float]]]
    authors_evd: dict[str, dict[str, dict[str, float]]]
    abandon: dict[str, dict[str, Any]]
    values: dict[str, list[list[float]]]
    ablation: dict[str, dict[str, Any]]
    failures: list[Failure]


def plan(config: GridworldConfig, folder: Path) -> Plan[GridworldResult]:  # noqa: ARG001
    """Every model on every fold of every size; then the ablation, on every fold of the largest."""
    contest = [_unit(config, size, spec) for size in config.sizes for spec in config.models().values()]
    variants = [_unit(config, max(config.sizes), spec) for specs in config.variants().values() for spec in specs]
    stages = [
        Stage("Gridworld: fits", _each_fold(config, contest), fit_unit),
        Stage("Gridworld: ablation", _each_fold(config, variants), fit_unit),
    ]
    return Plan(stages, partial(gather, config))


def _unit(config: GridworldConfig, size: int, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "experiment": "gridworld",
        "seed": config.seed,
        "n_total": max(config.sizes),
        "inverse_temperature": config.inverse_temperature,
        "size": size,
        "n_folds": config.n_folds,
        "spec": spec,
        "pseudo_count": config.pseudo_count,
    }


def _each_fold(config: GridworldConfig, units: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [unit | {"fold": fold} for unit in units for fold in range(config.folds_run)]


def gather(config: GridworldConfig, outcomes: list[Outcome], failures: list[Failure]) -> GridworldResult:
    """Means and standard errors over folds; courses and value maps of the fold that predicts best."""
    expert = simulation(config.seed, max(config.sizes), config.inverse_temperature)
    likelihood: dict[str, dict[int, dict[str, Any]]] = {}
    evd: dict[str, dict[str, dict[str, Any]]] = {"evd": {}, "authors_evd": {}}
    abandon, values = {"truth": _true_course(expert)}, {"truth": _true_values(expert)}
    for name, spec in config.models().items():
        mine = _with_spec(outcomes, spec)
        likelihood[name] = {
            size: _likelihood([o.result for o in mine if o.unit["size"] == size]) for size in config.sizes
        }
        judged = [outcome.result for outcome in mine if "evd" in outcome.result]
        if judged:
            for kind, table in evd.items():
                table[name] = {z: mean_and_error(r[kind][i] for r in judged) for i, z in enumerate(expert.intentions)}
            best = max(judged, key=lambda r: r["test"] / r["test_steps"])
            abandon[name], values[name] = best["abandon"], best["values"]
    ablation = {name: _variant(outcomes, specs) for name, specs in config.variants().items()}
    return GridworldResult(config, expert, likelihood, **evd, abandon=abandon, values=values,
                           ablation=ablation, failures=failures)  # fmt: skip


def _with_spec(outcomes: list[Outcome], spec: dict[str, Any]) -> list[Outcome]:
    """A unit that serves both stages is counted once."""
    return list({(o.unit["size"], o.unit["fold"]): o for o in outcomes if o.unit["spec"] == spec}.values())


def _likelihood(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Over folds: held-out log-likelihood per trajectory and per step, and the authors' leaking score per step."""
    if not results:
        return {}
    summary = {
        "per_trajectory": mean_and_error(r["test"] / r["test_sessions"] for r in results),
        "per_step": mean_and_error(r["test"] / r["test_steps"] for r in results),
        "fit_seconds": mean_and_error(r["fit_seconds"] for r in results),
    }
    if results[0]["leaking"] is not None:
        summary["leaking_per_step"] = mean_and_error(r["leaking"] / r["test_steps"] for r in results)
    return summary


def _variant(outcomes: list[Outcome], specs: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over folds, then their mean, lowest and highest over repeats with other seeds."""
    repeats = [[o.result for o in _with_spec(outcomes, spec) if "evd" in o.result] for spec in specs]
    means = np.array([np.mean([_measures(r) for r in results], axis=0) for results in repeats if results])
    if not len(means):
        return {}
    spread = {"mean": means.mean(axis=0), "low": means.min(axis=0), "high": means.max(axis=0)}
    names = ("goal", "abandon", "per_step", "leaking_per_step")
    return {name: {key: float(values[i]) for key, values in spread.items()} for i, name in enumerate(names)}


def _measures(result: dict[str, Any]) -> list[float]:
    return [*result["authors_evd"], result["test"] / result["test_steps"], result["leaking"] / result["test_steps"]]


def _true_course(expert: TwoGoals) -> dict[str, Any]:
    assert expert.data.intentions is not None
    course = mean_course(expert.data, expert.data.intentions == ABANDON)
    return {"mean": course.mean.tolist(), "error": np.nan_to_num(course.error).tolist(), "n": course.n.tolist()}


def _true_values(expert: TwoGoals) -> list[list[float]]:
    pairs = zip(expert.policy, expert.reward, strict=True)
    return [evaluate_policy(expert.world, policy, reward).tolist() for policy, reward in pairs]


def course_error(result: GridworldResult, name: str) -> float:
    """Mean absolute error of a predicted "abandon" course, each time weighted by the sessions still running."""
    truth = result.abandon["truth"]
    predicted = np.array(result.abandon[name]["mean"])
    return float(np.average(np.abs(predicted - truth["mean"]), weights=truth["n"]))


def document(result: GridworldResult) -> dict[str, Any]:
    """The result as JSON holds it."""
    courses = {name: course_error(result, name) for name in result.abandon if name != "truth"}
    shown = ("likelihood", "evd", "authors_evd", "abandon", "values", "ablation")
    return {key: getattr(result, key) for key in shown} | {"abandon_error": courses}
