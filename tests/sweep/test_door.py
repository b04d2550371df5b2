"""``hiql.select``: axes, what is told of animals that differ and of animals that switch, no BIC of pooled rows."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.dynamics import ByState, Independent
from hiql.errors import InvalidParameter, ParametersNotCounted
from hiql.sweep.criteria import CRITERIA, Criterion
from hiql.sweep.plan import LATER, Plan, Source
from hiql.sweep.traits import Difference, _in_words, rivals

QUICK = {"n_restarts": 1, "n_folds": 3, "progress": False}


@pytest.fixture(scope="module")
def never_switching():
    trials = hiql.bandit_trials(hiql.worlds.simulate_animals(6, 4, 60, random_state=1).table(), history=1)
    return hiql.select(trials, (1, 2), **QUICK)


def switching_animals():
    """Three animals with the same two intentions, each kept for some 20 steps."""
    rng = np.random.default_rng(0)
    intention = (rng.random((18, 100)) < 0.05).cumsum(axis=1) % 2
    actions = np.where(rng.random(intention.shape) < 0.1, 1 - intention, intention)
    subjects = [f"mouse {i % 3}" for i in range(18)]
    return hiql.Trajectories.from_arrays(None, list(actions), subjects=subjects, n_actions=2)


def test_animals_that_differ_and_never_switch_are_told_as_such(never_switching):
    assert "Difference between animals explains the gain" in never_switching.explanation
    assert set(never_switching.table["pool"].dropna()) == {"subjects"}
    assert "groups of animals" in set(never_switching.table["dynamics"])
    row = never_switching.table.iloc[never_switching.selection.chosen]
    assert never_switching.best.n_intentions == row["n_intentions"]
    assert row["pool"] == "subjects" or row["dynamics"] == "groups of animals"


def test_animals_that_switch_and_do_not_differ_are_told_as_such(tmp_path):
    data = switching_animals()
    chosen = hiql.select(data, (1, 2), ("markov", ByState(context="last action")), folder=tmp_path, **QUICK)
    assert "is switching within animals" in chosen.explanation
    assert chosen.best.n_intentions == 2
    again = hiql.select(data, (1, 2), ("markov", ByState(context="last action")), folder=tmp_path, **QUICK)
    assert again.explanation == chosen.explanation


def test_where_both_matter_the_gain_is_divided():
    words = _in_words(Difference(0.03, 0.001), Difference(0.01, 0.001), Difference(0.04, 0.001))
    assert "75% is difference between animals" in words
    assert "25% switching within" in words
    assert "Neither" in _in_words(Difference(0.0, 0.1), Difference(0.0, 0.1), Difference(0.0, 0.1))


def test_rivals_without_switching_have_the_prior_of_the_choice():
    """Flat rivals of long histories that were pooled would lose to it for want of trials, not of switching."""
    axes = {"family": "hiql", "history": 5, "pseudo_count": 0.1, "dynamics": "markov", "pool": None, "n_intentions": 2}
    assert [rival["prior"] for rival in rivals(axes | {"prior": "pooled"})] == ["pooled"] * 3


def test_there_is_no_bic_where_rows_are_pooled(never_switching):
    table = never_switching.table
    pooled = table["pool"] == "subjects"
    assert table["bic"].isna().tolist() == pooled.tolist()
    assert table["n_free"].isna().tolist() == pooled.tolist()
    data = switching_animals()
    for options in ({"pool": "subjects"}, {"prior": "pooled"}, {"dynamics": "by-state"}):
        model = hiql.HIQL(1, progress=False, **options).fit(data)
        with pytest.raises(ParametersNotCounted, match="held-out"):
            model.bic(data)
    with pytest.raises(InvalidParameter, match="no BIC where rows are pooled"):
        hiql.select(data, 1, pool="subjects", by="bic", **QUICK)


def test_units_of_older_sweeps_are_asked_for_by_the_same_names():
    plan, source = Plan(n_intentions=(1,), n_folds=2, n_restarts=1), Source({None: switching_animals()})
    assert all(LATER.keys().isdisjoint(unit) for unit in plan.units(source))
    other = Plan(n_intentions=(1,), n_folds=2, n_restarts=1, dynamics=("by-state",), pools=("subjects",))
    assert all(unit["dynamics"] == "by-state" and unit["pool"] == "subjects" for unit in other.units(source))


def test_a_new_rule_is_a_line_in_the_registry(monkeypatch):
    """One that needs no folds, and has every model fitted in a way of its own."""
    rule = Criterion(lambda t: int(t["train"].argmax()), lambda *_: "It trains best.", False, {"max_iter": 40})
    monkeypatch.setitem(CRITERIA, "train", rule)
    chosen = hiql.select(switching_animals(), (1, 2), by="train", n_restarts=1, progress=False)
    assert chosen.best.max_iter == 40
    assert chosen.explanation.startswith("It trains best.")
    assert chosen.table[["held_out", "gap", "fold_agreement"]].isna().all(axis=None)
    assert chosen.table["train"].notna().all()
    with pytest.raises(InvalidParameter, match="needs held-out"):
        hiql.select(switching_animals(), 1, n_folds=0, n_restarts=1, progress=False)


@pytest.mark.parametrize("options", [{"prior": "firm"}, {"pool": "mice"}, {"dynamics": "daily"}, {"by": "taste"}])
def test_what_is_unknown_is_refused_before_any_work(options):
    with pytest.raises(InvalidParameter, match="choose"):
        hiql.select(switching_animals(), 1, **options, **QUICK)


def test_evidence_chooses_with_one_fit_each_and_no_folds():
    clocks = "markov", ByState(context="last action")
    chosen = hiql.select(switching_animals(), (1, 2, 3), clocks, by="evidence", progress=False)
    table, row = chosen.table, chosen.table.iloc[chosen.selection.chosen]
    assert (row["n_intentions"], row["dynamics"]) == (2, "markov")
    assert chosen.best.evidence_ == row["evidence"] >= table["evidence"].max() - 3.0
    assert table["held_out"].isna().all()
    assert table["evidence"].notna().all()
    assert "evidence" in chosen.explanation
    assert "never switch" in chosen.explanation
    assert "Switching within animals gains" in chosen.explanation


def test_evidence_tells_animals_that_never_switch():
    trials = hiql.bandit_trials(hiql.worlds.simulate_animals(6, 4, 60, random_state=1).table(), history=1)
    chosen = hiql.select(trials, (1, 2), pool=(None, "subjects"), by="evidence", progress=False)
    row = chosen.table.iloc[chosen.selection.chosen]
    assert (row["n_intentions"], row["pool"]) == (1, "subjects") or row["dynamics"] == "groups of animals"


def test_evidence_needs_the_same_steps():
    frame = hiql.worlds.simulate_animals(2, 2, 30, random_state=1).table()
    whole, short = hiql.bandit_trials(frame, history=1), hiql.bandit_trials(frame, history=2)
    short = short.select(np.arange(short.n_sessions - 1))
    with pytest.raises(InvalidParameter, match="same steps"):
        hiql.select({1: whole, 2: short}, 1, by="evidence", progress=False)


def with_an_input():
    rng = np.random.default_rng(0)
    actions = [rng.integers(0, 2, 30) for _ in range(4)]
    return hiql.Trajectories.from_arrays(
        [rng.integers(0, 2, 30) for _ in actions],
        actions,
        inputs=[rng.normal(size=(30, 1)) for _ in actions],
        input_names=["stimulus"],
    )


@pytest.mark.parametrize("proposed", [False, True])
def test_what_has_no_evidence_is_not_fitted_and_told(proposed):
    """Steps that are drawn anew have none: that is not a failure, and costs nothing."""
    data, asked = with_an_input(), {"n_intentions": (1,), "dynamics": ("markov", Independent()), "family": "hiql"}
    asked = {"proposal": hiql.propose(data, **asked)} if proposed else asked
    chosen = hiql.select(data, by="evidence", progress=False, **asked)
    assert chosen.table["dynamics"].tolist() == ["markov"]
    assert chosen.selection.failures == ()
    assert "1 candidate has no evidence and was not fitted." in chosen.explanation


def test_evidence_of_nothing_that_has_any_is_refused_before_any_work():
    settings = {"n_intentions": (1, 2), "dynamics": Independent()}
    for asked in (settings, {"proposal": hiql.propose(with_an_input(), **settings, family="hiql")}):
        with pytest.raises(InvalidParameter, match="choose held-out"):
            hiql.select(with_an_input(), by="evidence", progress=False, **asked)
