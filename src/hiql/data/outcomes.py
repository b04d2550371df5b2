"""What followed an action, as one of a few kinds: by its label, or by its amount where there are no labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from hiql.data.blocks import in_blocks
from hiql.data.described import plain_labels
from hiql.data.matching import known_codes, missing_column
from hiql.data.trajectories import Trajectories

MOST_KINDS = 64
"""Outcomes of more different amounts are measurements, not kinds."""


def kinds_of_outcome(data: Trajectories) -> tuple[Hashable, ...]:
    """The labels of the outcomes, or their different amounts; none where there are no outcomes, or too many amounts."""
    if data.outcomes is None or data.outcome_labels is not None:
        return plain_labels(data.outcome_labels) or ()
    met: set[float] = set()
    for _, (part,) in in_blocks(data.outcomes):
        met.update(np.unique(part[~np.isnan(part)]).tolist())
        if len(met) > MOST_KINDS:
            return ()
    return tuple(sorted(met))


def outcome_codes(data: Trajectories, known: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    """(N,) which of the ``known`` kinds each outcome is; their number for another one, or none."""
    if data.outcomes is None:
        raise missing_column("outcome", "reward", ())
    if data.outcome_labels is not None:
        return known_codes(np.nan_to_num(data.outcomes, nan=-1.0).astype(np.int64), data.outcome_labels, known)
    amounts, codes = np.unique(data.outcomes, return_inverse=True)  # NaN comes last, and is no kind
    return known_codes(codes, amounts.tolist(), known)
