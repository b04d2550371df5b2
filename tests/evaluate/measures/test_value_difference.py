"""EVD on cases computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.evaluate import expected_value_difference, matched_value_differences

# Two states; action 0 stays, action 1 goes to the other state; γ = 0.5; reward 1 in state 1.
SWITCH = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]])
MDP = hiql.MDP(SWITCH, 0.5)
REWARD = np.array([0.0, 1.0])
TO_ONE = np.array([[0.0, 1.0], [1.0, 0.0]])  # V = (1, 2)
TO_ZERO = TO_ONE[::-1]  # V = (0, 1)
ALTERNATE = np.array([[0.0, 1.0], [0.0, 1.0]])  # V0 = V1/2, V1 = 1 + V0/2: V = (2/3, 4/3)


@pytest.mark.parametrize(
    ("policy", "value"), [(TO_ONE, 0.0), (TO_ZERO, 1.0), (ALTERNATE, ((1 / 3) ** 2 + (2 / 3) ** 2) / 2)]
)
def test_by_hand(policy, value):
    assert expected_value_difference(MDP, REWARD, TO_ONE, policy) == pytest.approx(value)


def test_learnt_policies_are_assigned_to_intentions():
    rewards, experts = np.array([REWARD, REWARD[::-1]]), np.array([TO_ONE, TO_ZERO])
    crossed = matched_value_differences(MDP, rewards, experts, [TO_ZERO, TO_ONE])
    assert crossed.order == [1, 0]
    assert crossed.differences == pytest.approx([0.0, 0.0])
    single = matched_value_differences(MDP, rewards, experts, [TO_ONE])
    assert single.order == [0, 0]
    assert single.differences == pytest.approx([0.0, 1.0])
