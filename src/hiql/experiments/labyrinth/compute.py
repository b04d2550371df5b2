"""Run all units of the experiment, and gather them into one result for each cohort."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hiql.data.folds import identical_sessions
from hiql.datasets.labyrinth import LabyrinthData, labyrinth
from hiql.evaluate.words.naming import name_intentions
from hiql.experiments.frame import Plan, Stage
from hiql.experiments.labyrinth.analysis import PARTS, analyse_unit, chosen_model
from hiql.experiments.labyrinth.config import COHORTS, LabyrinthConfig, dirl_settings
from hiql.experiments.labyrinth.fitting import fit_unit
from hiql.experiments.results import mean_and_error
from hiql.models import HIAVI
from hiql.sweep import Failure, Outcome


class CohortResult(NamedTuple):
    """One cohort: ``scores[model]``, the model with the lowest BIC, what it means, and how sure we may be."""

    cohort: str
    maze: LabyrinthData
    leaks: dict[str, int]
    scores: dict[str, dict[str, Any]]
    best: int
    model: HIAVI
    names: tuple[str, ...]
    analysis: dict[str, Any]
    seconds: dict[str, float]

    def family(self, prefix: str) -> dict[int, dict[str, Any]]:
        """The scores of HIAVI by K, or of DIRL by number of maps."""
        found = {name: s for name, s in self.scores.items() if re.fullmatch(rf"{prefix}, (K = )?\d+( maps?)?", name)}
        return {int("".join(filter(str.isdigit, name))): scores for name, scores in found.items()}


class LabyrinthResult(NamedTuple):
    config: LabyrinthConfig
    cohorts: dict[str, CohortResult]
    failures: list[Failure]


def plan(config: LabyrinthConfig, folder: Path) -> Plan[LabyrinthResult]:  # noqa: ARG001
    """Fits of all models, then the analyses of the two-intention fits."""
    stages = [
        Stage("Labyrinth: fits", fit_units(config), fit_unit),
        Stage("Labyrinth: analyses", analysis_units(config), analyse_unit),
    ]
    return Plan(stages, partial(gather, config))


def gather(config: LabyrinthConfig, outcomes: list[Outcome], failures: list[Failure]) -> LabyrinthResult:
    cohorts = {c: gather_cohort(config, c, [o for o in outcomes if o.unit["cohort"] == c]) for c in COHORTS}
    return LabyrinthResult(config, cohorts, failures)


def fit_units(config: LabyrinthConfig) -> list[dict[str, Any]]:
    """Every model on every split of every cohort."""
    shared = {"experiment": "labyrinth", "seed": config.seed, "discount": config.discount, "n_folds": config.n_folds}
    return [
        shared
        | {"cohort": cohort, "split": split, "fold": fold, "spec": spec, "n_restarts": config.n_restarts}
        | ({"dirl": dirl_settings(cohort, spec["size"], split, config.dirl_starts)} if spec["kind"] == "dirl" else {})
        for cohort in COHORTS
        for split, fold in config.splits()
        for spec in config.models().values()
    ]


def analysis_units(config: LabyrinthConfig) -> list[dict[str, Any]]:
    """Bootstrap, recovery and predictive check of the two-intention fit of every cohort."""
    shared = {"experiment": "labyrinth", "seed": config.seed, "discount": config.discount}
    sizes = {name: getattr(config, name) for name in ("n_bootstrap", "n_simulations", "n_recovery")}
    return [shared | sizes | {"cohort": cohort, "part": part} for cohort in COHORTS for part in PARTS]


def gather_cohort(config: LabyrinthConfig, cohort: str, outcomes: list[Outcome]) -> CohortResult:
    """The scores of one cohort, and the analyses of its two-intention fit."""
    maze = labyrinth(cohort, config.discount)
    mine = [outcome for outcome in outcomes if "spec" in outcome.unit]
    scores = {name: _scores([o for o in mine if o.unit["spec"] == spec]) for name, spec in config.models().items()}
    scores = {name: found for name, found in scores.items() if found}  # what failed is listed among the failures
    bics = {k: scores[name]["bic"] for k in config.n_intentions if (name := f"HIAVI, K = {k}") in scores}
    model = chosen_model(maze, config.seed)
    names = name_intentions(model, maze.mdp, maze.train)
    analyses = [outcome for outcome in outcomes if "part" in outcome.unit]
    seconds = {name: sum(o.seconds for o in mine if o.unit["spec"] == spec) for name, spec in config.models().items()}
    return CohortResult(
        cohort,
        maze,
        _leaks(maze),
        scores,
        min(bics, key=lambda k: bics[k], default=0),
        model,
        names,
        {outcome.unit["part"]: outcome.result for outcome in analyses},
        seconds | {outcome.unit["part"]: outcome.seconds for outcome in analyses},
    )


def _scores(outcomes: list[Outcome]) -> dict[str, Any]:
    """Totals on the published split, and nats per decision over both kinds of folds."""
    by_split = {kind: [o.result for o in outcomes if o.unit["split"] == kind] for kind in ("sessions", "grouped")}
    published = next((o.result for o in outcomes if o.unit["split"] == "published"), None)
    if published is None or not all(by_split.values()):
        return {}
    scores = {key: published[key] for key in ("train", "test", "leaking", "bic", "n_free", "fit_seconds")}
    scores["bits_per_decision"] = published["test"] / published["test_steps"] / math.log(2)
    scores["other_bic"] = published.get("other_bic", {})
    for kind, results in by_split.items():
        scores[kind] = mean_and_error(r["test"] / r["test_steps"] for r in results)
    return scores


def _leaks(maze: LabyrinthData) -> dict[str, int]:
    """How many held-out trajectories are copies of training ones, and how many are distinct at all."""
    seen = {maze.train.pairs[maze.train.session(i)].tobytes() for i in range(maze.train.n_sessions)}
    copies = [maze.test.pairs[maze.test.session(i)].tobytes() in seen for i in range(maze.test.n_sessions)]
    return {
        "held_out": maze.test.n_sessions,
        "copies": sum(copies),
        "sessions": maze.data.n_sessions,
        "distinct": max(identical_sessions(maze.data)) + 1,
    }


def document(result: LabyrinthResult) -> dict[str, Any]:
    """The result as JSON holds it."""
    return {"cohorts": {cohort: _document(part) for cohort, part in result.cohorts.items()}}


def models(result: LabyrinthResult) -> dict[str, HIAVI]:
    """The two-intention fits."""
    return {cohort: part.model for cohort, part in result.cohorts.items()}


def _document(part: CohortResult) -> dict[str, Any]:
    """A cohort's result as JSON holds it."""
    return {
        "leaks": part.leaks,
        "scores": part.scores,
        "bic_chooses": part.best,
        "names": part.names,
        "initial": part.model.initial_,
        "transition": part.model.transition_,
        "analysis": part.analysis,
        "seconds": part.seconds,
    }
