"""The labyrinth experiment on the real mice: totals, BIC, the paper's claims, and resuming."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from hiql.cli import app
from hiql.experiments.labyrinth import LabyrinthConfig, compute
from hiql.experiments.labyrinth.compute import fit_units
from hiql.experiments.labyrinth.config import COHORTS, dirl_settings
from hiql.experiments.labyrinth.score_verdicts import score_verdicts
from hiql.experiments.labyrinth.verdicts import verdicts
from hiql.experiments.labyrinth.walks import shortest_path

GOALS = {
    "restricted": {"HIAVI, K = 1": -554, "HIAVI, K = 2": -216, "HIAVI, K = 3": -201},
    "unrestricted": {"HIAVI, K = 1": -348, "HIAVI, K = 2": -200},
}


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The folder and output of the quick command."""
    if not os.environ.get("HIQL_DATA_DIR"):
        pytest.skip("needs the labyrinth data: set HIQL_DATA_DIR")
    folder = tmp_path_factory.mktemp("labyrinth")
    outcome = CliRunner().invoke(
        app, ["reproduce", "labyrinth", "--quick", "--out", str(folder)], catch_exceptions=False
    )
    assert outcome.exit_code == 0
    return folder, outcome.output


@pytest.fixture(scope="module")
def document(quick):
    return json.loads((quick[0] / "results.json").read_text())


def test_all_files_are_written(quick):
    names = {path.name for path in quick[0].iterdir()}
    assert {"results.json", "summary.md", "restricted.hiql", "unrestricted.hiql"} <= names
    assert sum(name.endswith(".png") for name in names) == 6
    assert sum(name.endswith(".svg") for name in names) == 6
    assert "Labyrinth benchmark" in quick[1]


@pytest.mark.parametrize("cohort", COHORTS)
def test_the_command_itself_reaches_the_held_out_totals(document, cohort):
    scores = document["cohorts"][cohort]["scores"]
    for name, goal in GOALS[cohort].items():
        assert scores[name]["test"] >= goal
    assert scores["random"]["test"] == pytest.approx({"restricted": -1219.9, "unrestricted": -795.7}[cohort], abs=0.1)
    assert scores["DIRL, 1 map"]["test"] < scores["HIAVI, K = 2"]["test"]


@pytest.mark.parametrize("cohort", COHORTS)
def test_bic_chooses_two_intentions_and_other_countings_are_shown(document, cohort):
    part = document["cohorts"][cohort]
    assert part["bic_chooses"] == 2
    assert set(part["scores"]["HIAVI, K = 2"]["other_bic"]) == {"all policy entries", "all rewards"}


@pytest.mark.parametrize("cohort", COHORTS)
def test_intentions_are_named_by_where_they_lead(document, cohort):
    names = document["cohorts"][cohort]["names"]
    assert set(names) == {"to home", {"restricted": "to water", "unrestricted": "elsewhere"}[cohort]}


def test_the_claims_of_the_paper_are_judged_last(quick, document):
    marks = {v["claim"]: v["holds"] for v in document["verdicts"]}
    not_reproduced = '"exploring" has a larger probability of switching to "tired" than of staying'
    assert [claim for claim, holds in marks.items() if holds is False] == [not_reproduced]
    assert sum(v["holds"] is True for v in document["verdicts"]) >= 20
    assert "Failed units" not in quick[1]
    assert quick[1].rindex("Verdicts") > quick[1].rindex("What a win over DIRL shows")


def test_claims_about_models_that_were_left_out_are_not_judged(document):
    unjudged = {v["claim"]: v["because"] for v in document["verdicts"] if v["holds"] is None}
    assert unjudged["More maps do not improve DIRL at all"] == "not run"
    assert "DIRL only the time" in unjudged["The win over DIRL shows that intentions change in steps, not smoothly"]


def test_verdicts_can_fail(quick):
    """Each claim turns to ✗ when the numbers behind it say so."""
    part = compute(LabyrinthConfig.quick(), quick[0], n_jobs=1).cohorts["restricted"]
    better = {name: s | {"test": -9999.0, "bic": 9e9, "grouped": {"mean": -9.0, "error": 0.0}}
              for name, s in part.scores.items() if name.startswith("HIAVI")}  # fmt: skip
    worse = part._replace(scores=part.scores | better, best=3)
    marks = [v.holds for v in score_verdicts("restricted", worse, "here")]
    assert marks.count(False) == 3
    reversed_names = part._replace(names=part.names[::-1])
    judged = verdicts(SimpleNamespace(cohorts={"restricted": reversed_names}))
    assert sum(v.holds is False for v in judged) >= 5


def test_dirl_has_its_published_settings_for_each_number_of_maps():
    found = [dirl_settings("unrestricted", m) for m in (1, 2, 3, 4)]
    assert [(s["sigma"], s["discount"]) for s in found] == [(0.15, 0.99), (0.08, 0.99), (0.125, 0.9), (0.25, 0.7)]
    units = fit_units(LabyrinthConfig())
    assert all((unit["spec"]["kind"] == "dirl") == ("dirl" in unit) for unit in units)


def test_the_leak_of_the_published_split_is_counted(document):
    leaks = [document["cohorts"][cohort]["leaks"] for cohort in COHORTS]
    assert [(leak["copies"], leak["held_out"], leak["distinct"]) for leak in leaks] == [(31, 40, 64), (29, 41, 87)]


@pytest.mark.parametrize("cohort", COHORTS)
def test_uncertainty_surrounds_the_estimates(document, cohort):
    part = document["cohorts"][cohort]
    interval = part["analysis"]["bootstrap"]["transition"]
    for i in range(2):
        for j in range(2):
            low, high = interval["low"][i][j], interval["high"][i][j]
            assert low - 1e-6 <= part["transition"][i][j] <= high + 1e-6
    assert part["analysis"]["recovery"]["agreement"]["mean"] > 0.95
    assert "inside" in part["analysis"]["predictive"]["switch rate"]


def test_a_second_run_repeats_nothing(quick):
    folder, _ = quick
    before = {path: path.stat().st_mtime_ns for path in (folder / "units").iterdir()}
    result = compute(LabyrinthConfig.quick(), folder, n_jobs=1)
    assert {path: path.stat().st_mtime_ns for path in (folder / "units").iterdir()} == before
    assert not result.failures


def test_a_lost_unit_is_computed_again(quick):
    folder, _ = quick
    lost = min((folder / "units").iterdir(), key=lambda path: json.loads(path.read_text())["seconds"])
    before = json.loads(lost.read_text())["result"]
    lost.unlink()
    compute(LabyrinthConfig.quick(), folder, n_jobs=1)
    after = json.loads(lost.read_text())["result"]
    before.pop("fit_seconds"), after.pop("fit_seconds")
    assert after == before


def test_the_shortest_path_to_the_water_port():
    assert shortest_path(0, 100) == [0, 2, 5, 11, 24, 49, 100]
    assert shortest_path(100, 0) == [100, 49, 24, 11, 5, 2, 0]
    assert shortest_path(3, 4) == [3, 1, 4]
