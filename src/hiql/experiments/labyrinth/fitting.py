"""One unit of the experiment: fit one model to the training side of one split, and score both sides."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from hiql.baselines import DIRL, CountPolicy, RandomPolicy, TimedCountPolicy
from hiql.data.folds import identical_sessions, session_folds
from hiql.data.trajectories import Trajectories
from hiql.datasets.labyrinth import LabyrinthData, labyrinth
from hiql.experiments.fitting import fit_and_score, single_starts
from hiql.models import HIAVI


def fit_unit(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Log-likelihoods, BIC under three ways of counting, and (HIAVI) single restarts for the paper's protocol."""
    maze = labyrinth(unit["cohort"], unit["discount"])
    train, test = split(maze, unit)
    model = contestant(maze, unit)
    result = fit_and_score(model, train, test) | {"n_free": model.n_free_, "bic": model.bic(train)}
    if isinstance(model, HIAVI):
        result["other_bic"] = other_countings(model, train)
        make = partial(contestant, maze, unit)
        result["restarts"] = single_starts(make, unit["seed"], unit["n_restarts"], train, test)
    return result


def split(maze: LabyrinthData, unit: Mapping[str, Any]) -> tuple[Trajectories, Trajectories]:
    """Training and held-out sessions of the unit's split."""
    if unit["split"] == "published":
        return maze.train, maze.test
    groups = identical_sessions(maze.data) if unit["split"] == "grouped" else None
    fold = session_folds(maze.data, unit["n_folds"], groups=groups, random_state=unit["seed"])[unit["fold"]]
    return maze.data.select(fold.train), maze.data.select(fold.test)


def contestant(maze: LabyrinthData, unit: Mapping[str, Any], **options: Any) -> Any:
    """The unfitted model that a unit names."""
    spec = unit["spec"]
    if spec["kind"] == "hiavi":
        return HIAVI(spec["size"], mdp=maze.mdp, **({"random_state": unit["seed"], "progress": False} | options))
    if spec["kind"] == "dirl":
        return DIRL(spec["size"], mdp=maze.mdp, random_state=unit["seed"], **unit["dirl"])
    return {"counts": CountPolicy, "timed": TimedCountPolicy, "random": RandomPolicy}[spec["kind"]]()


def other_countings(model: HIAVI, train: Trajectories) -> dict[str, float]:
    """BIC when every policy entry, or every reward entry, counts as a parameter, whether data bear on it or not."""
    k, n_states, n_actions = model.policy_.shape
    chain = (k - 1) + k * (k - 1)
    cost = np.log(train.n_observed)
    loss = -2.0 * model.score(train)
    return {
        "all policy entries": loss + cost * (chain + k * n_states * (n_actions - 1)),
        "all rewards": loss + cost * (chain + k * n_states * n_actions),
    }
