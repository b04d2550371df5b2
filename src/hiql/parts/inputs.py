"""The inputs that a regression reads: all of the data's, or some by name, standardised, and a 1 for the bias."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.parts.part import FloatArray
from hiql.parts.rows import Sessions, StepRows

FARTHEST = 1e9
"""Inputs farther from their mean, in standard deviations, are taken for that far: no sum of powers overflows."""
MOST_KEPT = 2**25
"""Bytes of standardised inputs that are kept for all passes; more are made anew in each, part by part."""
Names = tuple[str, ...] | None
"""Of some inputs; None: of all."""
Steps = slice | npt.NDArray[np.integer[Any]]


def chosen(names: Names, coding: Coding) -> list[str]:
    """The names of the inputs that are read, in the order of the weights."""
    return list(coding.input_names if names is None else names)


def check_inputs(names: Names, coding: Coding) -> None:
    """Raise a named error unless the data have these inputs, or any if none are named."""
    known = coding.input_names
    if not known:
        remedy = "name columns as inputs= (read_table, from_arrays) or give memory= (bandit_trials)"
        raise InvalidParameter(parameter="inputs", value="none in these data", remedy=remedy)
    if names is None:
        return
    if isinstance(names, str) or not names or len(set(names)) < len(names) or not set(names) <= set(known):
        remedy = f"choose some of {', '.join(map(repr, known))}, each once, or None for all"
        raise InvalidParameter(parameter="inputs", value=names, remedy=remedy)


def columns(names: Names, coding: Coding) -> npt.NDArray[np.intp]:
    """Which of the inputs that a model knows these are."""
    known = list(coding.input_names)
    return np.array([known.index(name) for name in chosen(names, coding)], dtype=np.intp)


def regressors(names: Names, coding: Coding, data: Trajectories, steps: Steps) -> FloatArray:
    """(n, F) what a regression reads of these steps: standardised inputs (n, D), 0 where one is missing, and a 1."""
    found = coding.standardised(data, steps)  # type: ignore[arg-type]
    own = found if names is None else found[:, columns(names, coding)]
    return with_bias(own)


def reading(names: Names, coding: Coding, data: Trajectories) -> StepRows:
    """Every step, with its regressors where all of them are few enough to be kept."""
    rows, size = StepRows.of(data), 8 * data.n_steps * (len(chosen(names, coding)) + 1)
    return rows if size > MOST_KEPT else replace(rows, kept=regressors(names, coding, data, slice(None)))


def regressors_of(rows: StepRows, names: Names, coding: Coding, sessions: Sessions) -> FloatArray:
    """(n, F) what a regression reads of the steps of these sessions."""
    here = rows.slice(sessions)
    return regressors(names, coding, rows.data, here) if rows.kept is None else rows.kept[here]


def with_bias(standardised: FloatArray) -> FloatArray:
    """(n, F) inputs (n, D), none farther than ``FARTHEST`` from 0, and a 1."""
    return np.column_stack([np.clip(standardised, -FARTHEST, FARTHEST), np.ones(len(standardised))])


def in_users_units(weights: FloatArray, names: Names, coding: Coding | None) -> FloatArray:
    """(…, D + 1) weights of the inputs as they are, from those of standardised inputs; the last is the bias."""
    if coding is None:
        return weights
    own = columns(names, coding)
    slopes = weights[..., :-1] / np.array(coding.input_scales)[own]
    bias = weights[..., -1:] - slopes @ np.array(coding.input_means)[own][:, None]
    return np.concatenate([slopes, bias], axis=-1)
