"""Damaged and lying files against everything that reads one: tables, models, lines of JSON, uploads.

``python benchmarks/fuzz.py --cases 100000`` divides that many cases among the targets of ``tests/fuzz/targets.py``.
Each runs in a process with bounded memory (2 GB more than for sound files) and processor time (30 s a file). A case
is read or refused in words; whatever else happens is a find: it is printed, its file is kept, and the exit code is 1.
What was tried is written down after every part, so the same command goes on where it was interrupted. Give
another folder after a change of the code, or another seed for other cases.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parent.parent
PART = 500
"""Cases of one process."""
SILENCE = 900
"""Seconds for a part, busy machines included; more is a find, too."""
SHOWN = "read", "refused", "found"


def part(target: str, seed: int, first: int, n_cases: int, finds: Path) -> dict[str, Any]:
    """What came of some cases. After a find the next process begins with the case that follows it."""
    counts, longest, told, end = Counter(), 0, [], first + n_cases
    while first < end:
        with TemporaryDirectory() as folder:
            lines, problem = child(target, seed, first, end - first, folder)
            counts.update(outcome for _, outcome, _ in lines)
            longest = max([longest, *(int(length) for *_, length in lines)])
            first += len(lines)
            if first < end:
                counts["found"] += 1
                told.append({"case": first, "problem": problem[-2000:]})
                for culprit in Path(folder).glob("culprit.*"):
                    shutil.copy(culprit, finds / f"{target.replace(' ', '_')}-{seed}-{first}{culprit.suffix}")
                first += 1
    return {**{name: counts[name] for name in SHOWN}, "longest": longest, "finds": told}


def child(target: str, seed: int, first: int, n_cases: int, folder: str) -> tuple[list[list[str]], str]:
    """A line for each case that was read or refused, and what the process said in the end."""
    command = [sys.executable, "-m", "tests.fuzz.child", target, str(seed), str(first), str(n_cases), folder]
    try:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SILENCE, check=False)
        said, problem = ran.stdout, ran.stderr or f"it ended with code {ran.returncode}"
    except subprocess.TimeoutExpired as error:
        said, problem = (error.stdout or b"").decode(), f"nothing came of it in {SILENCE} s"
    return [line.split() for line in said.splitlines() if line.count(" ") == 2], problem


def parts(n_cases: int, seed: int, record: Path) -> Iterator[dict[str, Any]]:
    """Targets in turn, so that an interrupted run has tried all of them; what is on record is not repeated."""
    each = -(-n_cases // len(TARGETS))
    known = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    done = {(told["target"], told["seed"], told["first"]): told for told in known}
    for first in range(0, each, PART):
        for target in TARGETS:
            if told := done.get((target, seed, first)):
                yield told
                continue
            came = part(target, seed, first, min(PART, each - first), record.parent)
            told = {"target": target, "seed": seed, "first": first, **came}
            with record.open("a") as file:
                file.write(json.dumps(told) + "\n")
            yield told


def show(told: list[dict[str, Any]]) -> None:
    table = Table("", "cases", *SHOWN, "longest message", title="Damaged and lying files")
    for target in (*TARGETS, None):
        ours = [each for each in told if target in (None, each["target"])]
        counts = [sum(each[name] for each in ours) for name in SHOWN]
        longest = max((each["longest"] for each in ours), default=0)
        table.add_row(target or "all", *(f"{n:,}" for n in (sum(counts), *counts, longest)))
    Console(width=120).print(table)


def main(options: argparse.Namespace) -> int:
    options.folder.mkdir(parents=True, exist_ok=True)
    told: list[dict[str, Any]] = []
    try:
        for each in parts(options.cases, options.seed, options.folder / "record.jsonl"):
            told.append(each)
            for find in each["finds"]:
                print(f"{each['target']}, seed {each['seed']}, case {find['case']}:\n{find['problem']}", flush=True)
    except KeyboardInterrupt:
        print("Interrupted; the same command goes on from here.")
    show(told)
    return int(any(each["finds"] for each in told))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz", help="for the record and the finds")
    sys.exit(main(parser.parse_args()))
