"""The same seed gives the same bits, whatever has been compiled before and kept on the disk."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

FIT = """
import hiql
expert = hiql.worlds.simulate_two_goals(100, random_state=3)
model = hiql.HIAVI(2, mdp=expert.world, random_state=1, progress=False).fit(expert.data)
posterior = model.smooth_proba(expert.data)
print(*(array.tobytes().hex() for array in (model.trace_, model.policy_, model.transition_, posterior)))
"""


def fit(cache):
    done = subprocess.run(
        [sys.executable, "-c", FIT], env=os.environ | {"NUMBA_CACHE_DIR": str(cache)}, capture_output=True, check=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    """A folder for what is compiled, empty at first, and the bits of the first fit."""
    folder = tmp_path_factory.mktemp("compiled")
    return folder, fit(folder)


def test_a_fit_does_not_depend_on_whether_anything_was_compiled_before(cold):
    folder, bits = cold
    assert fit(folder) == bits


@pytest.mark.slow
def test_a_fit_does_not_depend_on_what_was_compiled_before(cold):
    folder, bits = cold
    for name in ("exact_smoother.smooth_sessions*", "block_sweep.sweep_blocks*"):
        for kept in folder.rglob(name):  # its parts stay: they are linked in another way now
            kept.unlink()
    assert fit(folder) == bits
