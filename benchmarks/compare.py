"""What got slower between two runs: ``python benchmarks/compare.py OLD.json NEW.json``; exit code 1 if anything did.

A row got slower if its ratio, the median over repeats, fell by more than a tenth, and the quartiles of the two runs do
not overlap. Where they do the fall may be noise: it is told, but does not count.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

WORSE = 1.1

Results = dict[str, list[dict[str, Any]]]


def read_results(path: str) -> Results:
    """The rows of a run by the title of their table."""
    return json.loads(Path(path).read_text())["results"]


def by_name(results: Results) -> dict[str, dict[str, Any]]:
    return {f"{title}: {row['what']}": row for title, rows in results.items() for row in rows}


def slower(old: Results, new: Results) -> list[str]:
    """Rows that fell, beyond the spread of repeats (in all of them, more is better)."""
    return [line for line, clear in _fallen(old, new) if clear]


def perhaps_slower(old: Results, new: Results) -> list[str]:
    """Rows that fell within the spread of repeats."""
    return [line for line, clear in _fallen(old, new) if not clear]


def _fallen(old: Results, new: Results) -> list[tuple[str, bool]]:
    """Rows whose ratio fell by more than a tenth, and whether their quartiles are clear of the old ones."""
    before = by_name(old)
    return [
        (f"{name}: {before[name]['ratio']:.3g} → {row['ratio']:.3g}", row["high"] < before[name]["low"])
        for name, row in by_name(new).items()
        if name in before and row["ratio"] * WORSE < before[name]["ratio"]
    ]


def tell_changes(old: Results, new: Results) -> int:
    """Print what got slower, what is gone and how much is new; return how many rows got slower."""
    before, after = by_name(old), by_name(new)
    for name in [name for name in before if name not in after]:
        print(f"gone: {name}")
    if added := len(after.keys() - before.keys()):
        print(f"{added} rows are new, with nothing to compare")
    for line in perhaps_slower(old, new):
        print(f"slower, but perhaps by chance: {line}")
    found = slower(old, new)
    for line in found:
        print(f"slower: {line}")
    if not found:
        print(f"nothing of {len(before.keys() & after.keys())} rows got slower by more than 10 %")
    return len(found)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(int(tell_changes(*map(read_results, sys.argv[1:])) > 0))
