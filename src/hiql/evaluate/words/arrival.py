"""Where behaviour leads: which of some places is reached first, and how soon."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from hiql.errors import InvalidParameter
from hiql.worlds.mdp import MDP

FloatArray = npt.NDArray[np.float64]
Choice = Callable[[FloatArray], FloatArray]
TOLERANCE = 1e-6


def following(policy: FloatArray) -> Choice:
    """The expectation over the actions of a policy (S, A)."""
    return lambda q: (q * policy).sum(axis=-1)


def at_random(q: FloatArray) -> FloatArray:
    """The expectation over actions that are all alike: a random walk."""
    return q.mean(axis=-1)


def at_best(q: FloatArray) -> FloatArray:
    """The best action."""
    return q.max(axis=-1)


def arrival(world: MDP, choose: Choice, places: Sequence[int], horizon: float) -> FloatArray:
    """(n, S) from each start, the chance that place i is the first one reached, before the walker gives up.

    E[γ^τ 1(first place is i)], with τ ≥ 1 the step of the arrival and γ = horizon / (1 + horizon): a walker that
    makes ``horizon`` steps on average. The fixed point of D_i(s) = γ choose_a Σ_s' P(s, a, s') (1[s' = i] +
    1[s' is no place] D_i(s')); ``choose`` (…, S, A) → (…, S) is one of the above.

    A place ends the walk: what the policy does there, a guess where sessions end on arrival, plays no part. Who
    starts on a place must come back, or stay, to arrive.
    """
    if not horizon > 0:
        raise InvalidParameter(parameter="horizon", value=horizon, remedy="choose a positive number of steps")
    discount = horizon / (1.0 + horizon)
    there = np.eye(world.n_states)[list(places)]
    outside = there.sum(axis=0) == 0
    chance, gap = np.zeros_like(there), np.inf
    while gap * horizon > TOLERANCE:  # the map shrinks differences by γ, so the error is at most gap · horizon
        before, chance = chance, discount * choose(world.expect(there + outside * chance))
        gap = float(np.abs(chance - before).max())
    return chance
