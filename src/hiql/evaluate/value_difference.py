"""Expected value difference (Levine et al. 2011), as the paper defines it."""

from __future__ import annotations

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


def matched_value_differences(
    mdp: MDP, rewards: npt.ArrayLike, expert_policies: npt.ArrayLike, policies: npt.ArrayLike
) -> list[float]:
    """One difference for each true intention: learnt policies (K, S, A) assigned to intentions so that their sum is
    least. A single learnt policy is evaluated under every true reward."""
    policies = np.asarray(policies)
    truths = list(zip(np.asarray(rewards), np.asarray(expert_policies), strict=True))
    cost = np.array([[expected_value_difference(mdp, r, e, p) for p in policies] for r, e in truths])
    if len(policies) == 1:
        return cost[:, 0].tolist()
    return cost[linear_sum_assignment(cost)].tolist()
