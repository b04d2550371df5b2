"""Run all units of the experiment, and gather them into one result."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hiql.evaluate.courses import mean_course
from hiql.experiments.frame import Plan, Stage
from hiql.experiments.gridworld.config import MODELS, GridworldConfig
from hiql.experiments.gridworld.fitting import fit_unit, simulation
from hiql.experiments.results import mean_and_error
from hiql.sweep import Failure, Outcome
from hiql.worlds.planning import evaluate_policy
from hiql.worlds.two_goals import ABANDON, TwoGoals


class GridworldResult(NamedTuple):
    """``likelihood[model][size]``, ``evd[model]``, ``abandon[model]``, ``values[model]``, as in results.json."""

    config: GridworldConfig
    expert: TwoGoals
    likelihood: dict[str, dict[int, dict[str, Any]]]
    evd: dict[str, dict[str, dict[str, float]]]
    abandon: dict[str, dict[str, Any]]
    values: dict[str, list[list[float]]]
    failures: list[Failure]


def plan(config: GridworldConfig, folder: Path) -> Plan[GridworldResult]:  # noqa: ARG001
    """Every model on every fold of every size."""
    units = [
        {
            "experiment": "gridworld",
            "seed": config.seed,
            "n_total": max(config.sizes),
            "inverse_temperature": config.inverse_temperature,
            "size": size,
            "n_folds": config.n_folds,
            "fold": fold,
            "spec": spec,
            "pseudo_count": config.pseudo_count,
            "n_restarts": config.n_restarts,
        }
        for size in config.sizes
        for fold in range(config.folds_run)
        for spec in MODELS.values()
    ]
    return Plan([Stage("Gridworld", units, fit_unit)], partial(gather, config))


def gather(config: GridworldConfig, outcomes: list[Outcome], failures: list[Failure]) -> GridworldResult:
    """Means and standard errors over folds; courses and value maps of the fold that predicts best."""
    expert = simulation(config.seed, max(config.sizes), config.inverse_temperature)
    likelihood: dict[str, dict[int, dict[str, Any]]] = {}
    evd: dict[str, dict[str, dict[str, float]]] = {}
    abandon, values = {"truth": _true_course(expert)}, {"truth": _true_values(expert)}
    for name, spec in MODELS.items():
        mine = [outcome for outcome in outcomes if outcome.unit["spec"] == spec]
        likelihood[name] = {
            size: _likelihood([o.result for o in mine if o.unit["size"] == size]) for size in config.sizes
        }
        judged = [outcome.result for outcome in mine if "evd" in outcome.result]
        if judged:
            evd[name] = {z: mean_and_error(r["evd"][i] for r in judged) for i, z in enumerate(expert.intentions)}
            best = max(judged, key=lambda r: r["test"] / r["test_steps"])
            abandon[name], values[name] = best["abandon"], best["values"]
    return GridworldResult(config, expert, likelihood, evd, abandon, values, failures)


def _likelihood(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Held-out log-likelihood over folds: per trajectory and per step, by both ways of choosing a restart."""
    if not results:
        return {}
    summary: dict[str, Any] = {
        "per_trajectory": mean_and_error(r["test"] / r["test_sessions"] for r in results),
        "per_step": mean_and_error(r["test"] / r["test_steps"] for r in results),
        "fit_seconds": mean_and_error(r["fit_seconds"] for r in results),
    }
    if all("restarts" in r for r in results):
        by_test = [max(run["test"] for run in r["restarts"]) for r in results]
        pairs = list(zip(by_test, results, strict=True))
        summary["restart_by_test"] = {
            "per_trajectory": mean_and_error(test / r["test_sessions"] for test, r in pairs),
            "per_step": mean_and_error(test / r["test_steps"] for test, r in pairs),
        }
    return summary


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
    shown = {key: getattr(result, key) for key in ("likelihood", "evd", "abandon", "values")}
    return shown | {"abandon_error": courses}
