"""The value by regression: IAVI where states can be counted, and a place that is sought where they cannot."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

import hiql
from hiql.choices import TableChoice
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.plots import draw_plane, new_figure, save_figure
from hiql.rewards import ExpectedIQL, radial, value_by_regression
from hiql.worlds.draws import draw

DISCOUNT = 0.9


def wanderers(seed=0, n_sessions=3, n_steps=400):
    """Three states, two actions, all pairs met often; sessions end where the data do."""
    rng = np.random.default_rng(seed)
    return hiql.Trajectories.from_arrays(
        list(rng.integers(3, size=(n_sessions, n_steps))),
        list((rng.random((n_sessions, n_steps)) < 0.3).astype(int)),
        n_states=3,
        n_actions=2,
    )


def test_with_indicators_and_counted_policies_it_is_iavi_in_the_counted_world():
    """Of steps that have no next one nothing is known: the policies are counted from the others."""
    data = wanderers()
    keep = np.ones(data.n_steps, dtype=bool)
    keep[data.offsets[1:] - 1] = False
    actions = np.where(keep, data.actions, -1)
    known = hiql.Trajectories.from_arrays(
        [data.states[data.session(i)] for i in range(3)],
        [actions[data.session(i)] for i in range(3)],
        n_states=3,
        n_actions=2,
    )
    reward = ExpectedIQL(0.0, discount=DISCOUNT)
    model = hiql.IntentionModel(1, reward=reward, choice=TableChoice(0.0), progress=False).fit(known)
    found = value_by_regression(
        known, model.policy_at(known), model.smooth_proba(known), np.eye(3)[known.states], discount=DISCOUNT, ridge=0.0
    )
    np.testing.assert_allclose(found.weights, model.value_, atol=1e-8)
    np.testing.assert_allclose(found.q[:, 0], model.q_[0, known.states], atol=1e-8)
    for s in range(3):
        for a in range(2):
            here = (known.states == s) & (known.actions == a)
            assert np.nanmean(found.reward[here, 0]) == pytest.approx(model.reward_[0, s, a], abs=1e-8)
    earned = (model.policy_[0] * model.reward_[0]).sum(axis=1)
    np.testing.assert_allclose(found.reward_at(np.eye(3))[:, 0], earned, atol=1e-8)


GOAL = np.array([0.8, 0.3])
MOVES = 0.1 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])


def seeking(x):
    """(n, 4) on the unit square, the surer of the way to a place the nearer it is."""
    worth = 8.0 * np.exp(-np.linalg.norm(np.clip(x[:, None] + MOVES, 0, 1) - GOAL, axis=2) / 0.3)
    return softmax(worth, axis=1)


def seekers(seed=0, n_sessions=40, n_steps=30):
    """Their walks."""
    rng = np.random.default_rng(seed)
    places, actions = np.empty((n_sessions, n_steps, 2)), np.empty((n_sessions, n_steps), dtype=int)
    x = rng.random((n_sessions, 2))
    for t in range(n_steps):
        places[:, t] = x
        actions[:, t] = draw(seeking(x), rng)
        x = np.clip(x + MOVES[actions[:, t]] + rng.normal(0, 0.01, x.shape), 0, 1)
    return hiql.Trajectories.from_arrays(None, list(actions), inputs=list(places), input_names=["x", "y"])


def test_a_map_of_value_rises_towards_the_place_that_is_sought(tmp_path):
    data = seekers()
    side = np.linspace(0.1, 0.9, 5)
    centres = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    acts, whose = seeking(data.inputs)[:, None], np.ones((data.n_steps, 1))
    found = value_by_regression(data, acts, whose, radial(data.inputs, centres, 0.2), discount=DISCOUNT)
    fine = np.linspace(0.05, 0.95, 19)
    grid = np.stack(np.meshgrid(fine, fine), axis=-1).reshape(-1, 2)
    value = found.value_at(radial(grid, centres, 0.2))[:, 0]
    assert np.linalg.norm(grid[value.argmax()] - GOAL) < 0.2
    assert np.corrcoef(value, np.linalg.norm(grid - GOAL, axis=1))[0, 1] < -0.8
    assert np.isnan(found.reward).sum() == data.n_sessions
    earned = found.reward_at(radial(grid, centres, 0.2))[:, 0]
    assert np.linalg.norm(grid[earned.argmax()] - GOAL) < 0.3
    figure = new_figure(7.0, 3.0)
    for ax, shown, label in zip(figure.subplots(1, 2), (value, earned), ("value", "reward"), strict=True):
        draw_plane(ax, fine, fine, shown, data.inputs, label=label)
        assert ax.collections[0].get_array().size == fine.size**2
    save_figure(figure, tmp_path / "plane")
    with pytest.raises(ShapeMismatch, match="visited"):
        draw_plane(figure.axes[0], fine, fine, value, data.states)


def test_what_does_not_fit_is_named():
    data = wanderers(n_sessions=1, n_steps=5)
    acts, whose, features = np.full((5, 1, 2), 0.5), np.ones((5, 1)), np.eye(3)[data.states]
    with pytest.raises(ShapeMismatch, match="policy"):
        value_by_regression(data, acts[:4], whose, features)
    with pytest.raises(ShapeMismatch, match="features"):
        value_by_regression(data, acts, whose, features[:4])
    with pytest.raises(InvalidParameter, match="features"):
        value_by_regression(data, acts, whose, features * np.nan)
    with pytest.raises(InvalidParameter, match="ridge"):
        value_by_regression(data, acts, whose, features, ridge=-1.0)
    with pytest.raises(InvalidParameter, match="width"):
        radial([[0.0]], [[0.0]], 0.0)
    with pytest.raises(ShapeMismatch, match="centres"):
        radial([[0.0]], [[0.0, 1.0]], 1.0)
