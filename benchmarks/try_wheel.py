"""The wheel in an empty environment: installs, imports, simulates, fits, chooses and reports. ``make dist`` runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from venv import EnvBuilder

COMMANDS = (
    ("simulate", "gridworld", "--sessions", "40", "--out", "grid.csv"),
    ("info", "grid.csv"),
    ("fit", "grid.csv", "-k", "2", "--world", "grid:5x5", "--out", "model.hiql"),
    ("decode", "model.hiql", "grid.csv", "--out", "posterior.csv"),
    ("report", "model.hiql", "grid.csv", "--out", "report.html"),
)


def main() -> None:
    wheels = sorted(Path(sys.argv[1]).resolve().glob("hiql-*.whl"))
    if len(wheels) != 1 or not list(Path(sys.argv[1]).glob("hiql-*.tar.gz")):
        sys.exit(f"{sys.argv[1]} should hold one wheel and a source distribution: run make dist")
    constraints = Path(__file__).resolve().parents[1] / "constraints.txt"
    with TemporaryDirectory() as folder:
        home = Path(folder)
        EnvBuilder(with_pip=True).create(home / "venv")
        program = home / "venv" / "bin"
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", constraints, wheels[0]]
        subprocess.run([program / "python", *install], cwd=home, check=True)
        for command in COMMANDS:
            subprocess.run([program / "hiql", *command], cwd=home, check=True, stdout=subprocess.DEVNULL)
        print(f"{wheels[0].name}: installed in an empty environment; {len(COMMANDS)} commands ran")


if __name__ == "__main__":
    main()
