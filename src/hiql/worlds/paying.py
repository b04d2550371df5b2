"""How spouts pay: each with its chance, and with or without baits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.worlds.environment import FloatArray, IntArray

Armed = npt.NDArray[np.bool_]


class Payment(NamedTuple):
    """``outcomes`` (n,) 1 or 0, NaN without a choice; ``armed`` (n, A), where a reward still waits."""

    outcomes: FloatArray
    armed: Armed


def pay(armed: Armed, chances: FloatArray, actions: IntArray, baited: bool, rng: np.random.Generator) -> Payment:
    """The rewards of n choices, given where rewards wait and the chance (n, A) that another is put there.

    In every trial each option without a reward gets one with its chance; the chosen option pays what is there. Without
    baits the others are emptied after the trial; with them a reward waits until its option is chosen.
    """
    armed = armed | (rng.random(chances.shape) < chances)
    chosen = actions[:, None] == np.arange(chances.shape[1])
    outcomes = np.where(chosen.any(axis=1), (armed & chosen).any(axis=1), np.nan)
    return Payment(outcomes, armed & ~chosen & baited)


def checked_chances(parameter: str, values: npt.ArrayLike, shape: tuple[int, int] | None = None) -> FloatArray:
    """(rows, A) probabilities, one column an option; read-only."""
    chances = np.array(values, dtype=np.float64)
    sound = chances.ndim == 2 and min(chances.shape) >= 1 and shape in (None, chances.shape)
    if not sound:
        rows = "one row a kind of block" if shape is None else "one row a step"
        raise ShapeMismatch(
            field=parameter, shape=chances.shape, expected=shape or "(blocks, options)", remedy=f"give {rows}"
        )
    bad = ~((chances >= 0) & (chances <= 1))
    if bad.any():
        row, option = np.argwhere(bad)[0]
        place = f"{parameter}[{row}, {option}]"
        raise InvalidParameter(parameter=place, value=float(chances[row, option]), remedy="choose a number in [0, 1]")
    chances.setflags(write=False)
    return chances
