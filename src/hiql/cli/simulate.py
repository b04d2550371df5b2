"""``hiql simulate``: tables of made-up animals, to try the other commands on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from hiql.cli.commands import AsJson, print_json, say
from hiql.export import write_table

Out = Annotated[Path, typer.Option(help="Where to write: .csv, .csv.gz, .tsv or .parquet.")]
Seed = Annotated[int, typer.Option(help="Seed of the simulation.")]


def simulate_gridworld(
    out: Out = Path("gridworld.csv"),
    sessions: Annotated[int, typer.Option(help="Number of sessions.")] = 300,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """An animal that crosses a 5 × 5 grid and may change its mind (paper, §5.1), with its true intentions.

    Example: hiql simulate gridworld --out gridworld.csv && hiql fit gridworld.csv -k 2 --world grid:5x5
    """
    from hiql.worlds import simulate_two_goals

    table = simulate_two_goals(sessions, random_state=seed).data.to_dataframe()
    finish(table, out, f"hiql select {out} -k 1-3 --world grid:5x5", as_json)


def simulate_reversal(
    out: Out = Path("reversal.csv"),
    mice: Annotated[int, typer.Option(help="Number of mice.")] = 9,
    sessions: Annotated[int, typer.Option(help="Number of sessions of all mice together.")] = 64,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Mice in a reversal task that switch between strategies (paper, §5.3), with their true intentions.

    Example: hiql simulate reversal --out reversal.csv && hiql select reversal.csv -k 1-4 --history 1-2
    """
    from hiql.worlds import simulate_reversal as simulate

    table = simulate(mice, sessions, random_state=seed).table
    finish(table, out, f"hiql select {out} -k 1-4 --history 1-2", as_json)


def finish(table: pd.DataFrame, out: Path, following: str, as_json: bool) -> None:
    write_table(out, table)
    if as_json:
        print_json({"written": [str(out)], "rows": len(table), "columns": list(table.columns)})
    else:
        say(f"{len(table):,} rows written to {out}. Next: {following}")
