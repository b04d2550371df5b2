"""What got slower between two runs: ``python benchmarks/compare.py OLD.json NEW.json``; exit code 1 if anything did."""

from __future__ import annotations

import json
import sys
from pathlib import Path

WORSE = 1.1


def ratios(path: str) -> dict[str, float]:
    """Every ratio of a run by the name of its row."""
    results = json.loads(Path(path).read_text())["results"]
    return {f"{title}: {row['what']}": row["ratio"] for title, rows in results.items() for row in rows}


def slower(old: dict[str, float], new: dict[str, float]) -> list[str]:
    """Rows whose ratio fell by more than a tenth (in all of them, more is better)."""
    return [
        f"{name}: {old[name]:.3g} → {ratio:.3g}"
        for name, ratio in new.items()
        if name in old and ratio * WORSE < old[name]
    ]


def main(old_path: str, new_path: str) -> int:
    old, new = ratios(old_path), ratios(new_path)
    for name in sorted(old.keys() ^ new.keys()):
        print(f"only in one of the runs: {name}")
    found = slower(old, new)
    print("\n".join(found) if found else f"nothing of {len(old.keys() & new.keys())} got slower by more than 10 %")
    return int(bool(found))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
