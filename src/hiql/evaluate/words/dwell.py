"""How long intentions last: what the chain expects, and the runs of the decoded path."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.models.derived import expected_dwell

__all__ = ["Runs", "expected_dwell", "find_runs", "outlasts_sessions", "survival", "tell_sessions_apart"]
SELDOM = 0.1
"""Where fewer sessions than this share see a change of mind, intentions are about sessions."""
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.integer[Any]]


class Runs(NamedTuple):
    """The R runs of one intention in a path: ``intention`` (R,), ``length`` (R,) in steps, and whether the run was
    ``cut`` (R,) off by the end of its session, so that it might have lasted longer."""

    intention: IntArray
    length: IntArray
    cut: npt.NDArray[np.bool_]

    def of(self, intention: int) -> Runs:
        """The runs of one intention."""
        return Runs(*(column[self.intention == intention] for column in self))


def find_runs(data: Trajectories, path: IntArray) -> Runs:
    """The runs of a path (N,) of intentions; a new session starts a new run."""
    begins = np.diff(path, prepend=-1) != 0
    begins[data.offsets[:-1]] = True
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(path))
    return Runs(path[starts], ends - starts, np.isin(ends, data.offsets))


def outlasts_sessions(dwell: npt.ArrayLike, mean_session: float) -> npt.NDArray[np.bool_]:
    """(K,) whether an intention lasts longer on average than a session."""
    return np.asarray(dwell, dtype=np.float64) > mean_session


def tell_sessions_apart(dwell: npt.ArrayLike, data: Trajectories, path: IntArray) -> bool:
    """Whether intentions divide sessions, not steps: all outlast them, and on the path (N,) few sessions see two.

    One that is left in certain places only may outlast sessions on average, and yet end in most of them.
    """
    if not outlasts_sessions(dwell, float(data.lengths.mean())).all():
        return False
    sessions = np.repeat(np.arange(data.n_sessions), data.lengths)
    changes = (np.diff(path) != 0) & (np.diff(sessions) == 0)
    return len(np.unique(sessions[1:][changes])) < SELDOM * data.n_sessions


def survival(runs: Runs) -> FloatArray:
    """(longest,) the share of runs that last at least 1, 2, … steps.

    The estimate of Kaplan and Meier, Π_{m<n} (1 − ended_m / reached_m): a run that was cut off counts for as long as
    it was seen and not as one that ended. After the last run that ended by itself it stays level.
    """
    longest = int(runs.length.max(initial=0))
    reached = np.cumsum(np.bincount(runs.length, minlength=longest + 1)[::-1])[::-1][1:]
    ended = np.bincount(runs.length[~runs.cut], minlength=longest + 1)[1:]
    return np.concatenate([[1.0], np.cumprod(1.0 - ended / reached)[:-1]]) if longest else np.zeros(0)
