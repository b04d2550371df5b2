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
from hiql.experiments.as_printed import Procedure, fit_as_printed
from hiql.experiments.fitting import scores, timed
from hiql.models import HIAVI
from hiql.rewards.iavi import IAVI


def fit_unit(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Log-likelihoods, the authors' score, and BIC, for HIAVI under three ways of counting."""
    maze = labyrinth(unit["cohort"], unit["discount"])
    train, test = split(maze, unit)
    model, seconds = timed(partial(fitted, maze, unit, train, test))
    counted = {"n_free": model.n_free_, "bic": model.bic(train), "fit_seconds": seconds}
    if isinstance(model, HIAVI):
        counted["other_bic"] = other_countings(model, train)
    return scores(model, train, test) | counted


def split(maze: LabyrinthData, unit: Mapping[str, Any]) -> tuple[Trajectories, Trajectories]:
    """Training and held-out sessions of the unit's split."""
    if unit["split"] == "published":
        return maze.train, maze.test
    groups = identical_sessions(maze.data) if unit["split"] == "grouped" else None
    fold = session_folds(maze.data, unit["n_folds"], groups=groups, random_state=unit["seed"])[unit["fold"]]
    return maze.data.select(fold.train), maze.data.select(fold.test)


def fitted(maze: LabyrinthData, unit: Mapping[str, Any], train: Trajectories, test: Trajectories) -> Any:
    """The model that a unit names, fitted; the authors' procedure looks at the test side, too."""
    spec, seed = unit["spec"], unit["seed"]
    if spec["kind"] == "printed":
        procedure = Procedure(n_starts=unit["n_restarts"])
        return fit_as_printed(spec["size"], IAVI(mdp=maze.mdp), train, test, procedure=procedure, seed=seed)
    makers = {
        "hiavi": lambda: HIAVI(spec["size"], mdp=maze.mdp, random_state=seed, progress=False),
        "dirl": lambda: DIRL(spec["size"], mdp=maze.mdp, random_state=seed, **unit["dirl"]),
        "counts": CountPolicy,
        "timed": TimedCountPolicy,
        "random": RandomPolicy,
    }
    return makers[spec["kind"]]().fit(train)


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
