"""What every benchmark says: a ratio in which more is better, how far it spreads, and the goal beside it."""

from __future__ import annotations

import argparse
import json
import sys
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
        goal = "" if row.goal is None else f"≥ {row.goal:.3g}"
        reached = "" if row.goal is None else ("[red]short[/red]" if row.falls_short else "reached")
        table.add_row(row.what, f"{row.ratio:.3g}", f"{row.low:.3g} … {row.high:.3g}", goal, reached, row.detail)
    Console(width=120).print(table)


def arguments(description: str | None) -> argparse.ArgumentParser:
    """What every script understands; scripts with options of their own add them."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the rows to this file, too")
    return parser


def report(title: str, rows: Iterable[Row], options: argparse.Namespace) -> None:
    """The end of every benchmark script: tell each row when it is there, print all, write them to ``--json``.

    Give ``rows`` as a generator: then it starts to measure only after the command line has been read.
    """
    tell(f"{title}: measuring")
    measured = []
    for row in rows:
        tell(f"{row.what}: {row.ratio:.3g}")
        measured.append(row)
    show(title, measured)
    if options.json is not None:
        write_whole(options.json, json.dumps({title: [row._asdict() for row in measured]}, indent=1))


def tell(news: str) -> None:
    """A line for those who wait, apart from the tables."""
    print(f"  … {news}", file=sys.stderr, flush=True)
