"""The record of benchmark runs: what got slower, what is kept, what falls short."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.benchmarks.conftest import BENCHMARKS


def row(ratio, spread=0.0, goal=5.0, what="peer / ours"):
    return {"what": what, "ratio": ratio, "low": ratio - spread, "high": ratio + spread, "goal": goal, "detail": ""}


def compare(folder, old, new):
    for name, one in (("old", old), ("new", new)):
        (folder / f"{name}.json").write_text(json.dumps({"results": {"One E-step": [one]}, "origin": {}}))
    command = [sys.executable, BENCHMARKS / "compare.py", folder / "old.json", folder / "new.json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("new", "code"), [(10.0, 0), (9.2, 0), (8.9, 1), (20.0, 0)])
def test_what_got_slower_by_more_than_a_tenth_is_told(tmp_path, new, code):
    done = compare(tmp_path, row(10.0), row(new))
    assert done.returncode == code
    assert ("slower: One E-step: peer / ours: 10 → 8.9" in done.stdout) == bool(code)


def test_a_fall_within_the_spread_of_repeats_is_told_but_does_not_count(tmp_path):
    done = compare(tmp_path, row(10.0, spread=0.6), row(8.9, spread=0.6))
    assert done.returncode == 0
    assert "perhaps by chance: One E-step: peer / ours: 10 → 8.9" in done.stdout
    assert compare(tmp_path, row(10.0, spread=0.5), row(8.9, spread=0.5)).returncode == 1


def test_rows_that_are_gone_or_new_are_told(tmp_path):
    done = compare(tmp_path, row(10.0, what="old name"), row(10.0, what="new name"))
    assert done.returncode == 0
    assert "gone: One E-step: old name" in done.stdout
    assert "1 rows are new" in done.stdout


def test_a_scripts_tables_replace_its_old_ones_and_leave_the_others(module):
    record = module("record")
    both = record.Record({}, {}).updated({"Fits": [row(1.0)]}, record.origin_of("fits.py", 1.0))
    both = both.updated({"Speed": [row(2.0)], "More speed": [row(3.0)]}, record.origin_of("speed.py", 1.0))
    again = both.updated({"Speed": [row(4.0)]}, record.origin_of("speed.py", 2.0)).in_order(("speed.py", "fits.py"))
    assert again.results == {"Speed": [row(4.0)], "Fits": [row(1.0)]}
    assert list(again.results) == list(again.origin) == ["Speed", "Fits"]
    assert again.only(["fits.py"]).results == {"Fits": [row(1.0)]}
    assert again.falling_short() == ["Speed: peer / ours: 4, goal ≥ 5", "Fits: peer / ours: 1, goal ≥ 5"]


def test_the_record_is_read_as_written(module, tmp_path):
    record = module("record")
    one = record.Record({}, {}).updated({"Fits": [row(1.0)]}, record.origin_of("fits.py", 1.0))
    record.write_record(tmp_path / "latest.json", one)
    assert record.read_record(tmp_path / "latest.json") == one
    assert record.read_record(tmp_path / "absent.json") == record.Record({}, {})


SCRIPT = """
import json, sys
assert {ratio}, "no ratio"
row = {{"what": "a / b", "ratio": {ratio}, "low": {ratio}, "high": {ratio}, "goal": 2.0, "detail": ""}}
open(sys.argv[2], "w").write(json.dumps({{"{title}": [row]}}))
"""


def test_a_run_of_some_scripts_keeps_the_rows_of_others_and_of_those_that_fail(module, tmp_path, monkeypatch, capsys):
    run, record = module("run"), module("record")
    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(run, "RESULTS", tmp_path / "latest.json")
    monkeypatch.setattr(run, "SCRIPTS", ("good.py", "bad.py"))

    def ran(*scripts, good, bad):
        (tmp_path / "good.py").write_text(SCRIPT.format(title="Good", ratio=good))
        (tmp_path / "bad.py").write_text(SCRIPT.format(title="Bad", ratio=bad))
        monkeypatch.setattr(sys, "argv", ["run.py", *scripts])
        code = run.main()
        found = record.read_record(tmp_path / "latest.json").results
        return code, {title: rows[0]["ratio"] for title, rows in found.items()}, capsys.readouterr()

    assert ran(good=3.0, bad=1.0)[:2] == (0, {"Good": 3.0, "Bad": 1.0})
    code, kept, said = ran(good=2.5, bad=0)
    assert (code, kept) == (1, {"Good": 2.5, "Bad": 1.0})
    assert "falls short: Bad: a / b: 1, goal ≥ 2" in said.out
    assert "slower: Good: a / b: 3 → 2.5" in said.out
    assert "bad.py did not finish (Bad: rows of 2" in said.err
    code, kept, said = ran("good.py", good=4.0, bad=9.0)
    assert (code, kept) == (0, {"Good": 4.0, "Bad": 1.0})
    assert "nothing of 1 rows got slower" in said.out
