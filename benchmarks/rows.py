"""What every benchmark says: a ratio in which more is better, how far it spreads, and the goal beside it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from hiql.files import write_whole


class Row(NamedTuple):
    """``ratio`` is the median over repeats, ``low`` and ``high`` are the quartiles; ``goal`` is the least we want."""

    what: str
    ratio: float
    low: float
    high: float
    goal: float | None = None
    detail: str = ""

    @property
    def falls_short(self) -> bool:
        return self.goal is not None and self.ratio < self.goal


def row_of(what: str, ratios: Iterable[float], goal: float | None = None, detail: str = "") -> Row:
    """A row from the ratios of all repeats."""
    low, middle, high = (float(f"{q:.4g}") for q in np.percentile(list(ratios), (25, 50, 75)))
    return Row(what, middle, low, high, goal, detail)


def show(title: str, rows: list[Row]) -> None:
    table = Table("", "ratio", "quartiles", "goal", "", "detail", title=title)
    for row in rows:
        goal = "" if row.goal is None else f"≥ {row.goal:g}"
        reached = "" if row.goal is None else ("[red]short[/red]" if row.falls_short else "reached")
        table.add_row(row.what, f"{row.ratio:.3g}", f"{row.low:.3g} … {row.high:.3g}", goal, reached, row.detail)
    Console(width=120).print(table)


def report(title: str, rows: list[Row]) -> None:
    """The end of every benchmark script: print the rows, and write them to the file named by ``--json``."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--json", type=Path, help="write the rows to this file, too")
    show(title, rows)
    if (path := parser.parse_args().json) is not None:
        write_whole(path, json.dumps({title: [row._asdict() for row in rows]}, indent=1))
