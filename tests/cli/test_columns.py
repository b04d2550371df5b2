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


def test_a_model_reads_new_tables_with_the_columns_of_its_own(trials, tmp_path):
    model, out = tmp_path / "model.hiql", tmp_path / "decoded.csv"
    options = ["--inputs", "light,dopamine", "--context", "block", "--memory", "4", "--history", "0"]
    text = run("fit", trials, "-k", 1, "--out", model, *options).output
    assert "the intentions of this model see states only" in " ".join(text.split())
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


@pytest.mark.parametrize("wrong", ["0", "1,x", "", "4,4"])
def test_time_constants_that_make_no_sense(trials, wrong):
    assert "time constants" in " ".join(run("info", trials, "--memory", wrong, code=2).output.split())
