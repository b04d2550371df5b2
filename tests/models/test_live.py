"""Live steps against posteriors of whole sessions, for every pair of the contract; what is kept; what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.data.coding import Coding
from hiql.dynamics import ByState
from hiql.engine.problem import Point
from hiql.errors import HiqlError
from hiql.models.asked_steps import AskedSteps
from hiql.models.tabled_steps import TabledSteps
from tests.contract.pairs import CLOCKS, FITTED_TO, WAYS, Pair, pairs, some_data
from tests.dynamics.clocks import SwitchingAfterReward

BY_TABLES = {
    *("session-wise", "animal-wise", "by-state", "by-subject", "markov"),
    *("semi-markov", "sticky", "independent"),
}
OF_TABLES = {"pooled", "animals", "days", "table", "base policy", "zeros", "learned", "planned", "goals"}


def known(pair, coding=FITTED_TO):
    """A model with the clear parameters of a pair, fitted to nothing."""
    model = pair.model()
    model.coding_, model.n_states_, model.n_actions_ = coding, coding.n_states, coding.n_actions
    model._set_parameters(Point(pair.clock.known, pair.way.known))
    return model


def at(data, t):
    """Step t as it is told to a live model; -1 stands for unknown, and so does None."""
    state, action = (None if code < 0 and t % 2 else int(code) for code in (data.states[t], data.actions[t]))
    contexts = {
        name: data.context_labels[c][data.contexts[t, c]]
        for c, name in enumerate(data.context_names)
        if data.contexts[t, c] >= 0
    }
    own = [i for i, name in enumerate(data.input_names) if data.memory is None or name not in data.memory.names]
    given = {"state": state, "inputs": data.inputs[t, own], "contexts": contexts}
    return given, {"action": action, "outcome": None if data.outcomes is None else data.outcomes[t]}


def agree(model, data, tell=at):
    filtered, proba = model.filter_proba(data), model.predict_action_proba(data)
    followed = {}
    for n in range(data.n_sessions):
        live = followed.setdefault(data.subjects[n], model.live(data.subjects[n]))
        live.reset()
        for t in range(data.offsets[n], data.offsets[n + 1]):
            before, after = tell(data, t)
            np.testing.assert_allclose(live.predict(**before), proba[t], rtol=0, atol=1e-12)
            np.testing.assert_allclose(live.step(**before, **after), filtered[t], rtol=0, atol=1e-12)


@pairs()
def test_every_pair_step_by_step_is_what_it_is_over_whole_sessions(pair):
    agree(known(pair), some_data(3, lengths=(9, 3, 12), subjects=("ada", "cyd", "ada")))


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("way", WAYS)
def test_parts_that_say_what_they_read_are_compiled(clock, way):
    compiled = clock in BY_TABLES and way in OF_TABLES
    steps = known(Pair(CLOCKS[clock], WAYS[way])).live()._steps
    assert type(steps) is (TabledSteps if compiled else AskedSteps)


@pytest.mark.parametrize("context", ["state left", "state entered", "last action", "subject", "light"])
def test_clocks_by_any_context(context):
    rng = np.random.default_rng(0)
    data = hiql.Trajectories.from_arrays(
        [rng.integers(-1, 3, 40) for _ in range(6)],
        [rng.integers(-1, 2, 40) for _ in range(6)],
        subjects=["ada", "ben"] * 3,
        n_states=3,
        contexts={"light": [rng.choice(["on", "off"], 40) for _ in range(6)]},
    )
    model = hiql.HIQL(2, dynamics=ByState(context=context), n_init=1, patience=0, max_iter=20).fit(data)
    live = model.live()
    assert isinstance(live._steps, TabledSteps)
    agree(model, data)
    live.step(0, 1)
    unknown = live.predict(1)
    np.testing.assert_array_equal(live.predict(1, contexts={"light": "never seen"}), unknown)


@pytest.mark.parametrize("dynamics", [SwitchingAfterReward(), ByState(context="last outcome")])
@pytest.mark.parametrize("labels", [None, ("nothing", "sugar")])
def test_a_clock_that_reads_outcomes_is_asked(dynamics, labels):
    rng = np.random.default_rng(1)
    outcomes = rng.integers(0, 2, (2, 20)).astype(float)
    data = hiql.Trajectories.from_arrays(
        rng.integers(0, 3, (2, 20)), rng.integers(0, 2, (2, 20)), outcomes=list(outcomes)
    )
    data = replace(data, outcome_labels=labels)

    def named(data, t):
        before, after = at(data, t)
        return before, after if labels is None else after | {"outcome": labels[int(data.outcomes[t])]}

    agree(hiql.HIQL(2, dynamics=dynamics, n_init=1, patience=0, max_iter=5).fit(data), data, named)


def bandit(memory=None, history=0):
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {"subject": "ada", "session": np.repeat([0, 1], 60), "choice": rng.choice(["left", "right"], 120)}
    )
    table["reward"] = rng.integers(0, 2, 120)
    table.loc[[7, 70], "choice"] = None
    return hiql.bandit_trials(table, history=history, **({} if memory is None else {"memory": memory}))


def test_traces_of_the_past_are_kept_inside():
    data = bandit(memory=(1, 4))
    assert data.memory is not None
    model = known(Pair(CLOCKS["markov"], WAYS["input"]), Coding.of(data))
    assert model.live().input_names == ()
    agree(model, data)


def test_histories_of_trials_are_kept_inside():
    data = bandit(history=2)
    model = hiql.HIQL(2, n_init=1, patience=0, max_iter=20).fit(data)

    def left_out(data, t):
        _, after = at(data, t)
        reward = data.outcomes[t]
        action = None if after["action"] in (None, -1) else str(data.action_labels[after["action"]])
        return {}, {"action": action, "outcome": None if np.isnan(reward) else reward}

    agree(model, data, left_out)


def test_an_intention_that_was_ruled_out_for_long_comes_back():
    """Numbers below 1e-308 matter later where a chain has zeros: they are followed in logarithms."""
    data = hiql.Trajectories.from_arrays([np.zeros(1000, int)], [np.repeat([0, 1], 500)], n_states=3, n_actions=2)
    agree(known(Pair(CLOCKS["session-wise"], WAYS["table"]), Coding.of(data)), data)


def test_nothing_but_codes_is_the_same_as_the_long_way():
    model = known(Pair(CLOCKS["by-state"], WAYS["table"]))
    quick, slow, room = model.live(), model.live(), np.empty(2)
    rng = np.random.default_rng(3)
    for state, action in zip(rng.integers(0, 3, 50).tolist(), rng.integers(0, 2, 50).tolist(), strict=True):
        np.testing.assert_array_equal(quick.predict(state), slow.predict(np.int32(state)))
        assert quick.step(state, action, out=room) is room
        np.testing.assert_array_equal(room, slow.step(np.int64(state), str(action)))


def test_a_returned_array_is_the_callers_own_and_a_session_can_begin_anew():
    live = known(Pair(CLOCKS["markov"], WAYS["table"])).live()
    first = live.step(0, 1)
    kept = first.copy()
    live.step(1, 0)
    np.testing.assert_array_equal(first, kept)
    live.reset()
    np.testing.assert_array_equal(live.step(0, 1), kept)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"state": value} for value in (3, -2, 1.5, "elsewhere", True, [0])),
        *({"action": value} for value in (2, "up", 10**30, b"0")),
        *(
            {"inputs": value}
            for value in ([1.0, 2.0], {"stimulu": 1.0}, {}, "1", [np.inf], [[1.0]], [[1.0, [2.0]]], 3.0, ["x"])
        ),
        *({"contexts": value} for value in ({"light": 1}, [1])),
        *({"outcome": value} for value in ("much", np.inf, [1.0])),
        *({"out": value} for value in (np.empty(3), np.empty(2, np.float32), [0.0, 0.0], np.empty(4)[::2])),
    ],
)
@pytest.mark.parametrize("way", ["table", "input"])
def test_what_is_wrong_is_said_and_changes_nothing(way, wrong):
    model = known(Pair(CLOCKS["by-state"], WAYS[way]))
    right = {"state": 1, "action": 0, "inputs": [0.3]}
    live, other = model.live(), model.live()
    live.step(**right), other.step(**right)
    with pytest.raises(HiqlError):
        live.step(**(right | wrong))
    np.testing.assert_array_equal(live.step(**right), other.step(**right))


def test_a_regression_wants_its_inputs():
    with pytest.raises(HiqlError, match="stimulus"):
        known(Pair(CLOCKS["markov"], WAYS["input"])).live().step(0, 1)
