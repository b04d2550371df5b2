"""Draws of a posterior as plain values for a model's file, and back, checked: files come from others."""

from __future__ import annotations

from copy import copy
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.engine.problem import Point
from hiql.engine.sampling import unstacked
from hiql.errors import ShapeMismatch
from hiql.models.posterior import Posterior, known


def packed_draws(model: Any) -> dict[str, Any] | None:
    """What a file holds of the draws that a model has; None if it has none."""
    posterior: Posterior | None = getattr(model, "posterior_", None)
    if posterior is None:
        return None
    dynamics, choice = posterior.point
    numbers = {"share": posterior.share, "log_likelihood": posterior.log_likelihood, "moved": posterior.moved}
    own = {"dynamics": dynamics, "choice": choice, "preference": posterior.preference}
    return numbers | own | {"n_chains": posterior.n_chains}


def unpacked_draws(model: Any, draws: dict[str, Any], data: Trajectories) -> Posterior:
    """The draws of a file; an error unless each could be one of this model, whose least ``data`` these are."""
    share, n_chains, preference = draws["share"], draws["n_chains"], tuple(draws["preference"])
    n, k = len(share), model.n_intentions_
    wanted: list[tuple[str, Any, tuple[int, ...]]] = [
        ("share", share, (n, k)),
        ("log_likelihood", draws["log_likelihood"], (n,)),
        ("moved", draws["moved"], (2,)),
    ]
    shape = (n, k, model.n_states_, model.n_actions_)
    shapes = () if model._reward() is None else (shape, shape, shape[:3])
    wanted += [("preference", array, each) for array, each in zip(preference, shapes, strict=True)]
    for name, array, each in wanted:
        _check(name, array, each)
    if not (isinstance(n_chains, int) and n_chains >= 1 and n >= 4 * n_chains and n % n_chains == 0):
        raise ShapeMismatch(field="draws", shape=(n,), expected="chains of equal lengths", remedy="draw them again")
    point = Point(draws["dynamics"], draws["choice"])
    for params in point:
        if not is_dataclass(params) or {len(getattr(params, field.name)) for field in fields(params)} != {n}:
            raise ShapeMismatch(field="draws", shape="others", expected=(n, "…"), remedy="draw them again")
    problem = model._problem(data)
    for one in (unstacked(point, i) for i in range(n)):
        for part, params in zip(problem.parts, one, strict=True):
            part.check_params(params, problem.data, k)
    likelihood, moved = draws["log_likelihood"], draws["moved"]
    return Posterior(copy(model), point, share, likelihood, n_chains, moved, partial(known, preference))


def _check(name: str, array: Any, shape: tuple[int, ...]) -> None:
    good = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.shape == shape
    if not good or not np.isfinite(array).all():
        shown = array.shape if isinstance(array, np.ndarray) else type(array).__name__
        raise ShapeMismatch(field=f"draws of {name}", shape=shown, expected=shape, remedy="draw them again")
