"""Environments: what they present, what they refuse, and that memories made step by step are those of whole tables."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.errors import DataDoesNotFitModel, InvalidParameter, ShapeMismatch
from hiql.evaluate import predictive_check
from hiql.evaluate.checks.simulating import simulate_like
from hiql.worlds import Bandit, ObservedSchedule, ReversalTask, Stimuli

RNG = np.random.default_rng(0)


def bandit_table(n_sessions=6, n_trials=60, missed=0.0):
    rng = np.random.default_rng(1)
    n = n_sessions * n_trials
    choice = rng.integers(2, size=n).astype(float)
    choice[rng.random(n) < missed] = np.nan
    p = np.where(np.arange(n) % n_trials < n_trials // 2, 0.8, 0.2)
    return pd.DataFrame(
        {
            "subject": np.repeat([f"m{i % 2}" for i in range(n_sessions)], n_trials),
            "session": np.repeat(np.arange(n_sessions), n_trials),
            "choice": choice,
            "reward": np.where(np.isnan(choice), np.nan, rng.integers(2, size=n)),
            "p_left": p,
            "p_right": 1 - p,
        }
    )


def as_table(data):
    return pd.DataFrame(
        {
            "subject": np.repeat(data.subjects, data.lengths),
            "session": np.repeat(data.session_names, data.lengths),
            "choice": np.where(data.actions < 0, np.nan, data.actions),
            "reward": data.outcomes,
        }
    )


@pytest.mark.parametrize("missed", [0.0, 0.2])
def test_histories_and_memories_of_a_simulation_are_those_of_its_table(missed):
    """What was made trial by trial while simulating is what bandit_trials makes of the whole, misses included."""
    table = bandit_table(missed=missed)
    data = hiql.bandit_trials(table, history=2, memory=(1, 8))
    model = hiql.HIQL(2, progress=False).fit(data)
    sampled = model.sample(ObservedSchedule(data, table[["p_left", "p_right"]]))
    again = hiql.bandit_trials(as_table(sampled), history=2, memory=(1, 8))
    np.testing.assert_array_equal(sampled.actions < 0, data.actions < 0)
    assert (sampled.actions != data.actions).any()
    np.testing.assert_array_equal(sampled.states, again.states)
    np.testing.assert_allclose(sampled.inputs, again.inputs)
    assert sampled.input_names == again.input_names
    assert sampled.memory == data.memory
    np.testing.assert_array_equal(np.isnan(sampled.outcomes), sampled.actions < 0)


def test_any_model_of_histories_can_be_sampled_in_any_bandit():
    """These failed with an AttributeError while only an MDP could answer."""
    data = hiql.bandit_trials(bandit_table(), history=1)
    model = hiql.HIQL(2, progress=False).fit(data)
    for task in (Bandit(), Bandit(((0.1, 0.9),), baited=True), ReversalTask()):
        sampled = model.sample(task, 5, 40, random_state=3)
        np.testing.assert_array_equal(sampled.states, hiql.bandit_trials(as_table(sampled), history=1).states)
        assert sampled.state_labels == data.state_labels
        model.score(sampled)


def test_a_schedule_replays_what_was_presented():
    data = hiql.Trajectories.from_arrays(
        [[0, 1, -1], [1, 1]],
        [[0, -1, 1], [1, 0]],
        subjects=["a", "b"],
        inputs=[[0.5, 1.5, 2.5], [-1.0, 0.0]],
        input_names=["tone"],
        contexts={"light": [["on", "on", "off"], ["off", "off"]]},
        session_days=[3, 7],
        session_names=["x", "y"],
    )
    model = hiql.HIQL(1, progress=False).fit(data)
    for n_sessions in (None, 2):
        sampled = model.sample(ObservedSchedule(data), n_sessions)
        for name in ("states", "inputs", "contexts", "session_days", "session_order", "lengths"):
            np.testing.assert_array_equal(getattr(sampled, name), getattr(data, name))
        for name in ("subjects", "session_names", "input_names", "context_names", "context_labels"):
            assert getattr(sampled, name) == getattr(data, name)
        np.testing.assert_array_equal(sampled.actions < 0, data.actions < 0)
        assert sampled.outcomes is None
    assert model.sample(ObservedSchedule(data), 5, 4).subjects == ("a", "b", "a", "b", "a")


def test_outcomes_that_were_not_recorded_stay_unknown():
    data = hiql.Trajectories.from_arrays(None, [[0, 1, 0]], n_actions=2, outcomes=[[1, np.nan, 0]])
    sampled = hiql.HIQL(1, progress=False).fit(data).sample(ObservedSchedule(data, np.ones((3, 2))), 1)
    np.testing.assert_array_equal(sampled.outcomes, [1, np.nan, 1])


def test_baits_wait_until_they_are_collected():
    """With chance 1 on one side only while the other is chosen, the bait of the first trial is there in the last."""
    chances = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    data = hiql.Trajectories.from_arrays(None, [[1, 1, 0]] * 3, n_actions=2)
    for baited, last in ((True, 1.0), (False, 0.0)):
        schedule = ObservedSchedule(data, np.tile(chances, (3, 1)), baited)
        moment, paid = schedule.begin(3, RNG), []
        for action in (1, 1, 0):
            outcomes, moment = schedule.answer(moment, np.full(3, action), RNG)
            paid.append(outcomes.tolist())
        assert paid == [[0.0] * 3, [0.0] * 3, [last] * 3]


def test_real_mice_are_baited_as_the_rules_say():
    """Simulated in the mice's own blocks with their own choices, rewards come as often as the mice had them."""
    table = _mice()
    data = hiql.bandit_trials(table, history=0)
    means = {}
    for baited in (True, False):
        schedule = ObservedSchedule(data, table[["p_left", "p_right"]], baited)
        padded = np.full((data.n_sessions, data.lengths.max()), 0)
        padded[data.session_of_step, data.time] = data.actions
        moment, won = schedule.begin(data.n_sessions, RNG), 0.0
        for t in range(padded.shape[1]):
            outcomes, moment = schedule.answer(moment, padded[:, t], RNG)
            won += outcomes[t < data.lengths].sum()
        means[baited] = won / data.n_steps
    assert abs(means[True] - data.outcomes.mean()) < 0.005
    assert means[False] < data.outcomes.mean() - 0.05


