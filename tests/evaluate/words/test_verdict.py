"""One verdict: what it rests on, and that it is the same wherever it stands."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.evaluate import judge
from hiql.evaluate.words.dwell import tell_sessions_apart
from hiql.evaluate.words.verdict import OPENINGS, UNSTABLE
from hiql.report import write_report
from tests.report.problems import selection, visible

SHARES = ("restart_agreement", "fold_agreement")


@pytest.fixture(scope="module")
def expert():
    return hiql.worlds.simulate_two_goals(60, random_state=0)


@pytest.fixture(scope="module")
def fitted(expert):
    return hiql.HIAVI(2, mdp=expert.world).fit(expert.data)


@pytest.mark.parametrize(
    ("restarts", "folds", "grade"),
    [(0.95, 0.9, "sound"), (0.79, 0.95, "unstable"), (0.95, 0.5, "unstable"), (UNSTABLE, np.nan, "sound")],
)
def test_the_verdict_follows_from_what_other_fits_find(fitted, restarts, folds, grade):
    shares = {"restart_agreement": restarts, "fold_agreement": folds}
    verdict = judge(fitted, {name: share for name, share in shares.items() if not np.isnan(share)})
    assert verdict.grade == grade
    assert verdict.sentence.startswith(OPENINGS[grade])
    assert ("only" in verdict.sentence) == (grade == "unstable")
    assert f"{restarts:.0%} of the steps" in verdict.sentence or restarts > UNSTABLE


def test_a_fit_alone_is_untested_and_one_intention_has_nothing_to_be_found_again(expert, fitted):
    assert judge(fitted).grade == "untested"
    assert judge(hiql.HIAVI(1, mdp=expert.world).fit(expert.data), dict.fromkeys(SHARES, 0.1)).grade == "sound"


def test_notes_and_failures_call_for_care_and_an_unused_client_does_not(expert):
    stopped = hiql.HIAVI(2, mdp=expert.world, max_iter=1, n_init=1, patience=0).fit(expert.data)
    assert judge(stopped).grade == "care"
    assert "before it converged" in judge(stopped).sentence
    assert judge(stopped, dict.fromkeys(SHARES, 0.1)).grade == "unstable"
    whole = hiql.HIAVI(2, mdp=expert.world).fit(expert.data)
    assert judge(whole, dict.fromkeys(SHARES, 0.9), n_failed=2).reasons == ("2 fits beside it failed",)
    whole.notes_ += ("the data are too few to share out, so the client was not used",)
    assert judge(whole).grade == "untested"


def test_a_model_remembers_what_was_found_of_it_and_nonsense_is_not_believed(fitted, tmp_path):
    fitted.about_ = {"agreement": {"restart_agreement": 0.5}, "n_failed": 1}
    fitted.save(tmp_path / "m.hiql")
    assert judge(hiql.load(tmp_path / "m.hiql")) == judge(fitted)
    assert judge(fitted).grade == "unstable"
    for nonsense in ("0.5", [0.5], {"restart_agreement": "low"}, {"restart_agreement": float("nan")}, {"other": 0.1}):
        fitted.about_ = {"agreement": nonsense}
        assert judge(fitted).grade == "untested"
    fitted.about_ = {}


@pytest.mark.parametrize("share", [0.79, 0.95])
def test_a_report_holds_one_verdict(expert, fitted, tmp_path, share):
    found = selection()
    found.table[list(SHARES)] = share
    page = write_report(tmp_path / "r.html", fitted, expert.data, selection=found).read_text(encoding="utf-8")
    text = " ".join(visible(page).split())
    assert text.count(OPENINGS["unstable"]) == (2 if share < UNSTABLE else 0)
    assert text.count(OPENINGS["sound"]) == (0 if share < UNSTABLE else 2)
    assert ("not to be relied on</h1>" in text) == (share < UNSTABLE)
    assert "found again" not in text
    assert "nothing unusual" not in text


def test_what_outlasts_sessions_is_not_said_to_take_turns(tmp_path):
    """Two kinds of sessions of 50 steps: one prefers 0, the other 1; they never change."""
    rng = np.random.default_rng(0)
    chance = np.repeat([0.05, 0.95], 20)[:, None]
    table = pd.DataFrame(
        {
            "session": np.repeat(range(40), 50),
            "state": rng.integers(2, size=2000),
            "action": (rng.random((40, 50)) < chance).astype(int).ravel(),
        }
    )
    data = hiql.read_table(table)
    model = hiql.HIQL(2).fit(data)
    page = write_report(tmp_path / "r.html", model, data).read_text(encoding="utf-8")
    text = " ".join(visible(page).split())
    assert "they tell sessions (or subjects) apart rather than change within them" in text
    assert text.count("lasting longer than a session") == 4  # the summary and the cards
    assert "take turns" not in text


def test_what_is_left_in_most_sessions_is_not_said_to_tell_sessions_apart():
    """Both last 40 steps on average; one path changes in every session of 20, the other in one of 30."""
    data = hiql.Trajectories.from_arrays(None, [np.zeros(20, dtype=int)] * 30)
    often, seldom = np.tile(np.arange(20) >= 10, 30).astype(int), np.repeat(np.arange(30) % 2, 20)
    seldom[5:20] = 1
    assert not tell_sessions_apart([40.0, 40.0], data, often)
    assert tell_sessions_apart([40.0, 40.0], data, seldom)
    assert not tell_sessions_apart([40.0, 10.0], data, seldom)
