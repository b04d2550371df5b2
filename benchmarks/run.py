"""All benchmarks, one after another: ``make bench``; or some: ``python benchmarks/run.py estep.py fits.py``.

Rows go to ``benchmarks/results/latest.json`` as each script ends, in place of its old ones; those of other scripts
stay. At the end: what falls short of its goal, and what got slower since the record that was there before
(``benchmarks/compare.py`` has the rule). Neither makes the run fail; the exit code says how many scripts did not
finish.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from compare import tell_changes
from measuring import timed
from record import Record, origin_of, read_record, write_record

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "latest.json"
SCRIPTS = (
    "estep.py",
    "banks.py",
    "phases.py",
    "instructions.py",
    "fits.py",
    "glm_speed.py",
    "rivals.py",
    "max_entropy.py",
    "passes.py",
    "local_optima.py",
    "speed.py",
    "iql_methods.py",
    "linear_solvers.py",
    "live.py",
    "startup.py",
    "growth.py",
    "growth_axes.py",
)


def tables_of(script: str) -> dict | None:
    """The rows of a script, run in a process of its own, by title; None if it did not finish."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        finished = subprocess.run([sys.executable, HERE / script, "--json", path]).returncode == 0
        return json.loads(path.read_text()) if finished else None


def run(scripts: Sequence[str]) -> list[str]:
    """Run the scripts and update the record after each; return those that did not finish."""
    failed = []
    for number, script in enumerate(scripts, 1):
        print(f"\n{script} ({number} of {len(scripts)})", flush=True)
        seconds, tables = timed(lambda script=script: tables_of(script))
        if tables is None:
            failed.append(script)
        else:
            print(f"{script} took {seconds:.0f} s", flush=True)
            updated = read_record(RESULTS).updated(tables, origin_of(script, seconds))
            write_record(RESULTS, updated.in_order(SCRIPTS))
    return failed


def forget_strangers(record: Record) -> Record:
    """Without the tables of scripts that are no more, which nothing would ever measure again; told, not silent."""
    strangers = [title for title, origin in record.origin.items() if origin["script"] not in SCRIPTS]
    for title in strangers:
        print(f"removed from the record: {title}, of {record.origin[title]['script']}, which is no benchmark any more")
    return record.without(strangers)


def tell_failures(failed: Sequence[str], record: Record) -> None:
    for script in failed:
        old = record.titles_of(script)
        kept = "; ".join(f"{title}: rows of {record.origin[title]['date']} kept" for title in old) or "it has no rows"
        print(f"{script} did not finish ({kept})", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scripts", nargs="*", metavar="script", help=f"some of: {', '.join(SCRIPTS)}; all by default")
    scripts = parser.parse_args().scripts or SCRIPTS
    if unknown := set(scripts) - set(SCRIPTS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    before = read_record(RESULTS)
    failed = run(scripts)
    after = forget_strangers(read_record(RESULTS))
    write_record(RESULTS, after)
    print()
    for line in after.falling_short():
        print(f"falls short: {line}")
    finished = [script for script in scripts if script not in failed]
    tell_changes(before.only(finished).results, after.only(finished).results)
    tell_failures(failed, after)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
