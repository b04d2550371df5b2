"""What is proposed of tables, by what they have; the order of stages; parts of sessions held out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.data.readings import readings, stimuli_in
from hiql.errors import InvalidParameter
from hiql.models.scoring import taken_proba
from hiql.sweep.holding_out import held_out
from hiql.sweep.in_stages import effort
from hiql.sweep.plan import FAMILIES, Plan, Source, can_pool
from hiql.sweep.proposal import propose
from hiql.sweep.stages import Stages
from hiql.sweep.traits import GROUPS


def trials(n_subjects=2, n_sessions=3, n=40, **columns):
    rng = np.random.default_rng(0)
    keys = [(f"m{i}", s, t) for i in range(n_subjects) for s in range(n_sessions) for t in range(n)]
    table = pd.DataFrame(keys, columns=["subject", "session", "trial"])
    return table.assign(choice=rng.integers(2, size=len(table)), reward=rng.integers(2, size=len(table)), **columns)


def read(table):
    return {key: layout.read(table) for key, layout in readings(table, {}).items()}


def test_trials_are_read_with_several_memories():
    found = readings(trials(), {})
    assert list(found) == [1, "memory 1, 2, 4, 8, 16, 40"]  # 240 trials are too few for 16 histories
    assert list(readings(trials(n=400), {})) == [1, 2, 3, "memory 1, 2, 4, 8, 16, 40"]
    assert list(readings(trials(), {}, histories=[2])) == [2]
    assert list(readings(trials().assign(reward="juice"), {})) == [1, 2, 3]  # not an amount: no traces of rewards


def test_stimuli_are_known_by_name_and_only_where_they_come_before_the_choice():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=240)
    columns = {"stimulus": noise, "contrast_left": noise, "s1": noise, "reaction_time": noise, "s2": np.arange(240) % 2}
    table = trials().assign(**columns, tone=np.nan, coherence=1.0)
    assert stimuli_in(table) == ("stimulus", "contrast_left", "s1")
    assert stimuli_in(table, used=["stimulus"]) == ("contrast_left", "s1")
    assert list(readings(table, {})) == [None, "memory 1, 4, 16"]
    data = read(table)[None]
    assert data.input_names == ("stimulus", "contrast_left", "s1")
    assert propose(read(table)).families == {None: ("glmhmm",), "memory 1, 4, 16": ("glmhmm",)}
    without = readings(table.drop(columns="reward").assign(choice=0), {})[None]
    assert (without.state, without.action) == (None, "choice")


def test_few_stimuli_are_a_table_too_for_choices_need_not_be_linear_in_them():
    pair = np.arange(1200) % 4
    table = trials(n=200, s1=np.array([-0.5, 0.5, -1.5, 1.5])[pair], s2=np.array([-1.5, 1.5, -0.5, 0.5])[pair])
    found = read(table)
    assert list(found) == [None, "memory 1, 4, 16", "table of s1 and s2"]
    as_table = found["table of s1 and s2"]
    assert as_table.n_states == 4
    np.testing.assert_array_equal(as_table.actions, found[None].actions)
    np.testing.assert_array_equal(as_table.outcomes, found[None].outcomes)
    assert propose(found).families["table of s1 and s2"] == ("hiql",)
    assert list(readings(table.head(100), {})) == [None, "memory 1, 4, 16"]  # too few trials for each pair
    one = trials(n=200, stimulus=pair % 2)  # a regression has two weights: as many as there are stimuli
    assert list(readings(one, {})) == [None, "memory 1, 4, 16"]


def test_choices_weigh_the_traces_of_their_reading_beside_the_inputs_that_were_named():
    found = read(trials(s1=np.random.default_rng(0).normal(size=240), s2=np.random.default_rng(1).normal(size=240)))
    source = Source(found, inputs=("s1",))
    unit = {"family": "glmhmm", "n_intentions": 1, "pseudo_count": 0.1, "seed": 0, "restart": 0}
    assert source.model(unit | {"history": None}).inputs == ("s1",)
    traces = found["memory 1, 4, 16"].memory.names
    assert source.model(unit | {"history": "memory 1, 4, 16"}).inputs == ("s1", *traces)


def test_clocks_go_by_what_there_is():
    bandit, maze = propose(read(trials())), hiql.worlds.simulate_two_goals(30, random_state=0)
    assert list(bandit.clocks) == ["markov", "by last outcome", "session-wise"]
    assert list(propose(maze.data, maze.world).clocks) == ["markov", "by-state", "by state entered", "session-wise"]
    assert propose(maze.data, maze.world).families == {None: ("hiavi",)}
    assert bandit.pools == (None, "subjects")
    assert propose(maze.data).pools == (None,)
    assert any("one, so nothing can be said" in reason for reason in propose(maze.data).reasons)


def test_parts_are_held_out_where_subjects_have_one_session():
    assert propose(read(trials(n_sessions=1))).hold_out == "parts"
    assert propose(read(trials(n_subjects=1, n_sessions=1))).hold_out == "parts"
    assert propose(read(trials(n_sessions=1, n=10))).hold_out == "sessions"  # too short to cut
    assert propose(read(trials())).hold_out == "sessions"


def test_what_is_given_is_taken():
    given = propose(
        read(trials()), n_intentions=range(1, 3), dynamics="by-state", pool=(None,), family="hiql", hold_out="subjects"
    )
    assert (given.n_intentions, list(given.clocks), given.pools) == ((1, 2), ["by-state"], (None,))
    assert set(given.families.values()) == {("hiql",)}
    assert given.hold_out == "subjects"
    with pytest.raises(InvalidParameter, match="choose from hiavi"):
        propose(read(trials()), family="glm")


def walked(proposal, best):
    return [[tuple(each.values()) for each in stage(best)] for stage in Stages(proposal)]


def test_stages_vary_one_axis_at_a_time():
    best = {"history": 2, "family": "hiql", "dynamics": "by last outcome", "n_intentions": 2}
    memory, clocks, pools, more, *_ = walked(propose(read(trials(n=60))), best)
    assert len(memory) == 3 * 3  # readings with the first numbers of intentions
    assert len(clocks) == 5 + 2 + 2  # one intention has no clock, and no more than one further is tried of the others
    assert {each[1] for each in clocks} == {2}
    assert len(pools) == 2 * 2
    assert {each[3] for each in pools} == {"by last outcome"}
    assert more == []  # unless two intentions around a population are better than one
    one_reading = propose(read(trials())[1], n_intentions=(1, 2), dynamics=("markov", "by-state"), pool=(None,))
    assert [len(stage) for stage in walked(one_reading, best)] == [4]  # all was asked for: one full product


def test_where_each_animal_its_own_is_best_two_intentions_are_tried_around_a_population():
    proposal = propose(read(trials(n=60)))
    alike = {"history": 2, "family": "hiql", "dynamics": "markov", "pool": None, "n_intentions": 5}
    own = alike | {"n_intentions": 1, "pool": "subjects"}
    groups = alike | {"dynamics": GROUPS}
    _, _, apart, pools, more, again = Stages(proposal, are_told_apart=True)
    assert [each["n_intentions"] for each in apart(alike)] == [1, 1, 5]
    assert {each["n_intentions"] for each in pools(alike)} == {2, 3, 4, 5}
    for still in (own, groups):
        assert {each["n_intentions"] for each in pools(still)} == {2}
        assert {each["dynamics"] for each in pools(still)} == {"markov"}
        assert more(still) == []
    assert {each["n_intentions"] for each in more(own | {"n_intentions": 2})} == {2, 3, 4, 5}
    assert again(own)[0]["n_intentions"] == 1


def test_parts_together_are_the_chance_of_the_session():
    """With nothing learned between folds, and one intention, the parts of a session add up to its log-likelihood."""
    data = read(trials(n_subjects=3, n_sessions=1, n=23))[1]
    model = hiql.HIQL(1, progress=False).fit(data)
    judged = [held_out(data, {"hold_out": "parts", "n_folds": 4, "fold": i}).judge(model) for i in range(4)]
    total = np.sum([part["log_likelihood"] for part in judged], axis=0)
    each = np.bincount(data.session_of_step, np.log(taken_proba(model, data)))
    np.testing.assert_allclose(total, each, rtol=1e-12)
    assert np.sum([part["steps"] for part in judged]) == data.n_steps
    assert len({name for part in judged for name in part["sessions"]}) == 12


def test_a_part_is_judged_by_what_it_adds_to_the_rest_of_its_session():
    data = read(trials(n_subjects=3, n_sessions=1, n=23))[1]
    hidden = held_out(data, {"hold_out": "parts", "n_folds": 4, "fold": 1})
    model = hiql.HIQL(2, progress=False).fit(hidden.train)
    assert (hidden.train.actions < 0).sum() == sum(hidden.judge(model)["steps"])
    for i, found in enumerate(hidden.judge(model)["log_likelihood"]):
        whole, rest = data.select([i]), hidden.train.select([i])
        assert found == pytest.approx(model.score(whole) - model.score(rest), abs=1e-9)


def test_glmhmm_is_a_family_like_any_other():
    data = hiql.worlds.simulate_psychophysics(1, 2, 60, random_state=0).data
    source, plan = Source({None: data}), Plan(n_intentions=(1,), families=("glmhmm",), n_folds=2, n_restarts=1)
    unit = plan.units(source)[0]
    assert FAMILIES["glmhmm"](source, 1, prior="flat", pool=None, pseudo_count=0.1).get_params()["n_intentions"] == 1
    assert source.model(unit).fit(data).weights_.shape == (1, 2, 2)
    with pytest.raises(InvalidParameter, match="choose flat"):
        FAMILIES["glmhmm"](source, 1, prior="pooled", pool=None, pseudo_count=0.1)
    assert can_pool("hiql")
    assert not can_pool("stochastic")


def test_effort_grows_with_intentions_and_pools():
    units = [SimpleNamespace(k=k, extra=extra) for k, extra in ((1, {}), (2, {}), (3, {}), (3, {"pool": "subjects"}))]
    costs = [effort({"n_intentions": unit.k, **unit.extra}) for unit in units]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]
