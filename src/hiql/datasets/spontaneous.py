"""Mice in an open field, with dopamine beside: sessions of Ke et al. (2025), made from Markowitz et al. (2023)."""

from __future__ import annotations

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.datasets.fetch import local

NAME = "spontaneous/spontaneous.npz"
SHA256 = "3ec8ff825b71f65ae65f6b88886c05c7a555c2642c01b427d6fea40d9d4b06ad"


def spontaneous() -> Trajectories:
    """180 sessions of 2,499 steps, from ``HIQL_DATA_DIR``: state, the syllable of behaviour now; action, the next one.

    The input is dopamine (z-scored) in the syllable now, before the next.
    """
    with np.load(local(NAME, SHA256), allow_pickle=False) as file:
        syllable, dopamine = file["syllable"].astype(np.int64), file["dopamine"].astype(np.float64)
    n = int(syllable.max()) + 1
    inputs = list(dopamine[:, :-1, None])
    now, following = list(syllable[:, :-1]), list(syllable[:, 1:])
    return Trajectories.from_arrays(now, following, n_states=n, n_actions=n, inputs=inputs, input_names=["dopamine"])
