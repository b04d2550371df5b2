"""Simulators: their animals do what their truth says, their tables can be read, and models find what is there."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.evaluate import recovery
from hiql.worlds import (
    ObservedSchedule,
    simulate_animals,
    simulate_learning,
    simulate_one_intention,
    simulate_places,
    simulate_psychophysics,
)
from tests.dynamics.clocks import SwitchingByPlace

SIMULATORS = [
    *(simulate_psychophysics, simulate_learning, simulate_places, simulate_one_intention, simulate_animals),
]


def shares(counts):
    return counts / counts.sum(axis=-1, keepdims=True)


def action_shares(data, n_intentions):
    """(K, S, A) how often each action was taken by each intention in each state, and out of how many."""
    counts = np.zeros((n_intentions, data.n_states, data.n_actions))
    np.add.at(counts, (data.intentions, data.states, data.actions), 1)
    return shares(np.maximum(counts, 1e-9)), counts.sum(axis=-1)


def intention_changes(data, n_intentions, where=None):
    """(K, K) how often each intention followed each within sessions, at steps ``where`` (N,)."""
    later = np.flatnonzero((data.time > 0) & (True if where is None else where))
    counts = np.zeros((n_intentions, n_intentions))
    np.add.at(counts, (data.intentions[later - 1], data.intentions[later]), 1)
    return shares(counts)


@pytest.mark.parametrize("simulate", SIMULATORS)
def test_the_seed_decides(simulate):
    one, two, other = (simulate(2, 3, random_state=seed).table() for seed in (0, 0, 1))
    assert one.equals(two)
    assert not one.equals(other)
    assert "intention" in one


@pytest.mark.parametrize("simulate", SIMULATORS)
@pytest.mark.parametrize("n", [0, -1, 2.5, True])
def test_senseless_sizes_are_refused(simulate, n):
    with pytest.raises(InvalidParameter, match=r"choose a whole number ≥ 1"):
        simulate(n)


def test_psychophysics_follows_its_truth():
    simulation = simulate_psychophysics(4, 20, 250, right_chances=(0.8, 0.2))
    data, truth = simulation.data, simulation.truth
    found, n = action_shares(data, 3)
    errors = np.abs(found - truth["policy"])[..., 1] / np.sqrt(0.25 / n)
    assert errors.max() < 4.5
    np.testing.assert_allclose(intention_changes(data, 3), truth["transition"], atol=0.01)
    assert data.input_names == ("stimulus",)
    assert data.context_names == ("block",)
    right_block = np.array(data.context_labels[0])[data.contexts[:, 0]]
    assert (data.inputs[right_block == 0.8, 0] > 0).mean() > 2 * (data.inputs[right_block == 0.2, 0] > 0).mean()
    correct = (data.inputs[:, 0] > 0) == data.actions
    shown = data.inputs[:, 0] != 0
    np.testing.assert_array_equal(correct[shown], data.outcomes[shown])


def test_a_fit_finds_engaged_biased_and_disengaged_trials():
    simulation = simulate_psychophysics(4, 10, 250)
    model = hiql.HIQL(3, progress=False).fit(simulation.data)
    right = model.policy_[:, :, 1]
    engaged, biased, disengaged = np.argmax(right[:, -1] - right[:, 0]), np.argmax(right[:, 4]), None
    disengaged = ({0, 1, 2} - {engaged, biased}).pop()
    found = model.permuted([engaged, biased, disengaged])
    np.testing.assert_allclose(found.policy_, simulation.truth["policy"], atol=0.12)
    assert (found.decode(simulation.data) == simulation.data.intentions).mean() > 0.75


def test_minds_change_at_places():
    simulation = simulate_places(60, 200)
    data, truth = simulation.data, simulation.truth
    found, n = action_shares(data, 2)
    often = n > 100
    assert (np.abs(found - truth["policy"]).max(axis=-1)[often] < 4.5 * np.sqrt(0.25 / n[often])).all()
    for place in simulation.environment.places.values():
        np.testing.assert_allclose(
            intention_changes(data, 2, data.states == place), truth["transition"][place], atol=0.06
        )
    elsewhere = ~np.isin(data.states, list(simulation.environment.places.values()))
    np.testing.assert_allclose(intention_changes(data, 2, elsewhere), truth["transition"][12], atol=0.005)


def test_a_clock_that_knows_places_finds_where_minds_change():
    simulation = simulate_places(30, 100)
    world, places = simulation.environment, tuple(simulation.environment.places.values())
    anywhere = hiql.HIAVI(2, mdp=world, progress=False).fit(simulation.data)
    there = hiql.HIAVI(2, mdp=world, dynamics=SwitchingByPlace(places=places), progress=False).fit(simulation.data)
    assert there.bic(simulation.data) < anywhere.bic(simulation.data) - 100


def test_sessions_with_one_intention_each():
    simulation = simulate_one_intention(60, 30)
    data = simulation.data
    per_session = data.intentions.reshape(60, 30)
    assert (per_session == per_session[:, :1]).all()
    assert set(per_session[:, 0]) == {0, 1, 2}
    goals = np.array([simulation.environment.places[name] for name in simulation.intentions])
    at_last = data.states.reshape(60, 30)[:, -5:]
    assert (at_last == goals[per_session[:, :1]]).mean() > 0.5


def test_animals_differ_and_never_switch():
    simulation = simulate_animals(6, 10, 200)
    data, truth = simulation.data, simulation.truth
    for i, (_, own) in enumerate(data.by_subject().items()):
        assert set(own.intentions) == {truth["kind"][i]}
        later = np.flatnonzero(own.time > 0)
        stayed, won = own.actions[later] == own.actions[later - 1], own.outcomes[later - 1] > 0
        for reward in (0, 1):
            found = stayed[won == bool(reward)]
            assert abs(found.mean() - truth["stay"][i, reward]) < 4.5 * np.sqrt(0.25 / len(found))


def test_animals_learn_over_days():
    simulation = simulate_learning(4, 20, 200)
    data, slopes = simulation.data, simulation.truth["slopes"]
    assert slopes[0] == 0
    assert data.session_days.tolist() == list(range(1, 21)) * 4
    day = np.repeat(data.session_days, data.lengths)
    engaged = (data.intentions == 0) & (data.inputs[:, 0] != 0)
    accuracy = [data.outcomes[engaged & (day == d)].mean() for d in (1, 5, 20)]
    assert 0.4 < accuracy[0] < 0.6 < accuracy[1] < accuracy[2]
    assert abs(data.outcomes[(data.intentions == 1)].mean() - 0.5) < 0.03


def test_a_model_sampled_in_the_observed_schedule_recovers_itself():
    """Fit, simulate in the stimuli that were presented, refit: the refit does as well as the truth."""
    simulation = simulate_psychophysics(2, 10, 250)
    data = simulation.data
    right = data.inputs[:, 0] > 0
    schedule = ObservedSchedule(data, np.stack([~right, right], axis=1))
    model = hiql.HIQL(3, progress=False).fit(data)
    replayed = model.sample(schedule)
    np.testing.assert_array_equal(replayed.states, data.states)
    np.testing.assert_array_equal(replayed.inputs, data.inputs)
    assert replayed.session_names == data.session_names
    found = recovery(model, schedule, data, n_repeats=2, progress=False)
    np.testing.assert_allclose(found.agreement, found.oracle_agreement, atol=0.03)
    assert found.agreement.min() > found.chance_agreement.max() + 0.2
    assert found.policy_distance.max() < 0.08


def test_histories_recover_themselves_in_a_bandit():
    simulation = simulate_animals(6, 10, 150)
    data = hiql.bandit_trials(simulation.table(), history=1)
    model = hiql.HIQL(2, progress=False).fit(data)
    found = recovery(model, simulation.environment, data, n_repeats=2, progress=False)
    np.testing.assert_allclose(found.agreement, found.oracle_agreement, atol=0.03)
    assert found.policy_distance.max() < 0.05


def test_senseless_parameters_are_refused():
    with pytest.raises(ShapeMismatch, match="weights"):
        simulate_psychophysics(weights=[1.0, 2.0])
    with pytest.raises(InvalidParameter, match=r"stay is 1.5; choose a number in \[0, 1\]"):
        simulate_learning(stay=1.5)
    with pytest.raises(InvalidParameter, match="switch_there is -1"):
        simulate_places(switch_there=-1)
    with pytest.raises(InvalidParameter, match="concentration is 0"):
        simulate_animals(concentration=0)
