"""The record of all benchmarks, ``results/latest.json``: rows by title, and where each table comes from.

Scripts may be run again one by one: their tables replace their old ones, the others stay. So every table has an origin
of its own: the script, the day, the seconds it took, versions and machine.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from hiql.files import write_whole

PACKAGES = ("hiql", "numpy", "scipy", "numba", "hmmlearn", "dynamax", "jax")


class Record(NamedTuple):
    """``results``: rows by title; ``origin``: script, date, seconds, versions and machine by title."""

    results: dict[str, list[dict[str, Any]]]
    origin: dict[str, dict[str, Any]]

    def titles_of(self, script: str) -> list[str]:
        return [title for title, origin in self.origin.items() if origin["script"] == script]

    def only(self, scripts: Iterable[str]) -> Record:
        """The tables of these scripts."""
        wanted = [title for script in scripts for title in self.titles_of(script)]
        return Record(*({title: part[title] for title in wanted} for part in self))

    def without(self, titles: Iterable[str]) -> Record:
        gone = set(titles)
        return Record(*({title: part[title] for title in part if title not in gone} for part in self))

    def updated(self, tables: dict[str, list[dict[str, Any]]], origin: dict[str, Any]) -> Record:
        """With the tables of a script in place of all its old ones."""
        kept = self.without([*self.titles_of(origin["script"]), *tables])
        return Record(kept.results | tables, kept.origin | dict.fromkeys(tables, origin))

    def in_order(self, scripts: Sequence[str]) -> Record:
        """Tables in the order of their scripts, those of unknown scripts last."""
        places = {script: place for place, script in enumerate(scripts)}
        titles = sorted(self.results, key=lambda title: places.get(self.origin[title]["script"], len(places)))
        return Record(*({title: part[title] for title in titles} for part in self))

    def falling_short(self) -> list[str]:
        return [
            f"{title}: {row['what']}: {row['ratio']:.3g}, goal ≥ {row['goal']:.3g}"
            for title, rows in self.results.items()
            for row in rows
            if row["goal"] is not None and row["ratio"] < row["goal"]
        ]


def read_record(path: Path) -> Record:
    """An empty one where there is none yet."""
    return Record(**json.loads(path.read_text())) if path.exists() else Record({}, {})


def write_record(path: Path, record: Record) -> None:
    write_whole(path, json.dumps(record._asdict(), indent=1, ensure_ascii=False) + "\n")


def origin_of(script: str, seconds: float) -> dict[str, Any]:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {"script": script, "date": today, "seconds": round(seconds), "versions": versions(), "machine": machine()}


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found


def machine() -> dict[str, Any]:
    """What matters for speed, nothing that tells whose machine it is."""
    return {"system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()}
