"""The policy that weighted counts and a prior imply: the M-step shared by all exact solvers (DESIGN, fact 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.kernels.log_tables import log_shares
from hiql.solvers.preference import Evidence, FloatArray


@dataclass(frozen=True, eq=False)
class CountingPolicy:
    """π(a|s) ∝ expected count(s, a) + pseudo-count(s, a).

    This is the mode under a Dirichlet prior, and softmax(Q) of the reward that IAVI or IQL finds for it.

    Parameters
    ----------
    pseudo_count : a number, or an array that broadcasts to (K, S, A). A base policy b(a|s) held with a strength
        c(s) is the array c(s)·b(a|s); one for each intention gives it a first axis.
    """

    pseudo_count: float | FloatArray = 0.1

    def __post_init__(self) -> None:
        check_pseudo_count(self.pseudo_count)

    @property
    def is_exact(self) -> bool:
        return True

    def check(self, data: Trajectories, n_intentions: int) -> None:
        wanted = (n_intentions, data.n_states, data.n_actions)
        try:
            fits = np.broadcast_shapes(np.shape(self.pseudo_count), wanted) == wanted
        except ValueError:
            fits = False
        if not fits:
            raise ShapeMismatch(
                field="pseudo_count",
                shape=np.shape(self.pseudo_count),
                expected=f"a number, or an array that broadcasts to {wanted},",
                remedy="give a base policy times a strength for every state and action",
            )

    def policy(self, evidence: Evidence) -> FloatArray:
        return log_policy_from_counts(evidence.counts, self.pseudo_count)

    def log_prior(self, log_policy: FloatArray) -> float:
        return log_policy_prior(log_policy, self.pseudo_count)


def log_policy_from_counts(counts: npt.ArrayLike, pseudo_count: Any) -> FloatArray:
    """(…, S, A) log of (counts + pseudo-counts) / their sum over actions; uniform where there is neither."""
    raised = np.ascontiguousarray(np.asarray(counts, dtype=np.float64) + pseudo_count)
    return log_shares(raised.reshape(-1, raised.shape[-1])).reshape(raised.shape)


def log_policy_prior(log_policy: FloatArray, pseudo_count: Any) -> float:
    """Σ pseudo-count · log π: the logarithm of the Dirichlet prior, up to a constant."""
    if np.ndim(pseudo_count) == 0:
        return float(pseudo_count) * float(log_policy.sum()) if pseudo_count else 0.0
    believed = np.broadcast_to(np.asarray(pseudo_count) > 0, log_policy.shape)
    return float((log_policy * pseudo_count).sum(where=believed))


def check_pseudo_count(pseudo_count: Any) -> None:
    try:
        array = np.asarray(pseudo_count, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not (np.isfinite(array).all() and (array >= 0).all()):
        shown = pseudo_count if array.ndim == 0 else f"an array with minimum {array.min()}"
        raise InvalidParameter(parameter="pseudo_count", value=shown, remedy="choose finite numbers ≥ 0")
