"""Expected value difference (Levine et al. 2011), as the paper defines it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from hiql.worlds.mdp import MDP
from hiql.worlds.planning import evaluate_policy


def expected_value_difference(
    mdp: MDP, reward: npt.ArrayLike, expert_policy: npt.ArrayLike, policy: npt.ArrayLike
) -> float:
    """Mean over states of (V^expert(s) − V^policy(s))², both values under the true ``reward`` ((S,) or (S, A))."""
    expert = evaluate_policy(mdp, expert_policy, reward)
    learnt = evaluate_policy(mdp, policy, reward)
    return float(np.mean((expert - learnt) ** 2))


class MatchedDifferences(NamedTuple):
    """For each true intention: the learnt policy that stands for it, and their expected value difference."""

    order: list[int]
    differences: list[float]


def matched_value_differences(
    mdp: MDP, rewards: npt.ArrayLike, expert_policies: npt.ArrayLike, policies: npt.ArrayLike
) -> MatchedDifferences:
    """Learnt policies (K, S, A) assigned to true intentions so that the sum of differences is least.

    A single learnt policy stands for every intention.
    """
    truths = list(zip(np.asarray(rewards), np.asarray(expert_policies), strict=True))
    cost = [[expected_value_difference(mdp, r, e, p) for p in np.asarray(policies)] for r, e in truths]
    return cheapest_matching(np.array(cost))


def cheapest_matching(cost: npt.NDArray[np.float64]) -> MatchedDifferences:
    """The assignment of true intentions (rows) to learnt ones (columns) whose differences have the least sum."""
    rows = np.arange(len(cost))
    order = np.zeros(len(cost), dtype=np.int64) if cost.shape[1] == 1 else linear_sum_assignment(cost)[1]
    return MatchedDifferences(order.tolist(), cost[rows, order].tolist())
