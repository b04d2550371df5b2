"""How many parameters the observed choices can tell apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hiql.choices.table import log_odds_seen
from hiql.parts.part import FloatArray
from hiql.worlds.soft_planning import SoftPlan, SoftPlanner

NEGLIGIBLE = 1e-9
"""A direction whose effect is below this share of the strongest one's has none."""

MOST_ENTRIES = 10_000_000
"""Size of the largest matrix of slopes whose rank is worked out."""


def n_identifiable(
    planner: SoftPlanner,
    plan: SoftPlan,
    counts: FloatArray,
    slopes: Callable[[int, FloatArray], FloatArray],
    n_parameters: int,
) -> int:
    """The rank of d log[π(a|s) / π(b|s)] / d parameters over all actions a, b observed in a state at a time.

    This is the number of directions in parameter space that the observed choices can tell apart near the estimate;
    it cannot exceed the number of parameters, nor the observed pairs minus the observed states. Where the matrix
    would be too large (some 10⁷ entries), the smaller of these two bounds is returned.

    Parameters
    ----------
    plan : the estimate, n plans
    counts : (n, S, A) actions observed in each state under each plan
    slopes : (i, gradients (k, S, A) with respect to the reward of plan i) → gradients (k, n_parameters)
    """
    n_odds = log_odds_seen(counts)
    if n_odds == 0 or n_odds * max(n_parameters, counts[0].size) > MOST_ENTRIES:
        return min(n_odds, n_parameters)
    telling = [i for i, count in enumerate(counts) if log_odds_seen(count) > 0]
    rows = [slopes(i, _log_odds_gradients(planner, plan, counts, i)) for i in telling]
    strengths = np.linalg.svd(np.concatenate(rows), compute_uv=False)
    return int((strengths > NEGLIGIBLE * strengths[0]).sum())


def _log_odds_gradients(planner: SoftPlanner, plan: SoftPlan, counts: FloatArray, i: int) -> FloatArray:
    """(k, S, A) d log[π_i(a|s) / π_i(b|s)] / d r_i, b the first action observed in s and a each of the others."""
    states, actions = np.nonzero(counts[i])
    is_first = np.diff(states, prepend=-1) != 0
    reference = actions[is_first][np.cumsum(is_first) - 1]
    contrasts = np.zeros((len(states), *counts[i].shape))
    contrasts[np.arange(len(states)), states, actions] = 1.0
    contrasts[np.arange(len(states)), states, reference] -= 1.0
    one = SoftPlan(plan.value[[i]], plan.log_policy[[i]])
    return planner.reward_gradient(one, contrasts[None, ~is_first])[0]
