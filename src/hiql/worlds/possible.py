"""Does a world allow what was seen in it?"""

from __future__ import annotations

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.worlds.mdp import MDP


def impossible_share(world: MDP, data: Trajectories) -> float:
    """The share of observed moves (s, a, s') to which the world gives no probability; 0 where none was observed."""
    seen = (data.states >= 0) & (data.actions >= 0) & (data.next_states >= 0)
    moves = np.stack([data.states[seen], data.actions[seen], data.next_states[seen]])
    kinds, times = np.unique(moves, axis=1, return_counts=True)
    if not len(times):
        return 0.0
    states, actions, following = kinds
    if world.is_sparse:
        proba = np.zeros(len(times))
        for a, matrix in enumerate(world.transitions):
            taken = actions == a
            proba[taken] = np.asarray(matrix[states[taken], following[taken]]).ravel()
    else:
        proba = world.transitions[states, actions, following]
    return float(times[proba == 0].sum() / times.sum())
