"""Memory of scoring a mapped data set with inputs, which does not grow with the data; and the speed of traces.

A new process opens the folder (which checks every value), finds mean and scale of the inputs, standardises them block
by block, and scores a model. Its peak memory is compared with that of a process that does the same with few steps.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import hiql
from hiql.data.blocks import BLOCK
from hiql.data.mapped import array_file, new_data_folder, write_about

N_INPUTS = 5
STEPS_PER_SESSION = 500
CHILD = f"""
import sys, numpy as np, hiql
from hiql.data.coding import Coding
data = hiql.open_trajectories(sys.argv[1])
coding = Coding.of(data)
largest = max(np.abs(coding.standardised(data, slice(i, i + {BLOCK}))).max() for i in range(0, data.n_steps, {BLOCK}))
model = hiql.load(sys.argv[2])
print(model.score(data, per="step"), largest)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def write(folder: Path, n_steps: int, n_inputs: int = N_INPUTS) -> Path:
    """A folder of random steps, written block by block."""
    rng = np.random.default_rng(0)
    offsets = np.arange(0, n_steps + 1, STEPS_PER_SESSION, dtype=np.int64)
    with new_data_folder(folder) as place:
        for name in ("states", "actions", "next_states"):
            with array_file(place, name, n_steps) as file:
                for start in range(0, n_steps, BLOCK):
                    file.write(rng.integers(2, size=min(BLOCK, n_steps - start), dtype=np.int32).data)
        with array_file(place, "inputs", n_steps, n_inputs) as file:
            for start in range(0, n_steps, BLOCK):
                file.write(rng.normal(size=(min(BLOCK, n_steps - start), n_inputs)).data)
        with array_file(place, "offsets", len(offsets)) as file:
            file.write(offsets.data)
        sessions = [str(i) for i in range(len(offsets) - 1)]
        about = {"n_states": 2, "n_actions": 2, "state_labels": None, "action_labels": None}
        about |= {"session_names": sessions, "subjects": ["all"] * len(sessions)}
        write_about(place, about | {"input_names": [f"input_{i}" for i in range(n_inputs)]})
    return folder


def peak_megabytes(folder: Path, model: Path) -> float:
    done = subprocess.run([sys.executable, "-c", CHILD, folder, model], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]) / 1024


def memory_of_scoring(n_steps: int) -> tuple[float, float]:
    """Peak megabytes with few steps and with ``n_steps``."""
    with tempfile.TemporaryDirectory() as place:
        small, large = (write(Path(place) / name, n) for name, n in (("small", 50_000), ("large", n_steps)))
        model = Path(place) / "model.hiql"
        hiql.HIQL(2, max_iter=3, n_init=1, patience=0, progress=False).fit(hiql.open_trajectories(small)).save(model)
        peak_megabytes(small, model)  # compiles, which takes memory of its own
        return peak_megabytes(small, model), peak_megabytes(large, model)


def seconds_of_traces(n_steps: int) -> float:
    rng = np.random.default_rng(0)
    shape = n_steps // STEPS_PER_SESSION, STEPS_PER_SESSION
    data = hiql.Trajectories.from_arrays(None, rng.integers(2, size=shape), outcomes=rng.integers(2, size=shape))
    data.select([0]).with_memory((1, 4, 16))  # compiles
    began = time.perf_counter()
    data.with_memory((1, 4, 16))
    return time.perf_counter() - began


if __name__ == "__main__":
    n_steps = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7
    small, large = memory_of_scoring(n_steps)
    held = n_steps * N_INPUTS * 8 / 2**20
    print(f"{n_steps:,} steps with {N_INPUTS} inputs ({held:.0f} MB), scored: peak {large:.0f} MB")
    print(f"50,000 steps, scored: peak {small:.0f} MB; difference {large - small:.0f} MB")
    print(f"traces of {n_steps:,} steps, three time constants: {seconds_of_traces(n_steps):.2f} s")
