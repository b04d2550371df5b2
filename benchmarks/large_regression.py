"""Memory and processor time of a GLM-HMM on more data than one would hold: here, and on two Dask workers.

    python benchmarks/large_regression.py [--steps 1e7] [--passes 3]

A folder of random steps with ten inputs is written block by block and mapped. A new process opens it and fits K = 2 for
some passes; its peak memory is compared with that of the same on 50,000 steps, which is what Python, libraries and
kernels take. Then the same fit runs on a cluster of two processes, and both answers are compared.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from columns import write
from rows import arguments

N_INPUTS, FEW = 10, 50_000
FIT = """
import sys, time, hiql
data = hiql.open_trajectories(sys.argv[1])
model = hiql.GLMHMM(2, ridge=1.0, n_init=1, patience=0, max_iter=int(sys.argv[2]), tol=0.0, progress=False)
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
"""
HERE = """
began = time.process_time()
model.fit(data)
print(repr(model.log_likelihood_), peak(), time.process_time() - began, model.restarts_.n_passes)
"""
THERE = """
if __name__ == "__main__":
    from distributed import Client, LocalCluster
    two = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": 0, "dashboard_address": None}
    with LocalCluster(**two, host="127.0.0.1", protocol="tcp") as cluster, Client(cluster) as client:
        model.fit(data, client=client)
        peaks = client.run(peak).values()
        seconds = client.run(time.process_time).values()
    print(repr(model.log_likelihood_), peak(), sum(seconds), *peaks)
"""


def told(script: str, folder: Path, passes: int) -> list[float]:
    """What a new process that runs the script prints last."""
    file = folder.parent / "script.py"
    file.write_text(FIT + script)
    done = subprocess.run([sys.executable, file, folder, str(passes)], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split("\n")[-2].split()]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--steps", type=float, default=1e7)
    parser.add_argument("--passes", type=int, default=3, help="of a start, and of its climb")
    options = parser.parse_args()
    n_steps = int(options.steps)
    with tempfile.TemporaryDirectory() as place:
        small, large = (write(Path(place) / str(n), n, N_INPUTS) for n in (FEW, n_steps))
        told(HERE, small, 1)  # compiles, which takes memory of its own
        _, least, _, _ = told(HERE, small, options.passes)
        found, peak, seconds, n_passes = told(HERE, large, options.passes)
        held = n_steps * N_INPUTS * 8 / 2**20
        print(f"{n_steps:,} steps with {N_INPUTS} inputs ({held:.0f} MB), K = 2, {n_passes:.0f} passes")
        more = f"peak {peak:.0f} MB, {peak - least:.0f} MB more than {FEW:,} steps"
        print(f"here: {more}; {seconds:.0f} s of processor time")
        also, peak, seconds, *workers = told(THERE, large, options.passes)
        each = " and ".join(f"{worker:.0f}" for worker in workers)
        print(f"Dask: peak {peak:.0f} MB here, {each} MB in the workers; {seconds:.0f} s of processor time in these")
        print("log-likelihoods are equal" if found == also else f"log-likelihoods differ by {found - also:.3g}")


if __name__ == "__main__":
    main()
