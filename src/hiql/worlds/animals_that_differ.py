"""Animals that each have a way of their own and never switch: what looks like intentions but is not."""

from __future__ import annotations

import numpy as np

from hiql.data.step_columns import FloatArray, IntArray
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.worlds.bandit import Bandit
from hiql.worlds.simulation import Animals, Simulation, sessions_of_animals, simulated, sticky

KINDS = ("win-stay", "persistent", "alternating")
STAY = ((0.25, 0.95), (0.85, 0.85), (0.3, 0.3))
"""P(same choice again) of each kind of animal, after an unrewarded and after a rewarded trial."""


def simulate_animals(
    n_animals: int = 9,
    n_sessions: int = 6,
    n_trials: int = 150,
    random_state: int | np.random.Generator = 0,
    *,
    concentration: float = 50.0,
) -> Simulation:
    """Animals in a two-armed bandit, of three kinds by turns, each of which always does the same.

    An animal repeats its last choice with a probability that depends on the last reward: its own, drawn from
    Beta(``concentration`` · p, ``concentration`` · (1 − p)) about that of its kind, p. A session's first choice is a
    coin flip. The "intention" of every step is the animal's kind. ``truth`` holds ``kind`` (n_animals,) and ``stay``
    (n_animals, 2), after an unrewarded and after a rewarded trial.
    """
    sessions = sessions_of_animals(n_animals, n_sessions, n_trials)
    if not concentration > 0 or not np.isfinite(concentration):
        raise InvalidParameter(parameter="concentration", value=concentration, remedy="choose a number > 0")
    rng = np.random.default_rng(random_state)
    kind = np.arange(n_animals) % len(KINDS)
    typical = np.array(STAY)[kind]
    stay = rng.beta(concentration * typical, concentration * (1.0 - typical))
    owner = np.repeat(np.arange(n_animals), n_sessions)

    def choice(seen: Trajectories, steps: IntArray) -> FloatArray:
        right = _right_again(seen, steps, stay[owner])
        return np.repeat(np.stack([1.0 - right, right], axis=-1)[:, None], len(KINDS), axis=1)

    animals = Animals(np.eye(len(KINDS))[kind[owner]], lambda _: sticky(len(KINDS), 1.0), choice)
    return simulated(animals, Bandit(), sessions, KINDS, rng, kind=kind, stay=stay)


def _right_again(seen: Trajectories, steps: IntArray, stay: FloatArray) -> FloatArray:
    """(n,) the probability of the second option, by the last trial; a coin flip where there was none."""
    begun = steps > seen.offsets[:-1]
    before = np.where(begun, steps - 1, steps)
    rewarded = (np.nan_to_num(np.asarray(seen.outcomes)[before]) > 0).astype(np.int64)
    again = stay[np.arange(len(steps)), rewarded]
    return np.where(begun, np.where(seen.actions[before] == 1, again, 1.0 - again), 0.5)
