"""The comparison of two benchmark runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

COMPARE = Path(__file__).parent.parent / "benchmarks" / "compare.py"


def compare(folder, old, new):
    for name, ratio in (("old", old), ("new", new)):
        rows = [{"what": "peer / ours", "ratio": ratio, "low": ratio, "high": ratio, "goal": 5.0, "detail": ""}]
        (folder / f"{name}.json").write_text(json.dumps({"versions": {}, "results": {"One E-step": rows}}))
    command = [sys.executable, COMPARE, folder / "old.json", folder / "new.json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("new", "code"), [(10.0, 0), (9.2, 0), (8.9, 1), (20.0, 0)])
def test_what_got_slower_by_more_than_a_tenth_is_told(tmp_path, new, code):
    done = compare(tmp_path, 10.0, new)
    assert done.returncode == code
    assert ("One E-step: peer / ours: 10 → 8.9" in done.stdout) == bool(code)
