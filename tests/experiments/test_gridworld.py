"""The gridworld experiment: end to end in small, resumed after a kill, and its scientific goals in full (slow)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from hiql.cli import app
from hiql.experiments.gridworld import GridworldConfig, compute, write
from hiql.experiments.gridworld.compute import course_error
from hiql.experiments.gridworld.config import MODELS
from hiql.experiments.gridworld.fitting import contestant
from hiql.worlds import gridworld

SMALL = replace(GridworldConfig.quick(), sizes=(16, 64), n_restarts=2)
FILES = {"results.json", "summary.md", "units"} | {
    f"figure_{name}.{suffix}" for name in ("3a_likelihood", "3b_abandon", "3c_values") for suffix in ("png", "svg")
}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gridworld")
    result = compute(SMALL, folder, n_jobs=1)
    write(result, folder)
    return folder, result


def test_maps_of_dirl_start_at_random_as_in_its_own_code():
    """Not at the true goals: nobody who fits knows them."""
    expert = SimpleNamespace(world=gridworld(5))
    model = contestant({"spec": MODELS["DIRL, 2 maps, σ = 1"], "seed": 0}, expert)
    assert not np.size(model.init_states)


def test_everything_is_written_and_agrees(small):
    folder, _ = small
    assert {path.name for path in folder.iterdir()} == FILES
    document = json.loads((folder / "results.json").read_text())
    assert document["config"]["sizes"] == [16, 64]
    assert document["failures"] == []
    assert set(document["versions"]) >= {"hiql", "numpy", "python"}
    for name in MODELS:
        for size in ("16", "64"):
            entry = document["likelihood"][name][size]
            assert entry["per_step"]["mean"] < 0
            assert entry["fit_seconds"]["mean"] >= 0
            assert ("restart_by_test" in entry) == name.startswith("HIAVI")
    random = document["likelihood"]["random"]["64"]["per_step"]["mean"]
    assert random == pytest.approx(-np.log(5))
    best = document["likelihood"]["expert"]["64"]["per_step"]["mean"]
    others = [document["likelihood"][name]["64"]["per_step"]["mean"] for name in MODELS if name != "expert"]
    assert best > max(others)
    assert document["evd"]["HIAVI, 2 intentions"]["goal"]["mean"] >= 0
    assert "HIAVI, 2 intentions, by test" in (folder / "summary.md").read_text()


def test_with_one_intention_both_ways_of_choosing_a_restart_agree(small):
    _, result = small
    for entry in result.likelihood["HIAVI, 1 intention"].values():  # one intention has one optimum
        ours, theirs = (e["per_step"]["mean"] for e in (entry, entry["restart_by_test"]))
        assert ours == pytest.approx(theirs, rel=1e-5)


def test_a_second_run_computes_nothing_and_gives_the_same(small):
    folder, result = small
    before = {path: path.stat().st_mtime_ns for path in (folder / "units").iterdir()}
    again = compute(SMALL, folder, n_jobs=1)
    assert {path: path.stat().st_mtime_ns for path in (folder / "units").iterdir()} == before
    assert again.likelihood == result.likelihood
    assert again.evd == result.evd


@pytest.mark.slow
def test_a_killed_command_resumes(tmp_path):
    command = [
        sys.executable,
        "-m",
        "hiql.cli",
        "reproduce",
        "gridworld",
        "--quick",
        "--out",
        str(tmp_path),
        "--jobs",
        "1",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    units = tmp_path / "units"
    while len(list(units.glob("[!.]*.json"))) < 5:
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = {path: path.stat().st_mtime_ns for path in units.glob("[!.]*.json")}
    assert not (tmp_path / "results.json").exists()
    result = compute(GridworldConfig.quick(), tmp_path, n_jobs=2)
    assert not result.failures
    assert all(path.stat().st_mtime_ns == before for path, before in finished.items())


@pytest.mark.slow
def test_the_command_prints_its_summary(small):
    folder, _ = small
    # Every unit of the quick run that the small one has not computed is computed here.
    outcome = CliRunner().invoke(
        app, ["reproduce", "gridworld", "--quick", "--out", str(folder)], catch_exceptions=False
    )
    assert outcome.exit_code == 0
    assert "Gridworld benchmark" in outcome.output
    assert os.path.exists(folder / "figure_3a_likelihood.svg")


@pytest.mark.slow
def test_the_papers_comparison_in_full(tmp_path):
    """Held-out likelihood above every DIRL from 64 trajectories on; EVD and the course of "abandon" at 1024."""
    result = compute(GridworldConfig(), tmp_path)
    write(result, tmp_path)
    for size in (64, 128, 256, 512, 1024):
        means = {name: result.likelihood[name][size]["per_trajectory"]["mean"] for name in MODELS}
        rivals = [mean for name, mean in means.items() if name.startswith("DIRL")]
        assert means["HIAVI, 2 intentions"] > max(rivals)
    evd = result.evd["HIAVI, 2 intentions"]
    assert evd["goal"]["mean"] <= 3.5
    assert evd["abandon"]["mean"] <= 1.0
    assert course_error(result, "HIAVI, 2 intentions") <= 0.05


@pytest.mark.slow
def test_policies_are_recovered_better_than_in_the_paper_for_almost_all_seeds(tmp_path):
    below = []
    for seed in range(100, 110):  # not those on which the pseudo-count was chosen
        config = GridworldConfig(seed=seed, sizes=(1024,), n_restarts=1)
        from hiql.experiments.gridworld.fitting import fit_unit

        for fold in range(5):
            unit = {
                "seed": seed, "n_total": 1024, "inverse_temperature": 10.0, "size": 1024, "n_folds": 5, "fold": fold,
                "spec": MODELS["HIAVI, 2 intentions"], "pseudo_count": config.pseudo_count, "n_restarts": 1,
            }  # fmt: skip
            goal, abandon = fit_unit(unit)["evd"]
            below.append(goal < 5.58 and abandon < 6.39)
    assert np.mean(below) >= 0.95
