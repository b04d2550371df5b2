"""A new user's hour: a table made by an outside script, and the four commands of the README as printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

README = Path(__file__).parents[2] / "README.md"
SCRIPT = Path(__file__).with_name("outside_script.py")


def readme_commands():
    block = re.search(r"## Your own table.*?```\n(.*?)```", README.read_text(), flags=re.DOTALL)[1]
    return [shlex.split(line, comments=True) for line in block.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    subprocess.run([sys.executable, SCRIPT, folder / "mice.csv", "7"], check=True)
    return folder


def printed_by(number, folder):
    """What the README's command of this number prints; those before it must have run."""
    program, *arguments = readme_commands()[number]
    assert program == "hiql"
    installed = Path(sys.executable).with_name(program)
    done = subprocess.run([installed, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


@pytest.fixture(scope="module")
def fit(folder):
    return printed_by(0, folder)


@pytest.fixture(scope="module")
def select(folder, fit):
    return printed_by(1, folder)


@pytest.fixture(scope="module")
def decode(folder, select):
    return printed_by(2, folder)


@pytest.fixture(scope="module")
def report(folder, decode):
    return printed_by(3, folder)


def test_there_are_four_commands():
    assert [arguments[1] for arguments in readme_commands()] == ["fit", "select", "decode", "report"]


def test_fit_says_what_it_understood(folder, fit):
    rows = len(pd.read_csv(folder / "mice.csv", sep=";"))
    for words in ("subject: animal", "step: step", "subjects 2", "sessions 30", f"{rows:,}", "states 6", "clockwise"):
        assert words in fit, words


def test_select_finds_both_intentions_and_says_why(folder, select):
    assert "Chosen: K = 2" in select
    assert "standard error" in select
    assert {"selection.csv", "model.hiql", "report.html"} <= {path.name for path in (folder / "selection").iterdir()}


def test_decode_lies_beside_the_table_and_is_right(folder, decode):
    table = pd.read_csv(folder / "mice.csv", sep=";", encoding="utf-8-sig")
    steps = pd.read_csv(folder / "posterior.csv")
    assert len(steps) == len(table)
    assert (steps["step"] == table["step"]).all()
    assert (steps["subject"] == table["animal"]).all()
    assert steps["state"].isna().tolist() == table["state"].isna().tolist()
    together = pd.crosstab(steps["decoded"], table["mood"])
    agreement = max(together.iloc[0, 0] + together.iloc[1, 1], together.iloc[0, 1] + together.iloc[1, 0]) / len(table)
    assert agreement > 0.93
    assert "nats per step" in decode


def test_report_is_a_page(folder, report):
    page = (folder / "report.html").read_text()
    assert "report.html" in report
    assert page.startswith("<!doctype html>")
    assert "Ada" in page
    assert not re.search(r'src="http', page)
