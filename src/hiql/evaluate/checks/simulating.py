"""Data as a fitted model would have produced them, in the shape of real ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hiql.data.codes import MISSING
from hiql.data.trajectories import Trajectories
from hiql.models import IntentionModel
from hiql.worlds.environment import Environment, check_environment


def simulate_like(
    model: IntentionModel, world: Environment, data: Trajectories, rng: np.random.Generator
) -> Trajectories:
    """As many sessions, of the same lengths, with the same steps missing, from the model and the world.

    Sessions begin as those of the data do, and end when those did; so where the animal's arrival somewhere ends a
    session, simulated ones end too early or too late. A missing step took place and was not seen; only
    :class:`~hiql.worlds.ObservedSchedule` knows trials that the animal missed.
    """
    check_environment(world)
    simulated = model.sample(world.like(data), random_state=rng)

    def hidden_where(real: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return np.where(real < 0, MISSING, codes)

    return replace(
        simulated,
        states=hidden_where(data.states, simulated.states),
        actions=hidden_where(data.actions, simulated.actions),
        next_states=hidden_where(data.next_states, simulated.next_states),
    )
