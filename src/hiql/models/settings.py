"""The settings of a fit, checked at the door."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.engine.how_many import AUTO
from hiql.engine.search import Search
from hiql.errors import EmptyData, InvalidNumberOfIntentions, InvalidParameter


class Settings(Protocol):
    """What a model says about how much to look."""

    n_init: int
    patience: int | None
    max_iter: int
    tol: float
    random_state: int
    n_jobs: int | None


def checked_search(settings: Settings, data: Trajectories, k: Any) -> Search:
    """How the optimum of k intentions is looked for; named errors where a setting is none, or the data are too few."""
    if not is_whole(k, 1):
        raise InvalidNumberOfIntentions(n_intentions=k, remedy=f'choose a whole number ≥ 1, or "{AUTO}"')
    if data.n_observed == 0:
        raise EmptyData(what="no step has both a state and an action", remedy="give at least one observed step")
    if k > data.n_observed:
        remedy = f"the data have only {data.n_observed} observed steps; choose fewer intentions"
        raise InvalidNumberOfIntentions(n_intentions=k, remedy=remedy)
    patience = 12 * (k - 1) if settings.patience is None else settings.patience
    lowest = {"n_init": 1, "max_iter": 1, "random_state": 0}
    wholes = {name: (getattr(settings, name), low) for name, low in lowest.items()} | {"patience": (patience, 0)}
    for name, (value, low) in wholes.items():
        if not is_whole(value, low):
            raise InvalidParameter(parameter=name, value=value, remedy=f"choose a whole number ≥ {low}")
    if not isinstance(settings.tol, int | float | np.number) or not settings.tol >= 0:
        raise InvalidParameter(parameter="tol", value=settings.tol, remedy="choose a number ≥ 0")
    threads = n_threads(settings.n_jobs)
    return Search(settings.n_init, patience, settings.max_iter, float(settings.tol), threads)


def is_whole(value: Any, lowest: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= lowest)


def n_threads(n_jobs: int | None) -> int:
    """How many threads that means: None is one, -1 all cores."""
    from joblib import effective_n_jobs

    return 1 if n_jobs is None else effective_n_jobs(n_jobs)
