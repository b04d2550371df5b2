"""Predicted probabilities against how often actions were taken."""

from __future__ import annotations

import numpy as np

import hiql
from hiql.evaluate.measures.calibration import calibration


class Says:
    """Predicts the second of two actions with a given probability at every step."""

    def __init__(self, right):
        self.right = right

    def predict_action_proba(self, data):
        return np.stack([1 - self.right, self.right], axis=1)


def test_right_predictions_lie_on_the_line_and_wrong_ones_do_not():
    rng = np.random.default_rng(0)
    right = rng.random(20_000)
    actions = (rng.random(20_000) < right).astype(int)
    actions[:100] = -1  # missing steps say nothing
    data = hiql.Trajectories.from_arrays(None, actions, n_actions=2)
    found = calibration(Says(right), data)
    assert found.n.sum() == 2 * (20_000 - 100)
    assert (np.abs(found.taken - found.predicted) < 4 * found.error).all()
    wrong = calibration(Says(right**2), data)
    assert (np.abs(wrong.taken - wrong.predicted) > 4 * wrong.error).any()


def test_bins_without_a_prediction_are_left_out():
    data = hiql.Trajectories.from_arrays(None, [0, 1, 1, 1], n_actions=2)
    found = calibration(Says(np.full(4, 0.75)), data)
    assert found.predicted.tolist() == [0.25, 0.75]
    assert found.taken.tolist() == [0.25, 0.75]
