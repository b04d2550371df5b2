"""A folder of results belongs to one table: those of another are never written over it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from hiql.errors import InvalidParameter
from hiql.files import write_whole

MARK = "table.json"
RESULTS = ("selection.csv", "model.hiql", "report.html")


def claim(folder: Path, table: Path) -> None:
    """Mark ``folder`` as that of ``table``, before its results are written."""
    check_free(folder, table)
    write_whole(folder / MARK, json.dumps(_mark_of(table), ensure_ascii=False))


def check_free(folder: Path, table: Path) -> None:
    """Refuse a folder with the results of another table than ``table``; tables are known by their content."""
    mine = _mark_of(table)
    found = _mark(folder / MARK)
    if found is None and any((folder / name).exists() for name in RESULTS):
        _refuse(folder, f"it holds results, and no sound {MARK} that says of which table")
    if found is not None and found["sha256"] != mine["sha256"]:
        same_name = found["table"] == mine["table"]
        of = "another table of this name, or of this one before it was changed" if same_name else found["table"]
        _refuse(folder, f"it holds the results of {of}")


def _mark_of(table: Path) -> dict[str, str]:
    return {"table": table.name, "sha256": hashlib.sha256(table.read_bytes()).hexdigest()}


def _mark(path: Path) -> dict[str, str] | None:
    try:
        mark = json.loads(path.read_text(encoding="utf-8"))
        return {name: str(mark[name]) for name in ("table", "sha256")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _refuse(folder: Path, problem: str) -> None:
    remedy = f"{problem}; choose another folder (--out FOLDER), or remove this one if they are no longer needed"
    raise InvalidParameter(parameter="out", value=str(folder), remedy=remedy)
