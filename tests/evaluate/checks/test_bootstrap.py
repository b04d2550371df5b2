"""Bootstrap intervals: cases where they are known, and how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.errors import InvalidParameter, UnequalLengths
from hiql.evaluate import Bootstrap, bootstrap
from tests.evaluate.known import LEFT, RIGHT, corridor, known_model

WORLD = corridor()
TRUTH = known_model(WORLD, 0.9 * np.array([LEFT, RIGHT]) + 0.1 / 3, transition=[[0.9, 0.1], [0.2, 0.8]])


@pytest.fixture(scope="module")
def sessions():
    return TRUTH.sample(WORLD, 40, 30, random_state=0)


@pytest.fixture(scope="module")
def fitted(sessions):
    return hiql.HIAVI(2, mdp=WORLD).fit(sessions)


@pytest.fixture(scope="module")
def drawn(fitted, sessions):
    return bootstrap(fitted, sessions, n_samples=40, held_out=TRUTH.sample(WORLD, 20, 30, random_state=1))


def test_shapes_and_order(fitted, drawn):
    assert drawn.transition.shape == (40, 2, 2)
    assert drawn.initial.shape == (40, 2)
    assert drawn.held_out.shape == (40,)
    np.testing.assert_allclose(drawn.transition.sum(axis=-1), 1.0)
    for name in ("transition", "initial"):
        low, high = drawn.interval(name)
        estimate = getattr(fitted, f"{name}_")
        assert (low < estimate).all()
        assert (estimate < high).all()
        narrow = drawn.interval(name, level=0.5)
        assert (low < narrow[0]).all()
        assert (narrow[1] < high).all()


def test_percentiles():
    some = Bootstrap(np.zeros((101, 1, 1)), np.arange(101.0)[:, None])
    assert [end.item() for end in some.interval("initial", 0.9)] == pytest.approx([5.0, 95.0])


def test_the_seed_decides_and_the_number_of_jobs_does_not(fitted, sessions, drawn):
    held_out = TRUTH.sample(WORLD, 20, 30, random_state=1)
    again = bootstrap(fitted, sessions, n_samples=40, held_out=held_out, n_jobs=2)
    other = bootstrap(fitted, sessions, n_samples=40, held_out=held_out, random_state=1)
    for name in ("transition", "initial", "held_out"):
        np.testing.assert_array_equal(getattr(again, name), getattr(drawn, name))
        assert not np.array_equal(getattr(other, name), getattr(drawn, name))


def test_renumbered_intentions_have_the_same_intervals(fitted, sessions, drawn):
    swapped = bootstrap(fitted.permuted([1, 0]), sessions, n_samples=40)
    np.testing.assert_allclose(swapped.initial, drawn.initial[:, ::-1], atol=1e-6)
    np.testing.assert_allclose(swapped.transition, drawn.transition[:, ::-1, ::-1], atol=1e-6)


def test_sessions_that_are_all_the_same_leave_nothing_to_draw(sessions):
    copies = sessions.select([0] * 10)
    model = hiql.HIAVI(2, mdp=WORLD).fit(copies)
    low, high = bootstrap(model, copies, n_samples=5).interval("transition")
    np.testing.assert_array_equal(low, high)
    np.testing.assert_allclose(low, model.transition_, atol=1e-3)


def test_a_group_is_drawn_whole(fitted, sessions):
    """One group of everything: each draw is the data themselves. Two groups: three different draws."""
    one = bootstrap(fitted, sessions, 5, sessions, groups=["a"] * 40, held_out_groups=["a"] * 40)
    np.testing.assert_array_equal(*one.interval("transition"))
    np.testing.assert_allclose(one.held_out, fitted.score(sessions, per="step"))
    halves = bootstrap(fitted, sessions, 30, sessions, groups=["a", "b"] * 20, held_out_groups=["a", "b"] * 20)
    assert len(np.unique(halves.held_out.round(9))) == 3
    assert len(np.unique(halves.initial[:, 0].round(4))) == 3


def test_wrong_questions(fitted, sessions):
    some = bootstrap(fitted, sessions, n_samples=2)
    with pytest.raises(InvalidParameter, match="name is 'policy'; choose 'transition'"):
        some.interval("policy")
    with pytest.raises(InvalidParameter, match="where held-out data were given"):
        some.interval("held_out")
    with pytest.raises(InvalidParameter, match="level is 95"):
        some.interval("initial", 95)
    with pytest.raises(InvalidParameter, match="number of repeats is 0"):
        bootstrap(fitted, sessions, n_samples=0)
    with pytest.raises(UnequalLengths, match="groups has length 1 but sessions has length 40"):
        bootstrap(fitted, sessions, groups=["a"])


def inside(interval, truth):
    low, high = interval
    return (low <= truth) & (truth <= high)


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say():
    """50 experiments; 95 % intervals of both free entries of Λ and of the score on sessions to come."""
    future = TRUTH.sample(WORLD, 4000, 30, random_state=10**6)
    held = []
    for seed in range(50):
        train = TRUTH.sample(WORLD, 60, 30, random_state=seed)
        model = hiql.HIAVI(2, mdp=WORLD).fit(train, init=TRUTH)
        draws = bootstrap(model, train, 100, TRUTH.sample(WORLD, 40, 30, random_state=1000 + seed), random_state=seed)
        rows = inside(draws.interval("transition"), TRUTH.transition_)[:, 0]
        held.append([*rows, inside(draws.interval("held_out"), model.score(future, per="step"))])
    share = np.mean(held, axis=0)
    assert (share >= 0.84).all(), share  # 0.95 less three and a half standard deviations
    assert 0.88 <= share.mean() <= 0.99, share
