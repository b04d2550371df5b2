"""Which intention of one fit is which of another: labels are arbitrary, so match them by what they do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from hiql.errors import ShapeMismatch
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]


class Matching(NamedTuple):
    """``order[i]`` is the intention that corresponds to intention i of the reference; ``distance`` is their mean
    total-variation distance, 0 when the policies are the same and 1 when they never agree."""

    order: npt.NDArray[np.intp]
    distance: float


def match_policies(policy: npt.ArrayLike, reference: npt.ArrayLike) -> Matching:
    """The assignment of policies (K, S, A) to reference policies (K, S, A) with the least total distance."""
    policy, reference = np.asarray(policy, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if policy.shape != reference.shape:
        raise ShapeMismatch(
            field="policy",
            shape=policy.shape,
            expected=reference.shape,
            remedy="align fits with the same numbers of intentions, states and actions",
        )
    cost = 0.5 * np.abs(reference[:, None] - policy[None]).sum(axis=-1).mean(axis=-1)
    rows, order = linear_sum_assignment(cost)
    return Matching(order, float(cost[rows, order].mean()))


def align(model: IntentionModel, reference: IntentionModel) -> IntentionModel:
    """A copy of ``model`` whose intentions are numbered like those of ``reference``."""
    return model.permuted(match_policies(model.policy_, reference.policy_).order)


def decoding_agreement(decoded: npt.ArrayLike, true: npt.ArrayLike) -> float:
    """The share of steps on which decoded and true intentions agree, after the best one-to-one relabelling."""
    decoded, true = np.asarray(decoded), np.asarray(true)
    if decoded.shape != true.shape:
        raise ShapeMismatch(
            field="decoded",
            shape=decoded.shape,
            expected=true.shape,
            remedy="give one intention for each step",
        )
    table = np.zeros((int(decoded.max()) + 1, int(true.max()) + 1))
    np.add.at(table, (decoded, true), 1)
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].sum() / len(decoded))
