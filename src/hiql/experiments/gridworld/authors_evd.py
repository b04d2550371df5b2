"""Expected value difference as the authors computed it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hiql.evaluate.measures.value_difference import MatchedDifferences, cheapest_matching
from hiql.worlds.two_goals import TwoGoals

FloatArray = npt.NDArray[np.float64]
ENOUGH = 0.01
"""Their sweeps end when no value changes by more than this."""


def authors_value_differences(expert: TwoGoals, policies: FloatArray) -> MatchedDifferences:
    """For each true intention the learnt policy (of (K, S, A)) that stands for it, and their difference.

    The mean over states of (V*(s) − V^policy(s))², with V* the *optimal* value (not the expert's), both under a reward
    of 1 on *arriving*, and both by sweeps in place, cell by cell, until no value changes by more than 0.01. Ours
    (:func:`hiql.evaluate.expected_value_difference`) pays the reward for being there and solves for the values exactly;
    this expert is greedy, so that the two would differ by γ² alone, 0.81, were the sweeps not broken off.
    """
    return cheapest_matching(
        np.array([[np.mean((_swept(expert, r) - _swept(expert, r, p)) ** 2) for p in policies] for r in range(2)])
    )


def _swept(expert: TwoGoals, intention: int, policy: FloatArray | None = None) -> FloatArray:
    """(S,) the value of a policy, or the optimal value."""
    world, reward = expert.world, expert.arrival_reward[intention]
    value = np.zeros(world.n_states)
    x, y = world.positions.T
    cells = np.lexsort((y, x))  # column by column, as they number them
    best: Callable[[FloatArray, int], float] = lambda q, _: q.max()  # noqa: E731
    choose = best if policy is None else lambda q, s: policy[s] @ q
    change = np.inf
    while change >= ENOUGH:
        before = value.copy()
        for s in cells:
            value[s] = choose(reward[s] + world.discount * world.transitions[s] @ value, s)
        change = float(np.abs(value - before).max())
    return value
