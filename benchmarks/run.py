"""All benchmarks, one after another: ``make bench``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPTS = ("speed.py", "local_optima.py", "rivals.py", "iql_methods.py", "linear_solvers.py")


def main() -> int:
    """Run each script in a process of its own; the exit code says whether all of them finished."""
    failed = [name for name in SCRIPTS if subprocess.run([sys.executable, Path(__file__).with_name(name)]).returncode]
    for name in failed:
        print(f"{name} did not finish", file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
