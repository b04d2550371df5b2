"""Animals that judge a stimulus: engaged, biased to one side, or not attending; and animals that learn to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from hiql.data.step_columns import FloatArray, IntArray
from hiql.data.trajectories import Trajectories
from hiql.errors import ShapeMismatch
from hiql.worlds.simulation import Animals, Simulation, check_chances, sessions_of_animals, simulated, sticky
from hiql.worlds.stimuli import LEVELS, Stimuli

INTENTIONS = ("engaged", "biased", "disengaged")
WEIGHTS = ((8.0, 0.0), (2.0, 2.0), (0.0, 0.0))
"""Of each intention, how much the stimulus counts and the bias to the right, in log-odds."""


def simulate_psychophysics(
    n_animals: int = 4,
    n_sessions: int = 10,
    n_trials: int = 250,
    random_state: int | np.random.Generator = 0,
    *,
    weights: npt.ArrayLike = WEIGHTS,
    stay: float = 0.97,
    right_chances: tuple[float, ...] = (0.5,),
) -> Simulation:
    """Animals that say on which side a stimulus is, and take turns between three ways to do so.

    In intention z the choice is right with probability 1 / (1 + exp(−w_z·x − b_z)) for the stimulus x, (w_z, b_z) being
    ``weights[z]`` (K, 2): engaged, biased to the right, disengaged. Intentions last 1/(1 − ``stay``) trials on average.
    Stimuli are those of :class:`~hiql.worlds.Stimuli`; with several ``right_chances`` they come in blocks. Every animal
    has ``n_sessions``. ``truth`` holds ``weights``, ``initial``, ``transition`` and ``policy`` (K, levels, 2).
    """
    slopes = np.asarray(weights, dtype=np.float64)
    if slopes.ndim != 2 or slopes.shape[1] != 2:
        remedy = "give the weight of the stimulus and the bias of each intention"
        raise ShapeMismatch(field="weights", shape=slopes.shape, expected="(K, 2)", remedy=remedy)
    check_chances(stay=stay)
    sessions = sessions_of_animals(n_animals, n_sessions, n_trials)
    k = len(slopes)
    initial, transition = np.full(k, 1.0 / k), sticky(k, stay)

    def choice(seen: Trajectories, steps: IntArray) -> FloatArray:
        return judged(seen.inputs[steps, 0], slopes)

    animals = Animals(np.tile(initial, (len(sessions.lengths), 1)), lambda _: transition, choice)
    policy = judged(np.array(LEVELS), slopes).transpose(1, 0, 2)
    names = INTENTIONS if k == len(INTENTIONS) else tuple(map(str, range(k)))
    rng = np.random.default_rng(random_state)
    truth = {"weights": slopes, "initial": initial, "transition": transition, "policy": policy}
    return simulated(animals, Stimuli(LEVELS, right_chances), sessions, names, rng, **truth)


def simulate_learning(
    n_animals: int = 4,
    n_days: int = 20,
    n_trials: int = 200,
    random_state: int | np.random.Generator = 0,
    *,
    slope: float = 8.0,
    time_constant: float = 6.0,
    stay: float = 0.97,
) -> Simulation:
    """Animals that learn to judge a stimulus, one session a day; between bouts of attention they guess.

    When engaged on day d = 1, 2, …, the stimulus counts ``slope`` · (1 − exp(−(d − 1)/``time_constant``)): nothing on
    the first day, ``slope`` in the end. When disengaged it never counts. ``data.session_days`` holds d, and ``truth``
    the ``slopes`` (n_days,), ``initial`` and ``transition``.
    """
    check_chances(stay=stay)
    days = np.arange(1.0, n_days + 1.0)
    sessions = sessions_of_animals(n_animals, n_days, n_trials, days)
    slopes = slope * (1.0 - np.exp(-(days - 1.0) / time_constant))
    initial, transition = np.array([0.5, 0.5]), sticky(2, stay)

    def choice(seen: Trajectories, steps: IntArray) -> FloatArray:
        today = slopes[seen.session_days.astype(np.int64) - 1]
        weights = np.stack([np.stack([today, 0 * today], axis=-1), np.zeros((len(today), 2))], axis=1)
        return judged(seen.inputs[steps, 0], weights)

    animals = Animals(np.tile(initial, (len(sessions.lengths), 1)), lambda _: transition, choice)
    truth = {"slopes": slopes, "initial": initial, "transition": transition}
    rng = np.random.default_rng(random_state)
    return simulated(animals, Stimuli(), sessions, ("engaged", "disengaged"), rng, **truth)


def judged(stimulus: FloatArray, weights: FloatArray) -> FloatArray:
    """(n, K, 2) the probabilities of left and right: logistic in the stimulus (n,), by weights (K, 2) or (n, K, 2)."""
    right = expit(weights[..., 0] * stimulus[:, None] + weights[..., 1])
    return np.stack([1.0 - right, right], axis=-1)
