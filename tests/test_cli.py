"""The command line, end to end."""

from __future__ import annotations

import re

from typer.testing import CliRunner

import hiql
from hiql.cli import app

runner = CliRunner()


def test_demo_prints_a_table_and_writes_model_figures_and_report(tmp_path):
    result = runner.invoke(app, ["demo", "--out", str(tmp_path / "demo"), "--seed", "3"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "BIC chooses K = 2" in result.output
    names = {path.name for path in (tmp_path / "demo").iterdir()}
    assert names == {
        "report.html",
        "model.hiql",
        "selection.csv",
        "selection.png",
        "selection.svg",
        "intentions.png",
        "intentions.svg",
    }
    model = hiql.load(tmp_path / "demo" / "model.hiql")
    assert model.policy_.shape == (2, 25, 5)
    page = (tmp_path / "demo" / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert not re.search(r'(src|href)="http', page)


def test_errors_come_without_a_traceback_unless_asked_for(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    result = runner.invoke(app, ["demo", "--out", str(blocked / "demo")])
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_help_shows_an_example():
    assert "Example" in runner.invoke(app, ["demo", "--help"]).output
