"""``hiql simulate``: tables of made-up animals, to try the other commands on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from hiql.cli.commands import AsJson, print_json, say
from hiql.export import write_table

Out = Annotated[Path, typer.Option(help="Where to write: .csv, .csv.gz, .tsv or .parquet.")]
Seed = Annotated[int, typer.Option(help="Seed of the simulation.")]
Animals = Annotated[int, typer.Option(help="Number of animals.")]
EachSessions = Annotated[int, typer.Option(help="Number of sessions of each animal.")]
Trials = Annotated[int, typer.Option(help="Trials of each session.")]
Steps = Annotated[int, typer.Option(help="Steps of each session.")]


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


def simulate_psychophysics(
    out: Out = Path("psychophysics.csv"),
    animals: Animals = 4,
    sessions: EachSessions = 10,
    trials: Trials = 250,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Animals that judge a stimulus and are engaged, biased or disengaged by turns, with their true intentions.

    Example: hiql simulate psychophysics --out stimuli.csv && hiql fit stimuli.csv -k 3
    """
    from hiql.worlds import simulate_psychophysics as simulate

    table = simulate(animals, sessions, trials, random_state=seed).table()
    finish(table, out, f"hiql select {out} -k 1-4", as_json)


def simulate_learning(
    out: Out = Path("learning.csv"),
    animals: Animals = 4,
    days: Annotated[int, typer.Option(help="Number of days, one session each.")] = 20,
    trials: Trials = 200,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Animals that learn over days to judge a stimulus, with their true intentions.

    Example: hiql simulate learning --out learning.csv && hiql fit learning.csv -k 2
    """
    from hiql.worlds import simulate_learning as simulate

    table = simulate(animals, days, trials, random_state=seed).table()
    finish(table, out, f"hiql select {out} -k 1-4", as_json)


def simulate_places(
    out: Out = Path("places.csv"),
    sessions: Annotated[int, typer.Option(help="Number of sessions.")] = 40,
    steps: Steps = 200,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """An animal that goes to and fro on a 5 × 5 grid and changes its mind at places, with its true intentions.

    Example: hiql simulate places --out places.csv && hiql fit places.csv -k 2 --world grid:5x5
    """
    from hiql.worlds import simulate_places as simulate

    table = simulate(sessions, steps, random_state=seed).table()
    finish(table, out, f"hiql select {out} -k 1-3 --world grid:5x5", as_json)


def simulate_one_intention(
    out: Out = Path("one-intention.csv"),
    sessions: Annotated[int, typer.Option(help="Number of sessions.")] = 60,
    steps: Steps = 30,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Sessions on a 5 × 5 grid that have one of three intentions each, with the true ones.

    Example: hiql simulate one-intention --out one.csv && hiql fit one.csv -k 3 --world grid:5x5
    """
    from hiql.worlds import simulate_one_intention as simulate

    table = simulate(sessions, steps, random_state=seed).table()
    finish(table, out, f"hiql select {out} -k 1-4 --world grid:5x5", as_json)


def simulate_animals(
    out: Out = Path("animals.csv"),
    animals: Animals = 9,
    sessions: EachSessions = 6,
    trials: Trials = 150,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Animals in a bandit that differ from one another and never switch; their kind stands for the intention.

    Example: hiql simulate animals --out animals.csv && hiql select animals.csv -k 1-4 --history 1-2
    """
    from hiql.worlds import simulate_animals as simulate

    table = simulate(animals, sessions, trials, random_state=seed).table()
    finish(table, out, f"hiql select {out} -k 1-4 --history 1-2", as_json)


SIMULATORS: dict[str, Callable[..., None]] = {
    "gridworld": simulate_gridworld,
    "reversal": simulate_reversal,
    "psychophysics": simulate_psychophysics,
    "learning": simulate_learning,
    "places": simulate_places,
    "one-intention": simulate_one_intention,
    "animals": simulate_animals,
}
"""The commands behind ``hiql simulate``, by name."""


def finish(table: pd.DataFrame, out: Path, following: str, as_json: bool) -> None:
    write_table(out, table)
    if as_json:
        print_json({"written": [str(out)], "rows": len(table), "columns": list(table.columns)})
    else:
        say(f"{len(table):,} rows written to {out}. Next: {following}")
