"""Does a world allow what was seen in it?"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.data.blocks import in_blocks
from hiql.data.trajectories import Trajectories
from hiql.worlds.mdp import MDP


def impossible_share(world: MDP, data: Trajectories) -> float:
    """The share of observed moves (s, a, s') to which the world gives no probability; 0 where none was observed."""
    observed = impossible = 0
    for _, (states, actions, following) in in_blocks(data.states, data.actions, data.next_states):
        seen = (states >= 0) & (actions >= 0) & (following >= 0)
        observed += int(seen.sum())
        impossible += int((_proba(world, states[seen], actions[seen], following[seen]) == 0).sum())
    return impossible / max(observed, 1)


def _proba(
    world: MDP,
    states: npt.NDArray[np.integer[Any]],
    actions: npt.NDArray[np.integer[Any]],
    following: npt.NDArray[np.integer[Any]],
) -> npt.NDArray[np.float64]:
    """(n,) P(s, a, s') of each move."""
    if not world.is_sparse:
        return world.transitions[states, actions, following]
    proba = np.zeros(len(states))
    for a, matrix in enumerate(world.transitions):
        taken = actions == a
        proba[taken] = np.asarray(matrix[states[taken], following[taken]]).ravel()
    return proba
