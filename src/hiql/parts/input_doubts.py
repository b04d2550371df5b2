r"""What users should know of inputs that tell a regression nothing, or nothing of their own.

With R the correlations of the inputs before input d, and r theirs with it, they leave 1 − rᵀR⁻¹r of its variance. If
that is nothing it follows from them: their weights are identified together only, and shared as the ridge has it.
"""

from __future__ import annotations

import numpy as np

from hiql.data.blocks import BLOCK
from hiql.data.coding import Coding
from hiql.data.matching import INDICATOR
from hiql.data.trajectories import Trajectories
from hiql.parts.inputs import Names, chosen, columns
from hiql.parts.part import FloatArray

NOTHING_OF_ITS_OWN = 1e-9
"""An input with less of its variance beside the others follows from them."""
HAS_A_PART = 1e-3
"""Standardised inputs with less weight than this in what another follows from are not named."""


def told_inputs(names: Names, coding: Coding, data: Trajectories) -> tuple[str, ...]:
    """Sentences about inputs that are constant, follow from others, or have most of their spread in one step."""
    called = chosen(names, coding)
    products, largest = _seen(names, coding, data)
    squares = np.diag(products)
    told, kept = [], list[int]()
    for i, name in enumerate(called):
        if squares[i] <= NOTHING_OF_ITS_OWN * data.n_steps:
            told.append(f"input {name!r} is the same at every step: it tells nothing; leave it out")
        elif (others := _followed(products, i, kept)) is None:
            kept.append(i)
        elif not _of_one_column([name, *(called[j] for j in others)]):
            which = ", ".join(repr(called[j]) for j in others)
            told.append(
                f"input {name!r} follows from {which}: only what they do together is known, and their weights share "
                "it; leave one out"
            )
        if data.n_steps > 2 and largest[i] > 0.5 * squares[i] > 0:
            told.append(
                f"one step has more of the spread of input {name!r} than all others together, and sets its scale; if "
                "its value stands for none, make it missing"
            )
    return tuple(told)


def _seen(names: Names, coding: Coding, data: Trajectories) -> tuple[FloatArray, FloatArray]:
    """(D, D) the sums of products of standardised inputs, and (D,) the largest square of each."""
    own = columns(names, coding)
    products, largest = np.zeros((len(own), len(own))), np.zeros(len(own))
    for first in range(0, data.n_steps, BLOCK):
        part = coding.standardised(data, slice(first, first + BLOCK))[:, own]
        products += part.T @ part
        largest = np.maximum(largest, np.square(part).max(axis=0))
    return products, largest


def _followed(products: FloatArray, i: int, kept: list[int]) -> list[int] | None:
    """Which of the inputs ``kept`` input i follows from; None if it has something of its own."""
    if not kept:
        return None
    weights = np.linalg.solve(products[np.ix_(kept, kept)], products[kept, i])
    own = products[i, i] - weights @ products[kept, i]
    if own > NOTHING_OF_ITS_OWN * products[i, i]:
        return None
    return [j for j, weight in zip(kept, weights, strict=True) if abs(weight) > HAS_A_PART]


def _of_one_column(names: list[str]) -> bool:
    """Whether these are the indicators of one column of words: one follows from the others, as it should."""
    columns = {name.partition(INDICATOR)[0] for name in names}
    return len(columns) == 1 and all(INDICATOR in name for name in names)
