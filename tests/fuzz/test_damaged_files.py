"""Every reader of files against damaged ones and liars, some hundred each, in a process with bounded memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

N_CASES = int(os.environ.get("HIQL_FUZZ_CASES", "200"))
"""How many files each target meets; ``benchmarks/fuzz.py`` tries more."""
SEED = int(os.environ.get("HIQL_FUZZ_SEED", "0"))
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


@pytest.mark.timeout(1200)
@pytest.mark.skipif(sys.platform != "linux", reason="bounds memory and time as Linux does")
@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files_are_read_or_refused(name, tmp_path):
    command = [sys.executable, "-m", "tests.fuzz.child", name, str(SEED), "0", str(N_CASES), str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{name} failed on {tmp_path}/culprit{TARGETS[name].suffix}:\n{ran.stderr[-4000:]}"
    outcomes = [line.split() for line in ran.stdout.splitlines()]
    assert len(outcomes) == N_CASES
    assert {"refused"} <= {outcome for _, outcome, _ in outcomes} <= {"read", "refused"}
    assert max(int(length) for *_, length in outcomes) < 3000, "a message longer than anyone reads"
