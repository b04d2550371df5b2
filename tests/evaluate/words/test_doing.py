"""Where each intention is left, in words."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import hiql
from hiql.data.coding import Coding
from hiql.dynamics import ByState
from hiql.evaluate.words.doing import where_each_is_left


@pytest.mark.parametrize(("context", "told"), [("last action", ["b (50% of times there)", ""]), ("subject", ["", ""])])
def test_actions_are_where_intentions_are_left_and_animals_are_not(context, told):
    """Left for good after action b (half of 100 steps), or by the second animal: the same numbers."""
    data = hiql.Trajectories.from_arrays(None, [np.array([0, 1])] * 2, subjects=["m1", "m2"], action_labels=["a", "b"])
    kept = np.array([[1.0, 1.0], [0.5, 1.0], [1.0, 1.0]])  # in two contexts, and in one never met
    model = SimpleNamespace(
        n_intentions_=2,
        coding_=Coding.of(data),
        steps_by_context_=np.full((3, 2), 100.0),
        transition_=np.eye(2),
        transition_by_context_=np.stack([[[p, 1 - p], [1 - q, q]] for p, q in kept]),
        _parts=lambda: (ByState(context=context), None),
    )
    assert where_each_is_left(model) == told
