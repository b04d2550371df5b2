"""The command line: what it prints, what it writes, how it fails."""

from __future__ import annotations

import json
import re
from functools import partialmethod
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import hiql
from hiql.cli import app
from hiql.cli.numbers import whole_numbers
from hiql.cli.select import reasons_of
from hiql.cli.simulate import SIMULATORS
from hiql.errors import InvalidParameter

runner = CliRunner()
COMMANDS = [
    *(["demo"], ["fit"], ["select"], ["decode"], ["report"], ["info"], ["live"], ["app"]),
    *(["simulate", name] for name in SIMULATORS),
    *(["reproduce", name] for name in ("gridworld", "labyrinth", "reversal", "related")),
]


PLAIN = ("--dynamics", "markov", "--pool", "none")
"""Nothing to propose but memory and K."""


def run(*arguments, code=0):
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def run_json(*arguments, code=0):
    return json.loads(run(*arguments, "--json", code=code).stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A grid table and a model of it."""
    folder = tmp_path_factory.mktemp("cli")
    run("simulate", "gridworld", "--sessions", 60, "--out", folder / "grid.csv")
    run("fit", folder / "grid.csv", "-k", 2, "--world", "grid:5x5", "--out", folder / "model.hiql")
    return folder


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_shows_an_example(command):
    text = run(*command, "--help").output
    assert f"Example: hiql {' '.join(command)}" in " ".join(text.split())
    assert "--debug" in text


def test_demo_chooses_decodes_and_reports(tmp_path):
    output = run("demo", "--out", tmp_path, "--seed", 3).output
    assert "Chosen: K = 2" in output
    assert float(re.search(r"true ones in ([\d.]+)%", " ".join(output.split()))[1]) > 97
    written = {path.name for path in tmp_path.iterdir()}
    assert {"report.html", "model.hiql", "selection.csv", "selection.png", "intentions.png"} <= written
    assert hiql.load(tmp_path / "model.hiql").policy_.shape == (2, 25, 5)


def test_fit_tells_what_it_understood_before_it_works(folder, tmp_path):
    output = " ".join(run("fit", folder / "grid.csv", "-k", 1, "--out", tmp_path / "m.hiql").output.split())
    data = hiql.worlds.simulate_two_goals(60, random_state=0).data
    assert f"{data.n_steps} steps" in output or f"{data.n_steps:,}" in output
    for words in ("state: state", "action: action", "sessions 60", "with a missing state", "world unknown"):
        assert words in output, words


def test_fit_says_how_sure_it_is(folder, tmp_path, monkeypatch):
    quick = partialmethod(hiql.IntentionModel.sample_posterior, n_draws=40, n_chains=2, warm_up=5, thin=1)
    monkeypatch.setattr(hiql.IntentionModel, "sample_posterior", quick)
    fit = "fit", folder / "grid.csv", "-k", 2, "--world", "grid:5x5", "--out", tmp_path / "sure.hiql", "--intervals"
    intervals = run_json(*fit)["fit"]["intervals"]
    (low, _), (high, _) = intervals["share"]
    assert 0 < low < high < 1
    assert intervals["told"].startswith("40 draws of 2 chains")
    np.testing.assert_allclose(hiql.load(tmp_path / "sure.hiql").interval("share_"), intervals["share"])
    assert "intervals" not in run_json(*fit[:-1])["fit"]


def test_a_fit_on_the_command_line_is_the_fit_in_python(folder):
    expert = hiql.worlds.simulate_two_goals(60, random_state=0)
    python = hiql.HIAVI(2, mdp=hiql.worlds.gridworld(5)).fit(expert.data)
    saved = hiql.load(folder / "model.hiql")
    np.testing.assert_allclose(saved.policy_, python.policy_, rtol=1e-12)
    assert saved.about_["command"].startswith("hiql")
    assert saved.about_["layout"]["state"] == "state"


def test_json_is_one_document_and_nothing_else(folder, tmp_path):
    fit = run_json("fit", folder / "grid.csv", "-k", 1, "--out", tmp_path / "m.hiql")
    assert fit["understood"]["sessions"] == 60
    assert np.shape(fit["fit"]["transition"]) == (1, 1)
    assert run_json("info", folder / "model.hiql")["model"]["kind"] == "HIAVI"
    assert run_json("info", folder / "grid.csv")["actions"] == 4  # the greedy expert never stays
    assert run_json("info")["hiql"] == hiql.__version__
    assert run_json("report", folder / "model.hiql", folder / "grid.csv", "--out", tmp_path / "r.html")["written"]


def test_select_writes_its_answer_and_resumes(folder, tmp_path):
    arguments = [
        "select",
        folder / "grid.csv",
        *PLAIN,
        "-k",
        "1-2",
        "--world",
        "grid:5x5",
        "--restarts",
        1,
        "--folds",
        2,
    ]
    first = run_json(*arguments, "--out", tmp_path / "s", "--jobs", 1)
    assert first["chosen"]["n_intentions"] == 2
    assert "held-out log-likelihood" in first["explanation"]
    assert len(first["candidates"]) == 2
    units = {path: path.stat().st_mtime_ns for path in (tmp_path / "s" / "units").iterdir()}
    assert len(units) == 6
    again = run_json(*arguments, "--out", tmp_path / "s", "--jobs", 1)
    assert again == first
    assert units == {path: path.stat().st_mtime_ns for path in (tmp_path / "s" / "units").iterdir()}
    text = run(*arguments, "--out", tmp_path / "s").output
    assert "Chosen: K = 2" in text
    assert hiql.load(tmp_path / "s" / "model.hiql").n_intentions == 2


def test_a_bandit_with_histories(tmp_path):
    run("simulate", "reversal", "--mice", 2, "--sessions", 6, "--out", tmp_path / "r.csv")
    arguments = [*PLAIN, "-k", "1,2", "--history", "1-2", "--restarts", 1, "--folds", 2, "--jobs", 1]
    found = run_json("select", tmp_path / "r.csv", *arguments, "--out", tmp_path / "s")
    assert {candidate["history"] for candidate in found["candidates"]} == {1, 2}
    model = hiql.load(tmp_path / "s" / "model.hiql")
    assert model.about_["layout"]["history"] == found["chosen"]["history"]
    run("decode", tmp_path / "s" / "model.hiql", tmp_path / "r.csv", "--out", tmp_path / "d.parquet")
    assert len(pd.read_parquet(tmp_path / "d.parquet")) == len(pd.read_csv(tmp_path / "r.csv"))


@pytest.mark.parametrize(
    ("name", "sizes", "fit"),
    [
        ("psychophysics", ["--animals", 2, "--sessions", 2, "--trials", 40], []),
        ("learning", ["--animals", 1, "--days", 3, "--trials", 40], []),
        ("places", ["--sessions", 4, "--steps", 40], ["--world", "grid:5x5"]),
        ("one-intention", ["--sessions", 6, "--steps", 20], ["--world", "grid:5x5"]),
        ("animals", ["--animals", 3, "--sessions", 2, "--trials", 40], ["--history", 1]),
    ],
)
def test_what_is_simulated_can_be_fitted(name, sizes, fit, tmp_path):
    """Nothing is taken for missing, and the truth is a column of its own."""
    table = tmp_path / "t.csv"
    written = run_json("simulate", name, *sizes, "--out", table)
    assert "intention" in written["columns"]
    facts = run_json("info", table)
    assert (facts["steps"], facts["missing"]) == (written["rows"], 0)
    run("fit", table, "-k", 2, *fit, "--out", tmp_path / "m.hiql")


def test_subjects_can_be_held_out(tmp_path):
    run("simulate", "reversal", "--mice", 3, "--sessions", 6, "--out", tmp_path / "r.csv")
    options = [*PLAIN, "-k", "1", "--history", "1", "--hold-out", "subjects", "--restarts", 1, "--jobs", 1]
    run("select", tmp_path / "r.csv", *options, "--out", tmp_path / "s")
    assert len(list((tmp_path / "s" / "units").iterdir())) == 1 + 3


def test_decoded_rows_lie_beside_the_rows_of_the_table(folder, tmp_path):
    table = pd.read_csv(folder / "grid.csv")
    shuffled = table.sample(frac=1.0, random_state=0)
    shuffled.to_csv(tmp_path / "shuffled.csv", index=False)
    run("decode", folder / "model.hiql", tmp_path / "shuffled.csv", "--out", tmp_path / "out.csv")
    decoded = pd.read_csv(tmp_path / "out.csv")
    assert decoded["row"].tolist() == list(range(len(table)))
    for column in ("session", "step", "state", "action"):
        assert decoded[column].tolist() == shuffled[column].tolist()
    data = hiql.worlds.simulate_two_goals(60, random_state=0).data
    path = hiql.load(folder / "model.hiql").decode(data)
    back = decoded.sort_values(["session", "step"])
    assert pd.factorize(back["decoded"])[0].tolist() == pd.factorize(path)[0].tolist()


@pytest.mark.filterwarnings("default")
def test_decode_says_once_that_a_model_rules_out_what_was_done(tmp_path):
    table = pd.DataFrame({"session": np.repeat([0, 1], 20), "state": 0, "action": np.repeat([0, 1], 20)})
    model = hiql.HIQL(1, pseudo_count=0.0).fit(hiql.read_table(table[:20], n_actions=2))
    model.save(tmp_path / "m.hiql")
    table.to_csv(tmp_path / "t.csv", index=False)
    result = run("decode", tmp_path / "m.hiql", tmp_path / "t.csv", "--out", tmp_path / "d.csv")
    assert " ".join(result.output.split()).count("1 of 2 sessions are impossible under this model") == 1


def test_naming_one_column_keeps_what_the_model_remembers_of_the_others(folder, tmp_path):
    table = pd.read_csv(folder / "grid.csv").rename(columns={"state": "where", "action": "what"})
    table = table.assign(state=0, action="up")  # what would be guessed
    table.to_csv(tmp_path / "old.csv", index=False)
    columns = ["--state", "where", "--action", "what"]
    run("fit", tmp_path / "old.csv", *columns, "--world", "grid:5x5", "--out", tmp_path / "m.hiql")
    table.rename(columns={"session": "sess"}).to_csv(tmp_path / "new.csv", index=False)
    run("decode", tmp_path / "m.hiql", tmp_path / "new.csv", "--session", "sess", "--out", tmp_path / "d.csv")
    decoded = pd.read_csv(tmp_path / "d.csv")
    assert decoded["state"].tolist() == table["where"].tolist()
    assert decoded["action"].tolist() == table["what"].tolist()


def test_values_are_missing_by_role_or_column_and_what_is_unused_is_listed(folder, tmp_path):
    table = pd.read_csv(folder / "grid.csv").rename(columns={"action": "choice_1"}).assign(weight=21.5)
    table.to_csv(tmp_path / "t.csv", index=False)
    for key in ("action", "choice_1"):
        facts = run_json("info", tmp_path / "t.csv", "--action", "choice_1", "--missing", f"{key}=down")
        assert facts["missing"] == (table["choice_1"] == "down").sum() > 0
        assert facts["unused_columns"] == ["intention", "weight"]
    assert "not used intention, weight" in " ".join(
        run("info", tmp_path / "t.csv", "--action", "choice_1").output.split()
    )


def test_a_repeated_option_combines_columns_and_decode_remembers(tmp_path):
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(3, size=200) - 1 for name in ("x1", "x2", "x3")}
    table = pd.DataFrame({"session": np.repeat(range(4), 50), **columns, "action": rng.integers(2, size=200)})
    table.to_csv(tmp_path / "t.csv", index=False)
    states = ["--state", "x1", "--state", "x3"]
    facts = run_json("fit", tmp_path / "t.csv", *states, "--missing", "none", "--out", tmp_path / "m.hiql")
    assert facts["understood"]["columns"]["state"] == "x1 + x3"
    assert (facts["understood"]["states"], facts["understood"]["missing"]) == (9, 0)
    assert facts["understood"]["unused_columns"] == ["x2"]
    run("decode", tmp_path / "m.hiql", tmp_path / "t.csv", "--out", tmp_path / "d.csv")
    expected = [f"{a}, {b}" for a, b in zip(table["x1"], table["x3"], strict=True)]
    assert pd.read_csv(tmp_path / "d.csv")["state"].tolist() == expected


def test_minus_one_is_remarked_on_and_new_data_need_not_hold_what_was_missing(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"session": np.repeat(range(4), 50), "choice": rng.integers(-1, 2, size=200)})
    table = table.assign(reward=rng.integers(2, size=200))
    table.to_csv(tmp_path / "t.csv", index=False)
    output = " ".join(run("info", tmp_path / "t.csv").output.split())
    assert "-1 is taken as a choice like any other" in output
    assert "0 with a missing state or action" in output
    run("fit", tmp_path / "t.csv", "--missing", "choice=-1", "--out", tmp_path / "m.hiql")
    table[table["choice"] >= 0].to_csv(tmp_path / "whole.csv", index=False)
    run("decode", tmp_path / "m.hiql", tmp_path / "whole.csv", "--out", tmp_path / "d.csv")


def test_names_are_set_and_kept_in_the_model_file(folder, tmp_path):
    out = tmp_path / "m.hiql"
    fit = ["fit", folder / "grid.csv", "-k", 2, "--world", "grid:5x5", "--out", out]
    assert run_json(*fit, "--names", "go, return")["fit"]["names"] == ["go", "return"]
    report = ["report", out, folder / "grid.csv", "--out", tmp_path / "r.html"]
    run(*report)
    assert "“go”" in (tmp_path / "r.html").read_text()
    run(*report, "--names", "this,that")
    assert "“that”" in (tmp_path / "r.html").read_text()
    assert list(hiql.load(out).about_["names"]) == ["this", "that"]
    run("decode", out, folder / "grid.csv", "--out", tmp_path / "d.csv")
    assert {"p_this", "p_that"} <= set(pd.read_csv(tmp_path / "d.csv").columns)
    for names in ("one", "a,a", "a,", "a,b,c"):
        assert "give 2 different names" in " ".join(run(*report, "--names", names, code=2).output.split())


def test_select_takes_names_for_the_number_that_is_chosen(folder, tmp_path):
    options = [*PLAIN, "--world", "grid:5x5", "--restarts", 2, "--folds", 2, "--jobs", 1, "--out", tmp_path]
    found = run_json("select", folder / "grid.csv", "-k", "1-2", "--names", "go,return", *options)
    model = hiql.load(tmp_path / "model.hiql")
    assert list(model.about_["names"]) == ["go", "return"]
    assert found["verdict"]["grade"] == hiql.evaluate.judge(model).grade == "sound"
    again = run("select", folder / "grid.csv", "-k", "1-2", "--names", "all", *options)
    assert "K = 2 was chosen, so the names were not used" in " ".join(again.output.split())
    assert "Nothing speaks against this fit: it converged;" in " ".join(again.output.split())
    run("select", folder / "grid.csv", "-k", "1-2", "--names", "a,b,c", *options, code=2)


def test_brackets_in_names_are_printed_as_they_are(folder, tmp_path):
    table = pd.read_csv(folder / "grid.csv").rename(columns={"state": "where [s]"})
    table.to_csv(tmp_path / "[red]t.csv", index=False)
    out = tmp_path / "[bold]m.hiql"
    output = "".join(run("fit", tmp_path / "[red]t.csv", "--state", "where [s]", "--out", out).output.split())
    assert "where[s]" in output
    assert "[bold]m.hiql" in output


def test_a_single_candidate_is_shown_whole(folder, tmp_path):
    options = [*PLAIN, "-k", "1", "--world", "grid:5x5", "--restarts", 1, "--folds", 2, "--jobs", 1]
    assert "held out" in run("select", folder / "grid.csv", *options, "--out", tmp_path).output


def test_a_state_the_model_does_not_know(folder, tmp_path):
    table = pd.read_csv(folder / "grid.csv")
    table.loc[3, "action"] = "jump"
    table.to_csv(tmp_path / "odd.csv", index=False)
    arguments = ["decode", folder / "model.hiql", tmp_path / "odd.csv", "--out", tmp_path / "out.csv"]
    output = " ".join(run(*arguments, code=2).output.split())
    assert "action 'jump' at session '0', step 3" in output
    assert not (tmp_path / "out.csv").exists()
    run(*arguments, "--unknown-is-missing")
    assert pd.read_csv(tmp_path / "out.csv")["p_action"].isna().tolist()[2:5] == [False, True, False]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "absent.csv"], "there is no file absent.csv"),
        (["fit", "{grid}", "--state", "stat"], "did you mean 'state'"),
        (["fit", "{grid}", "-k", "0"], "n_intentions"),
        (["fit", "{grid}", "--world", "grid:2x2"], "is not among those of the world"),
        (["fit", "{grid}", "--world", "atlantis"], "labyrinth or grid:WIDTHxHEIGHT"),
        (["fit", "{grid}", "--world", "labyrinth", "--model-free"], "choose one of them"),
        (["fit", "{grid}", "--transitions", "absent.npz"], "no such file"),
        (["fit", "{grid}", "--discount", "1.5"], "discount"),
        (["fit", "{grid}", "--out", "{grid}/model.hiql"], "grid.csv"),
        (["select", "{grid}", "-k", "one"], "1-5 or 1,2,4"),
        (["select", "{grid}", "--by", "taste"], "held-out, bic"),
        (["select", "{grid}", "--family", "glm"], "hiavi, hiql, stochastic"),
        (["select", "{grid}", "--hold-out", "subjects"], "at least 2 subjects"),
        (["select", "{grid}", "--folds", "1"], "n_folds is 1"),
        (["select", "{grid}", "--out", "{grid}"], "grid.csv"),
        (["decode", "{grid}", "{grid}"], "model file"),
        (["decode", "{model}", "{grid}", "--out", "x.xlsx"], ".parquet"),
        (["decode", "{model}", "{grid}", "--method", "magic"], "smooth"),
        (["decode", "{model}", "{grid}", "--out", "x.nwb", "--time", "action"], "time of step"),
        (["simulate", "gridworld", "--sessions", "0"], "n_sessions"),
        (["simulate", "gridworld", "--out", "x.nwb"], ".parquet"),
        (["fit", "{grid}", "-k", "400"], "choose at most 100"),
        (["fit", "{grid}", "--missing", "stat=3"], "the column in missing is 'stat'; name a role or a column"),
        (["fit", "{grid}", "--missing", "state=99"], "'99' does not occur in 'state'"),
        (["fit", "{grid}", "--step", "step", "--step", "session"], "step is 'step + session'; name one column"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_get_one_sentence_and_exit_code_2(folder, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    places = {"grid": folder / "grid.csv", "model": folder / "model.hiql"}
    result = run(*(argument.format(**places) for argument in arguments), code=2)
    assert words in " ".join(result.output.split())
    assert "Traceback" not in result.output
    files = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert not files, "a refused command leaves nothing behind"


def test_debug_shows_the_traceback(tmp_path):
    result = runner.invoke(app, ["fit", str(tmp_path / "absent.csv"), "--debug"])
    assert isinstance(result.exception, ValueError)
    assert result.exc_info[2] is not None


def test_a_bug_is_told_as_such(folder, monkeypatch):
    monkeypatch.setattr(import_module("hiql.cli.info"), "load", lambda path: 1 / 0)
    result = run("info", folder / "model.hiql", code=70)
    assert "ZeroDivisionError" in result.output
    assert "--debug" in result.output


def test_a_fit_that_fails_is_reported_and_the_rest_is_kept(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("hiql.models.HIAVI._reward", refuse_three(hiql.HIAVI._reward))
    options = [*PLAIN, "-k", "2-3", "--world", "grid:5x5", "--restarts", 1, "--folds", 2, "--jobs", 1]
    result = run("select", folder / "grid.csv", *options, "--out", tmp_path, code=1)
    assert "three is too many" in result.output
    assert "Chosen: K = 2" in result.output


def refuse_three(make):
    def solver(self):
        if self.n_intentions == 3:
            raise RuntimeError("three is too many")
        return make(self)

    return solver


def test_lists_of_numbers():
    assert whole_numbers("1-3,5", "k") == (1, 2, 3, 5)
    assert whole_numbers("4, 2", "k") == (2, 4)
    for text in ("", "a", "3-1", "1-", "-2", "1.5", "1-99999"):
        with pytest.raises(InvalidParameter, match="1-5 or 1,2,4"):
            whole_numbers(text, "k")


def test_nothing_is_said_to_be_held_out_where_nothing_is():
    proposal = hiql.propose(hiql.worlds.simulate_two_goals(6, random_state=0).data)
    assert reasons_of(proposal, "held-out") == list(proposal.reasons)
    assert reasons_of(proposal, "evidence") == [*proposal.reasons[:-1], "Judged by: evidence, of all the data."]


def test_moves_that_the_world_rules_out_are_told_before_the_fit(folder, tmp_path):
    table = pd.read_csv(folder / "grid.csv")
    table["state"] = 24 - table["state"]
    table.to_csv(tmp_path / "mirrored.csv", index=False)
    said = run("fit", tmp_path / "mirrored.csv", "-k", 1, "--world", "grid:5x5", "--out", tmp_path / "m.hiql").output
    assert "moves are impossible in this world" in said.partition("log-likelihood")[0]


@pytest.fixture(scope="module")
def learner(tmp_path_factory):
    """Two animals that turn from one action to the other within six days, in one state."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("days") / "days.csv"
    rows = [
        (f"m{animal}", f"s{day}", day, trial, "here", "LR"[int(rng.random() < 0.1 + 0.16 * day)])
        for animal, day, trial in np.ndindex(2, 6, 40)
    ]
    columns = ["subject", "session", "day", "step", "state", "action"]
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    return path


def test_policies_that_change_from_day_to_day(learner, tmp_path):
    run("fit", learner, "-k", 1, "--pool", "days", "--day", "day", "--out", tmp_path / "model.hiql")
    drift = hiql.load(tmp_path / "model.hiql").drift_of("m1")
    assert drift.days.tolist() == [0, 1, 2, 3, 4, 5]
    assert drift.policy[0, 0, 0, 1] < 0.35 < 0.65 < drift.policy[-1, 0, 0, 1]
    run("report", tmp_path / "model.hiql", learner, "--out", tmp_path / "report.html")
    assert "--day" in run("fit", learner, "-k", 1, "--pool", "days", "--out", tmp_path / "x.hiql", code=2).output


def test_a_sweep_finds_that_days_differ(learner, tmp_path):
    asked = "-k", 1, "--pool", "none,subjects,days", "--day", "day", "--folds", 2, "--restarts", 1
    found = run_json("select", learner, *asked, "--dynamics", "markov", "--out", tmp_path / "sweep")
    assert found["chosen"]["pool"] == "days"
