"""Inputs, contexts, days and memory on the command line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from tests.cli.test_commands import run, run_json


@pytest.fixture
def trials(tmp_path):
    rng = np.random.default_rng(0)
    n = 400
    table = pd.DataFrame(
        {
            "mouse": np.repeat(["a", "b"], n // 2),
            "session": np.repeat(range(8), n // 8),
            "date": np.repeat([f"2026-11-0{i + 1}" for i in range(8)], n // 8),
            "choice": rng.choice(["left", "right"], n),
            "reward": rng.integers(0, 2, n),
            "light": rng.normal(10, 2, n),
            "dopamine": rng.integers(-1, 2, n),
            "odd, name": rng.random(n),
            "block": rng.choice(["A", "B"], n),
        }
    )
    table.to_csv(tmp_path / "trials.csv", index=False)
    return tmp_path / "trials.csv"


def test_info_tells_the_columns(trials):
    options = ["--inputs", "light,dopamine", "--context", "block", "--day", "date", "--memory", "1,4"]
    facts = run_json("info", trials, "--state", "none", "--outcome", "reward", *options)
    assert list(facts["inputs"]) == [
        "light", "dopamine", "choice_tau1", "choice_reward_tau1", "choice_tau4", "choice_reward_tau4",
    ]  # fmt: skip
    assert abs(facts["inputs"]["light"]["mean"] - 10) < 0.5
    assert facts["contexts"] == {"block": ["A", "B"]}
    assert facts["columns"]["inputs"] == "light, dopamine"
    assert facts["columns"]["day"] == "date"
    assert facts["states"] == 1
    assert "odd, name" in facts["unused_columns"]
    text = " ".join(run("info", trials, "--inputs", "light", "--context", "block").output.split())
    assert "light (9.99 ± 2.01)" in text
    assert "block (A, B)" in text


def test_options_may_be_repeated_and_names_may_have_commas(trials):
    options = ["--inputs", "light", "--inputs", "odd, name", "--context", "block", "--context", "date"]
    facts = run_json("info", trials, *options)
    assert list(facts["inputs"]) == ["light", "odd, name"]
    assert list(facts["contexts"]) == ["block", "date"]


def test_the_number_of_intentions_is_found(trials, tmp_path):
    options = ["--history", 0, "--outcome", "reward", "--out", tmp_path / "model.hiql"]
    facts = run_json("fit", trials, "-k", "auto", *options)["fit"]
    assert facts["n_intentions"] == 1  # choices of chance
    assert "tried 1 to 3 and took 1" in facts["notes"][-1]
    told = " ".join(run("fit", trials, "-k", "auto", "--names", "one,two", *options).output.split())
    assert "1 intentions were found, so the names were not used" in told
    assert 'or "auto"' in " ".join(run("fit", trials, "-k", "some", *options, code=2).output.split())


def test_a_model_reads_new_tables_with_the_columns_of_its_own(trials, tmp_path):
    model, out = tmp_path / "model.hiql", tmp_path / "decoded.csv"
    options = ["--inputs", "light,dopamine", "--context", "block", "--memory", "4", "--history", "0"]
    text = run("fit", trials, "-k", 1, "--out", model, *options).output
    assert "block: kept with the data and the model, but the intentions of this model see inputs only" in " ".join(
        text.split()
    )
    coding = hiql.load(model).coding_
    assert coding.input_names == ("light", "dopamine", "choice_tau4", "choice_reward_tau4")
    assert coding.subjects == ("a", "b")
    assert "light" in run("info", model).output

    turned = pd.read_csv(trials)[::-1].iloc[:, ::-1].assign(mouse="new", block="C")
    turned.to_csv(tmp_path / "turned.csv", index=False)
    run("decode", model, tmp_path / "turned.csv", "--out", out)
    decoded = pd.read_csv(out)
    np.testing.assert_allclose(decoded["light"], turned["light"])
    assert "choice_reward_tau4" in decoded

    turned.drop(columns="dopamine").to_csv(tmp_path / "less.csv", index=False)
    assert "dopamine" in run("decode", model, tmp_path / "less.csv", "--out", out, code=2).output


def test_missing_inputs(trials, tmp_path):
    table = pd.read_csv(trials)
    table.loc[[5, 7], "light"] = np.nan
    table.to_csv(tmp_path / "holes.csv", index=False)
    text = " ".join(run("info", tmp_path / "holes.csv", "--inputs", "light", code=2).output.split())
    assert "input 'light' is nan at session '0', step 5" in text
    assert "--missing-inputs skip" in text
    facts = run_json("info", tmp_path / "holes.csv", "--inputs", "light", "--missing-inputs", "skip")
    assert facts["missing"] == 2


def test_a_pseudo_count_that_a_regression_has_no_use_for_is_refused(trials, tmp_path):
    options = ["--state", "none", "--inputs", "light", "--pseudo-count", 0.5, "--out", tmp_path / "model.hiql"]
    result = run("fit", trials, "-k", 1, *options, code=2)
    assert "pseudo_count is 0.5" in " ".join(result.output.split())
    assert "leave it out" in " ".join(result.output.split())
    assert not (tmp_path / "model.hiql").exists()


@pytest.mark.parametrize("wrong", ["0", "1,x", "", "4,4"])
def test_time_constants_that_make_no_sense(trials, wrong):
    assert "time constants" in " ".join(run("info", trials, "--memory", wrong, code=2).output.split())


FOR_SWITCHING = ["--inputs", "light", "--switch-inputs", "dopamine"]


def test_inputs_make_a_regression_and_others_drive_switching(trials, tmp_path):
    out, model = tmp_path / "decoded.csv", tmp_path / "model.hiql"
    options = [*FOR_SWITCHING, "--restarts", 1, "-k", 2, "--out", model]
    text = " ".join(run("fit", trials, *options).output.split())
    assert "Choices are linear in light (states are not used" in text
    assert "Switching is driven by dopamine." in text
    assert "log-odds for one standard deviation" in text
    fitted = hiql.load(model)
    assert type(fitted) is hiql.GLMHMM
    assert fitted.inputs_.tolist() == ["light"]
    assert fitted.switch_inputs_.tolist() == ["dopamine"]
    run("decode", model, trials, "--out", out)
    assert {"light", "dopamine", "p_action"} <= set(pd.read_csv(out).columns)
    run("report", model, trials, "--out", tmp_path / "report.html")
    assert "What drives switching" in (tmp_path / "report.html").read_text()


def test_words_drive_switching_by_their_indicators_and_tables_stay_tables(trials, tmp_path):
    model = tmp_path / "model.hiql"
    facts = run_json("fit", trials, "-k", 2, "--restarts", 1, "--switch-inputs", "block", "--out", model)["understood"]
    assert facts["families"] == ["hiql"]
    assert facts["switching_weighs"] == ["block=A", "block=B"]
    assert hiql.load(model).switch_inputs_.tolist() == ["block=A", "block=B"]


def test_tables_with_states_of_their_own_keep_them_unless_told(trials, tmp_path):
    options = ["--state", "block", "--action", "choice", "--inputs", "light", "-k", 1, "--out", tmp_path / "model.hiql"]
    run("fit", trials, *options)
    assert type(hiql.load(tmp_path / "model.hiql")) is hiql.HIQL
    run("fit", trials, *options, "--family", "glmhmm", "--pool", "states")
    assert hiql.load(tmp_path / "model.hiql").weights_of("B").shape == (1, 2, 2)
    refused = run("fit", trials, *options, "--family", "glmhmm", "--pseudo-count", 1, code=2).output
    assert "leave it out: family glmhmm learns" in " ".join(refused.split())
    assert "choose from hiavi" in " ".join(run("fit", trials, *options, "--family", "svm", code=2).output.split())


@pytest.mark.slow
def test_select_over_clocks_of_regressions(trials, tmp_path):
    options = ["-k", "1-2", "--restarts", 1, "--folds", 2, "--jobs", 1, "--out", tmp_path / "selection"]
    found = run_json("select", trials, *FOR_SWITCHING, *options)
    assert found["understood"]["families"] == ["glmhmm"]
    tried = {(row["n_intentions"], row["dynamics"]) for row in found["candidates"]}
    assert {(1, "markov"), (2, "markov"), (2, "InputDriven(inputs=('dopamine',))")} <= tried
    assert found["traits"]
