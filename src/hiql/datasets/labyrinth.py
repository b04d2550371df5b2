"""Mice in the 127-node labyrinth: the pre-processed trajectories of Ashwood, Jha & Pillow (2022).

Made from the recordings of Rosenberg et al. (2021). The published split leaks: 31 of 40 (restricted) and 29
of 41 (unrestricted) held-out trajectories are exact copies of training ones; for a split that does not, give
:func:`hiql.data.folds.identical_sessions` to :func:`hiql.session_folds` as its groups.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.datasets.fetch import fetch
from hiql.datasets.unpickling import load_arrays
from hiql.errors import InvalidParameter
from hiql.worlds.labyrinth import ACTIONS, N_NODES
from hiql.worlds.labyrinth import labyrinth as labyrinth_world
from hiql.worlds.mdp import World

COMMIT = "58b7225e793acb6818768175f35025e70abecac9"
SOURCE = f"https://raw.githubusercontent.com/97aditi/dynamic_irl/{COMMIT}/data/mouse_data/"
SHA256 = dict(
    line.split()
    for line in """
    water_restricted_mice_trajs.pickle   aacd49c7ec6d578bd591e1b29b2b8e0ef08015caf68dfee65139e797e469af23
    water_unrestricted_mice_trajs.pickle 3bd2f1f4361410a93f6825ba08d543f9559cc729fe444ac97f4f865bfcc3edf3
    restricted_train_indices.npy         86370012f54d7be0ccad18ec8e7d4674479b6582697f04a6df589da32c5947cd
    restricted_val_indices.npy           519a4e3ef68da6d4943829344206ec3f526fe45a78fff199e25a322f42adeeea
    unrestricted_train_indices.npy       3d2391a61b28228f455e21432c5fabb03bbd23d78b9877869d3460f4f622656c
    unrestricted_val_indices.npy         3da3ecb32fbb540260cedd5a8ad3deede5ea22ac02f4d7cf0a326508e78baa28
    """.strip().splitlines()
)
COHORTS = ("restricted", "unrestricted")


class LabyrinthData(NamedTuple):
    """All trajectories of a cohort, the published split, and the world."""

    data: Trajectories
    train: Trajectories
    test: Trajectories
    mdp: World


def labyrinth(cohort: str = "restricted", discount: float = 0.99) -> LabyrinthData:
    """The water-"restricted" (200 trajectories of 22 steps) or "unrestricted" (207 of 14) cohort."""
    if cohort not in COHORTS:
        raise InvalidParameter(parameter="cohort", value=cohort, remedy=f"choose one of {', '.join(COHORTS)}")
    sessions = load_arrays(_fetch(f"water_{cohort}_mice_trajs.pickle"))
    data = Trajectories.from_arrays(
        [session["states"] for session in sessions],
        [session["actions"] for session in sessions],
        n_states=N_NODES,
        n_actions=len(ACTIONS),
        action_labels=ACTIONS,
    )
    train, test = (
        np.load(_fetch(f"{cohort}_{part}_indices.npy"), allow_pickle=False).astype(np.int64)
        for part in ("train", "val")
    )
    return LabyrinthData(data, data.select(train), data.select(test), labyrinth_world(discount))


def _fetch(name: str) -> Path:
    return fetch(f"labyrinth/{name}", SOURCE + name, SHA256[name])
