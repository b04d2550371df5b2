"""``hiql select`` killed at twenty random moments ends with the table of an undisturbed run, and repeats nothing."""

from __future__ import annotations

import hiql
from hiql.cli import app
from tests.sweep.killing import Fork, run_with_kills

OPTIONS = ["-k", "1-3", "--world", "grid:5x5", "--restarts", "2", "--folds", "3", "--jobs", "1"]


def run_select(table, out):
    app(["select", str(table), *OPTIONS, "--out", str(out)], standalone_mode=False)


def finished_units(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("units/[!.]*.json")}


def test_select_killed_twenty_times_ends_with_the_same_table(tmp_path):
    table = tmp_path / "grid.csv"
    hiql.worlds.simulate_two_goals(60, random_state=0).data.to_dataframe().to_csv(table, index=False)
    seen = {}
    progress = []

    def start():
        now = finished_units(tmp_path / "killed")
        assert now.items() >= seen.items(), "a finished unit was computed again"
        seen.update(now)
        progress.append(len(now))
        return Fork(run_select, table, tmp_path / "killed")

    killed, code = run_with_kills(start, n_kills=20, longest=4.0, seed=2)
    assert code == 0
    assert killed >= 10
    assert len(set(progress) - {0, 24}) > 0, "kills fell between the units, too"
    run_select(table, tmp_path / "whole")
    for name in ("selection.csv", "selection.svg"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    ours, theirs = (hiql.load(tmp_path / run / "model.hiql") for run in ("killed", "whole"))
    assert (ours.policy_ == theirs.policy_).all()
    assert finished_units(tmp_path / "killed").items() >= seen.items()
    assert len(finished_units(tmp_path / "killed")) == 24
    visible = {path.name for path in (tmp_path / "killed").iterdir() if not path.name.startswith(".")}
    assert visible == {path.name for path in (tmp_path / "whole").iterdir()}
