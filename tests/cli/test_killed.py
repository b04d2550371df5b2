"""``hiql select`` killed at random moments ends with the table of an undisturbed run, and repeats nothing."""

from __future__ import annotations

import random
import time

import pytest

import hiql
from hiql.cli import app
from tests.sweep.killing import Fork, kill_group

OPTIONS = ["--world", "grid:5x5", "--restarts", "2", "--jobs", "1"]
HELD_OUT = [*OPTIONS, "-k", "1-3", "--dynamics", "markov", "--folds", "3"]
BY_EVIDENCE = [*OPTIONS, "-k", "1-4", "--dynamics", "markov,by-state", "--by", "evidence"]

MOST_UNITS = 3 * (3 + 1) * 2
"""The stages of a proposal fit fewer: folds of all candidates, restarts of the chosen one."""


def run_select(table, out, options):
    app(["select", str(table), *options, "--out", str(out)], standalone_mode=False)


def finished_units(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("units/[!.]*.json")}


def kill_at_some_moment(life, folder, rng):
    """Wait for a unit more or none, then a moment, and kill: so kills fall everywhere. False if it had ended."""
    wanted = min(len(finished_units(folder)) + rng.randrange(2), MOST_UNITS)
    while life.exitcode is None and len(finished_units(folder)) < wanted:
        time.sleep(0.01)
    life.join(rng.uniform(0.0, 0.1 if wanted < MOST_UNITS else 2.0))
    was_running = life.exitcode is None
    kill_group(life.pid)
    life.join(60)
    return was_running


TWENTY = [pytest.param(20, options, marks=pytest.mark.slow) for options in (HELD_OUT, BY_EVIDENCE)]


@pytest.mark.parametrize(("n_kills", "options"), [(4, HELD_OUT), *TWENTY], ids=["held-out", "held-out", "by-evidence"])
def test_select_killed_again_and_again_ends_with_the_same_table(tmp_path, n_kills, options):
    table, folder = tmp_path / "grid.csv", tmp_path / "killed"
    hiql.worlds.simulate_two_goals(60, random_state=0).data.to_dataframe().to_csv(table, index=False)
    rng, seen, progress, killed = random.Random(2), {}, [], 0
    while killed < n_kills:
        killed += kill_at_some_moment(Fork(run_select, table, folder, options), folder, rng)
        now = finished_units(folder)
        assert now.items() >= seen.items(), "a finished unit was computed again"
        seen.update(now)
        progress.append(len(now))
    assert len(set(progress)) > min(n_kills // 3, 3), "kills fell between the units"
    run_select(table, folder, options)
    run_select(table, tmp_path / "whole", options)
    for name in ("selection.csv", "selection.svg"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    ours, theirs = (hiql.load(tmp_path / run / "model.hiql") for run in ("killed", "whole"))
    assert (ours.policy_ == theirs.policy_).all()
    assert finished_units(tmp_path / "killed").items() >= seen.items()
    assert finished_units(tmp_path / "killed").keys() == finished_units(tmp_path / "whole").keys()
    visible = {path.name for path in (tmp_path / "killed").iterdir() if not path.name.startswith(".")}
    assert visible == {path.name for path in (tmp_path / "whole").iterdir()}
