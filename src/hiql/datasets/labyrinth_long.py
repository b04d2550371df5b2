"""Mice in the labyrinth for whole nights: the sessions of Ke et al. (2025), made from Rosenberg et al. (2021)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.datasets.fetch import local

NAME = "labyrinth_long/labyrinth_long.npz"
SHA256 = "7a172573e6e27cf3e896a88834289c03e24b93641f3a7fb15d115f38977e1405"


class LongNights(NamedTuple):
    """``data``: 119 sessions of 500 steps, and ``successors`` (127, 4): the node that each action leads to."""

    data: Trajectories
    successors: npt.NDArray[np.int64]


def labyrinth_long() -> LongNights:
    """119 sessions of 500 steps in the 127-node labyrinth, from the folder ``HIQL_DATA_DIR``."""
    with np.load(local(NAME, SHA256), allow_pickle=False) as file:
        successors = file["successors"].astype(np.int64)
        n_states, n_actions = successors.shape
        states, actions = file["states"].astype(np.int64), file["actions"].astype(np.int64)
    data = Trajectories.from_arrays(list(states), list(actions), n_states=n_states, n_actions=n_actions)
    return LongNights(data, successors)
