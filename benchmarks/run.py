"""All benchmarks, one after another: ``make bench``. Ratios also go to ``benchmarks/results/latest.json``.

Compare two such files with ``benchmarks/compare.py``.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hiql.files import write_whole

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "latest.json"
WITH_GOALS = ("estep.py", "passes.py", "speed.py", "startup.py", "growth.py")
OTHERS = ("local_optima.py", "rivals.py", "iql_methods.py", "linear_solvers.py")
PACKAGES = ("hiql", "numpy", "scipy", "numba", "hmmlearn", "dynamax", "jax")


def main() -> int:
    """Run each script in a process of its own; the exit code says how many of them did not finish."""
    results, failed = {}, []
    for name in WITH_GOALS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.json"
            if subprocess.run([sys.executable, HERE / name, "--json", path]).returncode:
                failed.append(name)
            else:
                results |= json.loads(path.read_text())
    write_whole(RESULTS, json.dumps({"versions": versions(), "results": results}, indent=1, ensure_ascii=False) + "\n")
    failed += [name for name in OTHERS if subprocess.run([sys.executable, HERE / name]).returncode]
    for row in [row for rows in results.values() for row in rows]:
        if row["goal"] is not None and row["ratio"] < row["goal"]:
            print(f"falls short: {row['what']}: {row['ratio']:.3g}, goal ≥ {row['goal']:.3g}")
    for name in failed:
        print(f"{name} did not finish", file=sys.stderr)
    return len(failed)


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found


if __name__ == "__main__":
    sys.exit(main())
