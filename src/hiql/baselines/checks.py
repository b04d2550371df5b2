"""Checks of the baselines' parameters, made before any work is done."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from hiql.data.sizes import check_sizes
from hiql.data.trajectories import Trajectories
from hiql.errors import EmptyData, InvalidParameter
from hiql.worlds.mdp import MDP


def check_number(parameter: str, value: Any, lowest: float = 0.0) -> float:
    """A finite number no smaller than ``lowest``."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else np.nan
    if not (np.isfinite(number) and number >= lowest):
        raise InvalidParameter(parameter=parameter, value=value, remedy=f"choose a number ≥ {lowest:g}")
    return number


def check_whole(parameter: str, value: Any, lowest: int = 1) -> int:
    """A whole number no smaller than ``lowest``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < lowest:
        raise InvalidParameter(parameter=parameter, value=value, remedy=f"choose a whole number ≥ {lowest}")
    return int(value)


def check_world(mdp: Any, discount: float | None, data: Trajectories) -> MDP:
    """The world the data come from, with another discount if one is given."""
    if not isinstance(mdp, MDP):
        raise InvalidParameter(
            parameter="mdp", value=type(mdp).__name__, remedy="give an hiql.MDP or a world of hiql.worlds"
        )
    check_sizes(data, mdp.n_states, mdp.n_actions)
    check_evidence(data)
    return mdp if discount is None else replace(mdp, discount=discount)


def check_evidence(data: Trajectories) -> None:
    if data.n_observed == 0:
        what = "no step has both a state and an action"
        raise EmptyData(what=what, remedy="give at least one observed step")
