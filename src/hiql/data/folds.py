"""Cross-validation folds over whole sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, UnequalLengths


class Fold(NamedTuple):
    """Session indices of one split."""

    train: npt.NDArray[np.int64]
    test: npt.NDArray[np.int64]


def session_folds(
    data: Trajectories,
    n_folds: int = 5,
    *,
    groups: Sequence[object] | None = None,
    strata: Sequence[object] | None = None,
    random_state: int | np.random.Generator = 0,
) -> list[Fold]:
    """Split the sessions into ``n_folds`` parts, each held out once.

    Sessions of one group (one label a session: a subject, or identical trajectories) stay on the same side;
    by default every unit of smoothing, which is a session, is its own group. Each stratum (again one label a
    session, for example ``data.subjects``) is spread evenly over the folds.
    """
    keys = data.unit_of_session if groups is None else _codes(groups, data, "groups")
    layers = np.zeros(data.n_sessions, int) if strata is None else _codes(strata, data, "strata")
    names, first, sizes = np.unique(keys, return_index=True, return_counts=True)
    if not isinstance(n_folds, int | np.integer) or not 2 <= n_folds <= len(names):
        raise InvalidParameter(
            parameter="n_folds", value=n_folds, remedy=f"choose from 2 to the number of groups, {len(names)}"
        )
    rng = np.random.default_rng(random_state)
    shuffled = rng.permutation(len(names))
    # Large groups first within each stratum, then dealt out like cards: folds get equal shares of all strata.
    dealt = shuffled[np.lexsort((-sizes[shuffled], layers[first][shuffled]))]
    fold_of_group = np.empty(len(names), dtype=np.int64)
    fold_of_group[dealt] = np.arange(len(names)) % n_folds
    fold = fold_of_group[np.searchsorted(names, keys)]
    return [Fold(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(n_folds)]


def identical_sessions(data: Trajectories) -> list[int]:
    """One group number a session; sessions with the same states, actions, inputs and contexts share it."""
    numbers: dict[bytes, int] = {}
    columns = (data.states, data.actions, data.inputs, data.contexts)
    keys = [b"".join(column[data.session(i)].tobytes() for column in columns) for i in range(data.n_sessions)]
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _codes(labels: Sequence[object], data: Trajectories, what: str) -> npt.NDArray[np.int64]:
    if len(labels) != data.n_sessions:
        raise UnequalLengths(field=what, length=len(labels), other="sessions", other_length=data.n_sessions)
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
