"""Data as a fitted model would have produced them, in the shape of real ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hiql.data.codes import MISSING
from hiql.data.trajectories import Trajectories
from hiql.evaluate.occupancy import shares
from hiql.models import IntentionModel
from hiql.worlds.mdp import MDP


def simulate_like(model: IntentionModel, world: MDP, data: Trajectories, rng: np.random.Generator) -> Trajectories:
    """As many sessions, of the same lengths, with the same steps missing, from the model and the world.

    Start states are drawn from those of the data. Sessions end when the real ones did, so where the animal's
    arrival somewhere ends a session, simulated ones end too early or too late.
    """
    first = data.states[data.offsets[:-1]]
    starts = np.bincount(first[first >= 0], minlength=data.n_states).astype(np.float64)
    start = shares(starts) if starts.any() else None
    simulated = model.sample(world, data.n_sessions, data.lengths, rng, start=start)

    def hidden_where(real: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return np.where(real < 0, MISSING, codes)

    return replace(
        simulated,
        states=hidden_where(data.states, simulated.states),
        actions=hidden_where(data.actions, simulated.actions),
        next_states=hidden_where(data.next_states, simulated.next_states),
    )
