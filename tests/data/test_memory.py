"""Leaky traces: what they are, that they are causal, and that one step at a time gives the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hiql
from hiql import Trajectories
from hiql.data.coding import Coding
from hiql.data.memory import Happened, Memory, memory_of
from hiql.errors import BadColumns, InvalidParameter
from tests.oracles.leaky import trace_before

TAUS = (1, 4, 16)


def behaviour(seed: int = 0, n_actions: int = 2, lengths: tuple[int, ...] = (30, 1, 12)) -> Trajectories:
    rng = np.random.default_rng(seed)
    actions = [rng.integers(-1, n_actions, n) for n in lengths]
    outcomes = [np.where(rng.random(n) < 0.1, np.nan, rng.random(n)) for n in lengths]
    states = [rng.integers(-1, 3, n) for n in lengths]
    return Trajectories.from_arrays(states, actions, outcomes=outcomes, n_states=3, n_actions=n_actions)


def test_a_trace_is_the_sum_that_defines_it():
    data = behaviour()
    kept = data.with_memory(TAUS)
    signs = np.where(data.actions < 0, 0, 2 * data.actions - 1)
    rewarded = signs * np.nan_to_num(data.outcomes)
    for i in range(data.n_sessions):
        here = data.session(i)
        for tau in TAUS:
            for name, impulses in ((f"choice_tau{tau}", signs), (f"choice_reward_tau{tau}", rewarded)):
                found = kept.inputs[here, kept.input_names.index(name)]
                np.testing.assert_allclose(found, trace_before(impulses[here], tau), atol=1e-12)


def test_more_than_two_choices_and_places_have_a_trace_each():
    data = behaviour(n_actions=3)
    kept = data.with_memory((4,), of=("choice", "choice_reward", "place"))
    assert kept.input_names == (
        *("choice_0_tau4", "choice_1_tau4", "choice_2_tau4"),
        *("choice_0_reward_tau4", "choice_1_reward_tau4", "choice_2_reward_tau4"),
        *("place_0_tau4", "place_1_tau4", "place_2_tau4"),
    )
    first = data.session(0)
    expected = trace_before((data.actions[first] == 2) * np.nan_to_num(data.outcomes[first]), 4)
    np.testing.assert_allclose(kept.inputs[first, 5], expected, atol=1e-12)
    np.testing.assert_allclose(kept.inputs[first, 7], trace_before(data.states[first] == 1, 4), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(0, 29))
def test_the_future_and_the_present_move_nothing(seed, n_actions, now):
    data = behaviour(seed, n_actions)
    other = behaviour(seed + 1, n_actions)
    flat = {name: np.array(getattr(data, name)) for name in ("actions", "outcomes", "states")}
    for name, values in flat.items():
        values[now:30] = getattr(other, name)[now:30]
    of = ("choice", "choice_reward", "place")
    memory = data.with_memory(TAUS, of).memory
    before = memory.replay(data.offsets, Happened(data.actions, data.outcomes, data.states))
    after = memory.replay(data.offsets, Happened(**flat))
    assert np.array_equal(before[: now + 1], after[: now + 1])
    assert np.array_equal(before[30:], after[30:])  # and other sessions know nothing of it


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_one_step_at_a_time_gives_the_same_bits(seed, n_actions):
    data = behaviour(seed, n_actions, lengths=(20, 20))
    memory = data.with_memory((1, 2.5, 40), ("choice", "choice_reward", "place")).memory
    replayed = memory.replay(data.offsets, Happened(data.actions, data.outcomes, data.states))
    kept = memory.begin(2)
    for t in range(20):
        at = [t, 20 + t]
        assert np.array_equal(memory.inputs(kept), replayed[at])
        kept = memory.step(kept, Happened(data.actions[at], data.outcomes[at], data.states[at]))


def test_memory_stands_beside_other_inputs_and_is_found_by_name():
    data = Trajectories.from_arrays(
        None, [[0, 1, 1]], inputs=[[5, 6, 7]], input_names=["light"], outcomes=[[1, 1, 0]]
    ).with_memory((2,))
    assert data.input_names == ("light", "choice_tau2", "choice_reward_tau2")
    assert data.inputs[:, 0].tolist() == [5, 6, 7]
    assert data.memory.names == data.input_names[1:]


def test_trials_with_memory_and_no_history():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"subject": "m", "session": np.repeat([1, 2], 50), "choice": rng.integers(0, 2, 100), "reward": 1}
    )
    table["reward"] = rng.integers(0, 2, 100)
    data = hiql.bandit_trials(table, history=0, memory=(1, 2, 4, 8, 16, 40))
    assert data.n_states == 1
    assert data.inputs.shape == (100, 12)
    assert data.outcomes.tolist() == table["reward"].tolist()
    same = hiql.bandit_trials(table, history=0).with_memory((1, 2, 4, 8, 16, 40))
    assert np.array_equal(data.inputs, same.inputs)
    signs = 2 * table["choice"].to_numpy() - 1
    np.testing.assert_allclose(data.inputs[:50, 4], trace_before(signs[:50], 4), atol=1e-12)


def test_rewards_must_be_amounts():
    table = pd.DataFrame({"subject": "m", "session": 1, "choice": [0, 1, 0], "reward": ["won", "lost", "won"]})
    data = hiql.bandit_trials(table, history=1)
    assert data.outcome_labels == ("lost", "won")
    assert data.outcomes.tolist() == [1, 0, 1]
    with pytest.raises(BadColumns, match="amounts of reward"):
        hiql.bandit_trials(table, history=0, memory=(4,))
    assert data.with_memory((4,), of=("choice",)).input_names == ("choice_tau4",)


@pytest.mark.parametrize("wrong", [(), (0,), (-1,), (np.nan,), (np.inf,), (1, 1), ("a",), 4, ((1, 2),)])
def test_time_constants_that_make_no_sense(wrong):
    with pytest.raises(InvalidParameter, match="time constants"):
        behaviour().with_memory(wrong)


def test_a_memory_must_fit_its_names():
    with pytest.raises(InvalidParameter, match="give 2"):
        Memory((4.0,), ("choice", "choice_reward"), 2, 1, ("one",))
    with pytest.raises(InvalidParameter, match="choose from choice"):
        memory_of((4,), ("mood",), n_actions=2)
    with pytest.raises(InvalidParameter, match="more than 10000 traces|traces, more than"):
        memory_of((1, 2), ("place",), n_actions=2, n_states=6000)


def test_traces_that_are_no_inputs_are_refused():
    memory = behaviour().with_memory(TAUS).memory
    with pytest.raises(InvalidParameter, match="traces are among the inputs"):
        Coding(3, 2, input_names=("light",), input_means=(0.0,), input_scales=(1.0,), memory=memory)
