"""How subjects differ in their intentions: shares of each, and whether a subject ever switches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


class SubjectShares(NamedTuple):
    """``share`` (n, K) of the steps of each of n subjects, by the posterior; by the most likely paths, whether it
    ``switches`` (n,) within a session, and whether it ``changes`` (n,) its intention at all, within or between."""

    subjects: tuple[str, ...]
    share: FloatArray
    switches: BoolArray
    changes: BoolArray


def subject_shares(data: Trajectories, posterior: FloatArray, decoded: npt.NDArray[np.integer]) -> SubjectShares:
    """From the posterior (N, K) and the most likely paths (N,) of all sessions."""
    names = tuple(dict.fromkeys(map(str, data.subjects)))
    owner = np.repeat([names.index(str(name)) for name in data.subjects], data.lengths)
    steps = np.bincount(owner, minlength=len(names))
    sums = np.stack([np.bincount(owner, column, minlength=len(names)) for column in posterior.T], axis=1)
    moved = np.diff(decoded, prepend=decoded[:1]) != 0
    moved[data.offsets[:-1]] = False
    used = np.zeros((len(names), posterior.shape[1]), dtype=bool)
    used[owner, decoded] = True
    return SubjectShares(names, sums / steps[:, None], np.bincount(owner, moved) > 0, used.sum(axis=1) > 1)
