"""How sure may we be of the two-intention fit? Bootstrap, parameter recovery, posterior predictive check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hiql.datasets.labyrinth import LabyrinthData, labyrinth
from hiql.evaluate.checks.bootstrap import bootstrap
from hiql.evaluate.checks.predictive import predictive_check
from hiql.evaluate.checks.recovery import recovery
from hiql.evaluate.words.naming import name_intentions
from hiql.models import HIAVI

PARTS = ("bootstrap", "recovery", "predictive")
N_INTENTIONS = 2
"""What BIC chooses in both cohorts, and the paper analysed."""


def chosen_model(maze: LabyrinthData, seed: int) -> HIAVI:
    """The fit that is analysed and drawn: two intentions, training sessions of the published split."""
    return HIAVI(N_INTENTIONS, mdp=maze.mdp, random_state=seed, progress=False).fit(maze.train)


def analyse_unit(unit: Mapping[str, Any]) -> dict[str, Any]:
    """One part of the analysis of one cohort, as JSON can hold it."""
    maze = labyrinth(unit["cohort"], unit["discount"])
    model = chosen_model(maze, unit["seed"])
    return {"bootstrap": _bootstrap, "recovery": _recovery, "predictive": _predictive}[unit["part"]](maze, model, unit)


def _bootstrap(maze: LabyrinthData, model: HIAVI, unit: Mapping[str, Any]) -> dict[str, Any]:
    samples = bootstrap(
        model, maze.train, unit["n_bootstrap"], held_out=maze.test, random_state=unit["seed"], progress=False
    )
    found = {}
    for name in ("initial", "transition", "held_out"):
        low, high = samples.interval(name)
        found[name] = {"low": low.tolist(), "high": high.tolist()}
    return found


def _recovery(maze: LabyrinthData, model: HIAVI, unit: Mapping[str, Any]) -> dict[str, Any]:
    found = recovery(model, maze.mdp, maze.data, unit["n_recovery"], unit["seed"], progress=False)
    return found.table().to_dict(orient="index")


def _predictive(maze: LabyrinthData, model: HIAVI, unit: Mapping[str, Any]) -> dict[str, Any]:
    names = name_intentions(model, maze.mdp, maze.train)
    check = predictive_check(
        model, maze.mdp, maze.data, unit["n_simulations"], unit["seed"], progress=False, names=names
    )
    return check.astype(object).to_dict(orient="index")
