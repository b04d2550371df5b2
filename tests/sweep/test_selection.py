"""The choice among candidates: formulas against plain loops, rules on made-up scores, a whole sweep end to end."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.errors import EmptyData, InvalidParameter
from hiql.sweep import Failure, Outcome, Plan, Source, choose, fit_chosen, sweep
from hiql.sweep.fitting import MOST_COMPARED, compared_steps, pack_path, unpack_path
from hiql.sweep.holding_out import HeldOut
from hiql.sweep.traits import ratio_error


def outcome(k, fold, restart=0, objective=0.0, scores=(), sessions=(), path=(0, 0, 1, 1), bic=0.0, history=None):
    unit = {"family": "hiql", "history": history, "pseudo_count": 0.1, "n_intentions": k, "fold": fold}
    unit |= {"restart": restart, "n_folds": 2}
    held_out = {"sessions": list(sessions), "log_likelihood": list(scores), "steps": [10] * len(sessions)}
    result = {"objective": objective, "train": -1.0, "bic": bic, "n_free": 10 * k, "decoded": pack_path(np.array(path))}
    return Outcome(unit, result | {"held_out": held_out}, 1.0)


def candidate(k, scores, bic=0.0, path=(0, 0, 1, 1)):
    """Two folds of two sessions each; the session scores are in order of session."""
    return [
        outcome(k, None, bic=bic, path=path),
        outcome(k, 0, scores=[scores[3], scores[0]], sessions=[3, 0], path=path),
        outcome(k, 1, scores=[scores[1], scores[2]], sessions=[1, 2], path=path),
    ]


def test_the_simplest_within_one_standard_error_of_the_difference_is_chosen():
    # Sessions differ a lot, candidates little: only paired differences can tell.
    best = [-1.0, -20.0, -5.0, -9.0]
    close = [-1.2, -19.9, -5.1, -9.0]  # differences -0.2, 0.1, -0.1, 0
    far = [-1.5, -20.5, -5.5, -9.4]
    selection = choose([*candidate(1, far), *candidate(2, close), *candidate(3, best)], [])
    assert selection.table["n_intentions"].tolist() == [1, 2, 3]
    assert (selection.chosen, selection.best) == (1, 2)
    assert selection.table["gap"].tolist() == pytest.approx([-1.9 / 40, -0.2 / 40, 0.0])
    differences = np.array(close) - best
    residuals = differences - differences.mean()
    assert selection.table["gap_se"][1] == pytest.approx(np.sqrt(4 / 3 * (residuals**2).sum()) / 40)
    assert "K = 2" in selection.explanation
    assert "fewer free parameters (20 against 30)" in selection.explanation


def test_of_two_that_are_as_good_and_as_simple_the_one_that_switches_less_is_chosen():
    best, close = [-1.0, -20.0, -5.0, -9.0], [-1.2, -19.9, -5.1, -9.0]
    often, seldom, nearly = (0, 1, 0, 1), (0, 0, 1, 1), (0, 0, 0, 1)

    def in_place(outcomes, name):
        return [each._replace(unit=each.unit | {"dynamics": name}) for each in outcomes]

    restless = in_place(candidate(2, best, path=often), "by-state")
    steady = in_place(candidate(2, close, path=seldom), "by state entered")
    selection = choose([*restless, *steady], [])
    assert selection.table["switching"].tolist() == [1.0, pytest.approx(1 / 3)]
    assert (selection.chosen, selection.best) == (1, 0)
    assert "no more free parameters (20), and minds change less often (at 33.3% of steps against 100.0%)" in (
        selection.explanation
    )
    as_steady = in_place(candidate(2, best, path=nearly), "by-state")
    assert choose([*as_steady, *steady], []).chosen == 0  # the higher score decides


def test_bic_is_told_and_can_decide():
    outcomes = [*candidate(1, [-3.0] * 4, bic=10.0), *candidate(2, [-1.0, -1.1, -0.9, -1.0], bic=20.0)]
    by_likelihood, by_bic = choose(outcomes, []), choose(outcomes, [], by="bic")
    assert by_likelihood.chosen == 1
    assert "BIC would choose K = 1" in by_likelihood.explanation
    assert by_bic.chosen == 0
    assert "lowest BIC (10)" in by_bic.explanation
    with pytest.raises(InvalidParameter, match="held-out, bic"):
        choose(outcomes, [], by="taste")


def test_of_several_restarts_the_one_that_trains_best_counts_not_the_one_that_tests_best():
    outcomes = [
        outcome(1, None, 0, objective=1.0, path=(0, 0, 1, 1)),
        outcome(1, None, 1, objective=2.0, path=(0, 1, 1, 1)),
        outcome(1, 0, 0, objective=5.0, scores=[-8.0], sessions=[0], path=(1, 0, 0, 0)),
        outcome(1, 0, 1, objective=4.0, scores=[-1.0], sessions=[0]),
        outcome(1, 1, 0, objective=5.0, scores=[-2.0], sessions=[1], path=(1, 0, 0, 1)),
    ]
    selection = choose(outcomes, [])
    row = selection.table.iloc[0]
    assert row["held_out"] == pytest.approx(-10.0 / 20)
    assert selection.unit["restart"] == 1
    assert row["restart_agreement"] == pytest.approx(3 / 4)
    assert row["fold_agreement"] == pytest.approx((4 / 4 + 3 / 4) / 2)  # labels do not matter


def test_candidates_of_equal_size_are_told_apart_by_their_score_not_by_their_order():
    worse, better = candidate(1, [-1.0, -2.0, -1.5, -1.1]), candidate(1, [-1.0, -1.9, -1.6, -1.0])
    for outcome_ in worse:
        outcome_.unit["pseudo_count"] = 5.0
    for outcomes in ([*worse, *better], [*better, *worse]):
        selection = choose(outcomes, [])
        assert selection.table["pseudo_count"][selection.chosen] == 0.1
        assert "fewer free parameters" not in selection.explanation


def test_a_changed_setting_is_another_unit_but_other_folds_leave_whole_fits_alone(source):
    def keys(plan):
        units = plan.units(source)
        return {str(unit) for unit in units if unit["fold"] is None}, {
            str(unit) for unit in units if unit["fold"] is not None
        }

    whole, parts = keys(PLAN)
    other_whole, other_parts = keys(Plan(n_intentions=(1, 2), n_folds=2, n_restarts=2))
    assert whole == other_whole
    assert parts.isdisjoint(other_parts)
    assert PLAN.units(source)[0]["search"]["tol"] == hiql.HIQL().tol


def test_a_candidate_that_lacks_a_fold_is_left_out_and_none_at_all_is_an_error():
    failure = Failure({"n_intentions": 2}, "ValueError: no")
    selection = choose([*candidate(1, [-1.0] * 4), *candidate(2, [-0.5] * 4)[:2]], [failure])
    assert selection.table["n_intentions"].tolist() == [1]
    assert selection.failures == (failure,)
    assert "1 candidates are left out" in selection.explanation
    with pytest.raises(EmptyData, match="ValueError: no"):
        choose(candidate(2, [-0.5] * 4)[:2], [failure])


def test_held_out_subjects_are_the_units_of_the_error():
    by_session = choose([*candidate(1, [-3, -1, -3, -1.5]), *candidate(2, [-2, -2, -2, -2])], [])
    by_subject = choose([*candidate(1, [-3, -1, -3, -1.5]), *candidate(2, [-2, -2, -2, -2])], [], ["a", "a", "b", "b"])
    assert by_session.table["held_out"].tolist() == by_subject.table["held_out"].tolist()
    assert by_subject.table["gap_se"][0] == pytest.approx(ratio_error(np.array([0.0, -0.5]), np.array([20.0, 20.0])))
    assert by_subject.table["gap_se"][0] < by_session.table["gap_se"][0]


def test_the_error_of_a_ratio_is_that_of_repeated_samples():
    rng = np.random.default_rng(0)
    steps = rng.integers(5, 50, size=(4000, 30)).astype(float)
    totals = -0.4 * steps + rng.normal(0, 2, steps.shape)
    ratios = totals.sum(axis=1) / steps.sum(axis=1)
    errors = [ratio_error(t, n) for t, n in zip(totals, steps, strict=True)]
    assert np.mean(errors) == pytest.approx(ratios.std(), rel=0.05)
    assert ratio_error(np.array([-3.0]), np.array([4.0])) == 0.0


def test_session_scores_add_up_to_the_score():
    data = hiql.worlds.simulate_two_goals(30, random_state=0).data
    model = hiql.HIQL(2, random_state=0).fit(data)
    parts = HeldOut(data, data.select([4, 2, 9]), None, np.array([4, 2, 9])).judge(model)
    for session, score, steps in zip(parts["sessions"], parts["log_likelihood"], parts["steps"], strict=True):
        assert score == pytest.approx(model.score(data.select([session])))
        assert steps == data.lengths[session]


def test_paths_survive_as_text_and_long_data_are_compared_in_part():
    path = np.random.default_rng(0).integers(9, size=1000)
    np.testing.assert_array_equal(unpack_path(pack_path(path)), path)
    lengths = [10, 10, 60_000, 60_000]  # long sessions do not crowd out the rest, nor short ones
    long = hiql.Trajectories.from_arrays([np.zeros(n, int) for n in lengths], [np.zeros(n, int) for n in lengths])
    steps = compared_steps(long)
    assert len(steps) == MOST_COMPARED
    assert (np.diff(steps) > 0).all()
    assert set(long.session_of_step[steps]) == {0, 1, 2, 3}
    np.testing.assert_array_equal(compared_steps(long.select([0, 1])), range(20))


@pytest.fixture(scope="module")
def cohort():
    return hiql.worlds.simulate_reversal(4, 12, 60, random_state=3)


@pytest.fixture(scope="module")
def source(cohort):
    return Source({history: cohort.trajectories(history) for history in (0, 1)})


PLAN = Plan(n_intentions=(1, 2), n_folds=3, n_restarts=2)


@pytest.fixture(scope="module")
def swept(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    return sweep(source, PLAN, folder), folder


def test_a_whole_sweep(source, swept, tmp_path):
    selection, folder = swept
    assert len(list(folder.iterdir())) == 2 * 2 * (3 + 1) * 2
    assert len(selection.table) == 4
    assert selection.unit["history"] == 1  # without a history there is nothing to go by in this task
    assert not selection.failures
    again = sweep(source, PLAN, tmp_path, n_jobs=2)
    pd.testing.assert_frame_equal(again.table, selection.table)
    assert again.explanation == selection.explanation


def test_the_chosen_fit_is_the_one_the_sweep_made(source, swept):
    selection, _ = swept
    model = fit_chosen(source, selection)
    row = selection.table.iloc[selection.chosen]
    assert model.n_intentions == row["n_intentions"]
    assert model.bic(source.data[selection.unit["history"]]) == pytest.approx(row["bic"], rel=1e-12)


def test_another_seed_world_or_trial_is_another_unit(source, cohort):
    keys = {unit["data"] for unit in PLAN.units(source)}
    changed = cohort.table.assign(
        choice=cohort.table["choice"].where(cohort.table.index != 7, 1 - cohort.table["choice"])
    )
    other = Source({history: hiql.bandit_trials(changed, history) for history in (0, 1)})
    slower = Source(source.data, discount=0.5)
    for different in (other, slower):
        assert keys.isdisjoint(unit["data"] for unit in PLAN.units(different))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"families": ("glm",)}, "hiavi, hiql, stochastic"),
        ({"hold_out": "mice"}, "sessions or subjects"),
        ({"n_intentions": ()}, "n_intentions"),
        ({"n_folds": 1}, "n_folds is 1"),
        ({"n_restarts": 0}, "n_restarts is 0"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(options, message):
    with pytest.raises(InvalidParameter, match=message):
        Plan(**options)


@pytest.mark.parametrize(("hold_out", "most"), [("sessions", 12), ("subjects", 4)])
def test_more_folds_than_there_are_sessions_are_refused_before_any_work(source, tmp_path, hold_out, most):
    plan = Plan(n_intentions=(1,), n_folds=100, n_restarts=1, hold_out=hold_out)
    with pytest.raises(InvalidParameter, match=f"n_folds is 100; every fold needs {hold_out} .* from 2 to {most}"):
        sweep(source, plan, tmp_path / "units")
    assert not (tmp_path / "units").exists()


def test_a_family_without_its_world_is_refused(source, tmp_path):
    with pytest.raises(InvalidParameter, match="give a world, or choose family hiql"):
        sweep(source, Plan(n_intentions=(1,), families=("hiavi",), n_folds=2, n_restarts=1), tmp_path)
