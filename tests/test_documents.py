"""The examples of README and CONTRIBUTING run as printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def blocks(name):
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), flags=re.DOTALL)


@pytest.mark.parametrize(
    ("name", "number"),
    [(name, i) for name in ("README.md", "CONTRIBUTING.md") for i in range(len(blocks(name)))],
)
def test_examples_run_as_printed(name, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(name)[number], name, "exec", dont_inherit=True), {"__name__": "__main__"})


def test_there_are_examples():
    assert len(blocks("README.md")) == 1
    assert len(blocks("CONTRIBUTING.md")) == 2


def test_no_file_names_a_machine_path_or_records_download_addresses():
    assert not list(ROOT.glob("*.lock"))
    assert "http" not in (ROOT / "constraints.txt").read_text()
