"""Back-off: from the coarse policy (strength → ∞) to plain counts (strength → 0)."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.errors import UnequalLengths
from hiql.evaluate import Level, choose_strength, fit_coarse_to_fine, history_levels, match_policies
from hiql.evaluate.animals.stages import new_model
from hiql.worlds.reversal_task import simulate_reversal


def maker(n_intentions):
    return lambda pseudo_count: new_model(n_intentions, pseudo_count, n_init=2, patience=2)


@pytest.fixture(scope="module")
def levels():
    return history_levels(simulate_reversal(3, 12, 80, 20).table, 2)


def test_levels_are_the_same_trials_with_a_parent_for_each_state(levels):
    coarse, fine = levels
    assert coarse.parent is None
    np.testing.assert_array_equal(fine.parent[fine.data.states], coarse.data.states)
    np.testing.assert_array_equal(fine.data.actions, coarse.data.actions)


def test_a_strong_prior_leaves_the_lifted_policy(levels):
    coarse = maker(2)(0.1).fit(levels[0].data)
    model = fit_coarse_to_fine(maker(2), levels, 1e9)
    np.testing.assert_allclose(model.policy_, coarse.policy_[:, levels[1].parent], atol=1e-5)


def test_a_weak_prior_leaves_plain_counts(levels):
    model, plain = fit_coarse_to_fine(maker(1), levels, 1e-9), maker(1)(1e-9).fit(levels[1].data)
    seen = levels[1].data.pair_counts.sum(axis=1) > 0
    np.testing.assert_allclose(model.policy_[:, seen], plain.policy_[:, seen], atol=1e-6)


def test_states_never_visited_behave_like_their_parents(levels):
    model = fit_coarse_to_fine(maker(1), levels, 4.0)
    few = [level.select([0]) for level in levels]
    lonely = fit_coarse_to_fine(maker(1), few, 4.0)
    coarse = maker(1)(0.1).fit(few[0].data)
    unseen = few[1].data.pair_counts.sum(axis=1) == 0
    assert unseen.any()
    np.testing.assert_allclose(lonely.policy_[0, unseen], coarse.policy_[0, levels[1].parent[unseen]])
    assert model.policy_.shape == (1, 21, 2)


def test_intentions_keep_their_numbers(levels):
    coarse = maker(3)(0.1).fit(levels[0].data)
    model = fit_coarse_to_fine(maker(3), levels, 16.0)
    lifted = coarse.lifted(levels[1].parent)
    assert match_policies(model.policy_, lifted.policy_).order.tolist() == [0, 1, 2]


def test_levels_of_different_lengths_are_refused(levels):
    with pytest.raises(UnequalLengths, match="finest level"):
        fit_coarse_to_fine(maker(1), [levels[0].select([0]), levels[1]], 1.0)


def test_the_strength_is_chosen_by_sessions_held_out_of_those_given(levels):
    """One session repeated: held-out copies are predicted best by counts, so the weakest prior wins; with random
    choices, the strongest."""
    copies = [level.select(np.zeros(9, int)) for level in levels]
    assert choose_strength(maker(1), copies, (0.01, 1e4)) == 0.01
    rng = np.random.default_rng(0)
    table = simulate_reversal(3, 12, 80, 20).table.assign(choice=rng.integers(2, size=len(levels[0].data.states)))
    assert choose_strength(maker(1), history_levels(table, 2), (0.01, 1e4)) == 1e4


def test_choosing_a_strength_fits_only_parts_of_the_sessions_given(levels):
    """No fit sees all sessions, and none sees a session that was not given."""
    training = [level.select(range(6)) for level in levels]
    seen = []

    class Spy(type(new_model(1))):
        def fit(self, data, y=None, *, init=None):
            seen.append(set(data.session_names))
            return super().fit(data, y, init=init)

    choose_strength(lambda pseudo_count: Spy(1, pseudo_count=pseudo_count), training, (1.0, 4.0))
    given = set(training[0].data.session_names)
    assert len(given) == 6
    assert all(names < given for names in seen)


def test_a_level_selects_sessions_and_keeps_its_parents(levels):
    part = levels[1].select([1, 2])
    assert isinstance(part, Level)
    assert part.data.n_sessions == 2
    assert part.parent is levels[1].parent
