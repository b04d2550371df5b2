"""``hiql select`` into folders that hold something already, and onto clusters that do not answer."""

from __future__ import annotations

import json
import signal
from functools import partial

import pytest
from typer.testing import CliRunner

import hiql
from hiql.cli import app
from tests.clusters import OtherProcess, cluster, once, silent_peer

pytestmark = pytest.mark.usefixtures("nothing_left")

OPTIONS = ["-k", "1-2", "--dynamics", "markov", "--world", "grid:5x5", "--restarts", "1", "--folds", "2", "--jobs", "1"]


def select(table, out, *more, code=0):
    result = CliRunner().invoke(app, ["select", str(table), *OPTIONS, "--out", str(out), *map(str, more)])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def units(folder):
    return {path: path.stat().st_mtime_ns for path in folder.glob("units/[!.]*.json")}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for seed, name in enumerate(("one.csv", "two.csv")):
        simulation = hiql.worlds.simulate_two_goals(30, random_state=seed)
        simulation.data.to_dataframe().to_csv(folder / name, index=False)
    return folder


@pytest.fixture
def done(tables, tmp_path):
    """A folder with the results of one.csv."""
    select(tables / "one.csv", tmp_path / "out")
    return tmp_path / "out"


def test_the_results_of_another_table_are_not_written_over(tables, done):
    before = {path: path.read_bytes() for path in done.rglob("*") if path.is_file()}
    said = select(tables / "two.csv", done, code=2)
    assert "it holds the results of one.csv; choose another folder (--out FOLDER)" in said
    other = done.parent / "elsewhere"
    other.mkdir()
    (other / "one.csv").write_bytes((tables / "two.csv").read_bytes())
    assert "another table of this name" in select(other / "one.csv", done, code=2)
    assert {path: path.read_bytes() for path in done.rglob("*") if path.is_file()} == before


def test_results_that_do_not_say_whose_they_are_are_not_written_over(tables, done):
    for mark in ("[]", "{}", "{", None):
        if mark is None:
            (done / "table.json").unlink()
        else:
            (done / "table.json").write_text(mark)
        assert "no sound table.json" in select(tables / "one.csv", done, code=2)


def test_the_same_table_resumes_from_anywhere_with_other_options(tables, done):
    before = units(done)
    copy = done.parent / "moved.csv"
    copy.write_bytes((tables / "one.csv").read_bytes())
    select(copy, done, "-k", "1-3")
    assert units(done).items() >= before.items()
    assert len(units(done)) == 9


@pytest.mark.filterwarnings("default")
def test_a_unit_with_wrong_content_is_told_in_one_line_and_computed_again(tables, done):
    table = (done / "selection.csv").read_bytes()
    path = min(units(done))
    document = json.loads(path.read_text())
    document["result"]["bic"] = float("nan")
    path.write_text(json.dumps(document))
    said = select(tables / "one.csv", done)
    assert said.count("computed again") == 1
    assert "Note:" in said
    assert "units.py" not in said
    assert (done / "selection.csv").read_bytes() == table
    assert "computed again" not in select(tables / "one.csv", done)


def test_too_many_folds_are_refused_with_the_numbers_to_choose_from(tables, tmp_path):
    said = select(tables / "one.csv", tmp_path / "out", "--folds", 100, code=2)
    assert "n_folds is 100" in said
    assert "from 2 to 30 (--folds on the command line)" in said
    assert not (tmp_path / "out").exists()


# --- clusters -------------------------------------------------------------------------------------------------


def test_clusters_that_do_not_answer_or_have_no_workers_are_told(tables, tmp_path):
    pytest.importorskip("distributed")
    with silent_peer() as silent, cluster(0, processes=False) as client:
        for address, problem in ((silent, "nothing that answers"), (client.scheduler.address, "no workers")):
            said = select(tables / "one.csv", tmp_path, "--cluster", address, "--cluster-timeout", 0.5, code=2)
            assert problem in said
            assert "--cluster-timeout" in said


def test_a_scheduler_killed_in_the_middle_costs_no_finished_unit(tables, tmp_path):
    pytest.importorskip("distributed")
    out, plain = tmp_path / "out", tmp_path / "plain"
    many = ["-k", "1-9", "--restarts", 20]  # more than are done before the kill
    with OtherProcess() as other, once(lambda: len(units(out)) >= 3, partial(other.send, signal.SIGKILL)):
        said = select(tables / "one.csv", out, *many, "--cluster", other.address, "--cluster-timeout", 8, code=2)
    assert "its scheduler went away" in said or "tcp://host:8786" in said  # in a stage, or between two of them
    assert "the same command resumes" in said
    kept = units(out)
    assert len(kept) >= 3
    select(tables / "one.csv", out)
    select(tables / "one.csv", plain)
    assert units(out).items() >= kept.items()
    assert (out / "selection.csv").read_bytes() == (plain / "selection.csv").read_bytes()
