"""The same seed gives the same bits, whatever has been compiled before and kept on the disk."""

from __future__ import annotations

import os
import subprocess
import sys

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


def test_a_fit_does_not_depend_on_what_was_compiled_before(tmp_path):
    cold = fit(tmp_path)
    assert fit(tmp_path) == cold
    for kept in tmp_path.rglob("exact_smoother.smooth_sessions*"):  # its parts stay: they are linked in another way now
        kept.unlink()
    for kept in tmp_path.rglob("block_sweep.sweep_blocks*"):
        kept.unlink()
    assert fit(tmp_path) == cold
