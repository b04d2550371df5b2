"""Every reader of files against damaged ones, for a minute each, in a process with bounded memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

SECONDS = float(os.environ.get("HIQL_FUZZ_SECONDS", "60"))
"""How long each reader is tried; longer finds more."""
SEED = int(os.environ.get("HIQL_FUZZ_SEED", "0"))
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


@pytest.mark.timeout(600 + 2 * SECONDS)
@pytest.mark.skipif(sys.platform != "linux", reason="bounds memory and time as Linux does")
@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files_are_read_or_refused(name, tmp_path):
    command = [sys.executable, "-m", "tests.fuzz.child", name, str(SEED), str(SECONDS), str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{name} failed on {tmp_path}/culprit{TARGETS[name].suffix}:\n{ran.stderr[-4000:]}"
    read, refused, longest = map(int, ran.stdout.split()[-3:])
    assert refused > 0
    assert longest < 3000, "a message longer than anyone reads"
    assert read + refused > SECONDS / 30