def _mice():
    folder = os.environ.get("HIQL_DATA_DIR")
    if not folder:
        pytest.skip("needs the bandit data: set HIQL_DATA_DIR")
    return pd.read_csv(Path(folder) / "bandit" / "mice_bandit.csv.gz")


def test_simulations_are_of_the_animals_of_the_data():
    data = replace(
        hiql.bandit_trials(bandit_table(), history=1), session_days=np.arange(6.0), session_order=np.arange(6)[::-1]
    )
    model = hiql.HIQL(1, progress=False).fit(data)
    simulated = simulate_like(model, Bandit(), data, np.random.default_rng(0))
    assert simulated.subjects == data.subjects
    np.testing.assert_array_equal(simulated.session_days, data.session_days)
    np.testing.assert_array_equal(simulated.session_order, data.session_order)


def test_a_world_is_read_by_label_where_the_model_has_the_same_in_another_order():
    """A table numbers "down", "left", … alphabetically, a gridworld does not: the moves must not be mixed up."""
    world = hiql.worlds.gridworld(3, slip=0.0)
    simulation = hiql.HIAVI(1, mdp=world, progress=False).fit(
        hiql.Trajectories.from_arrays(
            [[0, 1, 2, 5, 8]], [[3, 3, 0, 0, 4]], n_states=9, n_actions=5, action_labels=world.action_names
        )
    )
    data = hiql.Trajectories.from_dataframe(simulation.sample(world, 50, 20).to_dataframe())
    assert data.action_labels == tuple(sorted(world.action_names))
    model = hiql.HIQL(1, progress=False).fit(data)
    sampled = model.sample(world, 50, 20)
    assert sampled.action_labels == data.action_labels
    codes = [world.action_names.index(name) for name in sampled.action_labels]
    states = np.array([int(label) for label in sampled.state_labels or range(9)])
    moves = world.transitions[states[sampled.states], np.array(codes)[sampled.actions], states[sampled.next_states]]
    assert (moves > 0).all()


def test_stimuli_are_read_by_label():
    simulation = hiql.worlds.simulate_psychophysics(1, 4, 200, weights=[[9.0, 0.0]])
    data = hiql.Trajectories.from_dataframe(simulation.table())
    assert data.state_labels != simulation.data.state_labels
    model = hiql.HIQL(1, progress=False).fit(data)
    sampled = model.sample(Stimuli(), 4, 200)
    shown = np.array([label.split()[0] for label in np.array(sampled.state_labels)[sampled.states]])
    chosen = np.array(sampled.action_labels)[sampled.actions]
    assert (shown == chosen)[shown != "0"].mean() > 0.85
    np.testing.assert_array_equal(np.sign(sampled.inputs[shown != "0", 0]) > 0, shown[shown != "0"] == "right")


def test_the_wrong_environment_is_named():
    data = hiql.bandit_trials(bandit_table(), history=1)
    model = hiql.HIQL(1, progress=False).fit(data)
    with pytest.raises(DataDoesNotFitModel, match="n_actions"):
        model.sample(Bandit(((0.1, 0.2, 0.3),)), 2, 5)
    with pytest.raises(DataDoesNotFitModel, match="n_states"):
        model.sample(Stimuli(), 2, 5)
    with pytest.raises(InvalidParameter, match="world is 'int'; give what answers the actions"):
        model.sample(5, 2, 5)
    with pytest.raises(InvalidParameter, match="hiql.MDP, or for tables of trials hiql.worlds.ObservedSchedule"):
        predictive_check(model, None, data)


def test_senseless_tasks_are_refused():
    data = hiql.bandit_trials(bandit_table(), history=1)
    with pytest.raises(InvalidParameter, match="chances is None; the animal remembers rewards"):
        ObservedSchedule(data)
    with pytest.raises(ShapeMismatch, match="one row a step"):
        ObservedSchedule(data, np.ones((3, 2)))
    with pytest.raises(InvalidParameter, match=r"chances\[0, 1\] is 1.5"):
        Bandit(((0.5, 1.5),))
    with pytest.raises(ShapeMismatch, match="one row a kind of block"):
        Bandit((0.5, 0.5))
    for trials in ((0, 3), (5, 3), 7, (1.5, 2)):
        with pytest.raises(InvalidParameter, match="block_trials"):
            Bandit(block_trials=trials)
    with pytest.raises(InvalidParameter, match="levels"):
        Stimuli((1.0, 0.0))
    with pytest.raises(InvalidParameter, match="right_chances"):
        Stimuli(right_chances=(2.0,))
    with pytest.raises(InvalidParameter, match="criterion"):
        ReversalTask(criterion=2)
