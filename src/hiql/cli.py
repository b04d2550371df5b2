"""The command line: parses, calls, prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from hiql.errors import HiqlError

app = typer.Typer(
    help="Find the discrete intentions behind behaviour.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
console = Console()
Out = Annotated[Path, typer.Option(help="Folder for the results; made if needed.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1 for all cores.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


@app.callback()
def main() -> None:
    """Find the discrete intentions behind behaviour."""


@app.command()
def demo(
    out: Out = Path("demo"),
    seed: Annotated[int, typer.Option(help="Seed of the simulation and the fits.")] = 0,
    debug: Debug = False,
) -> None:
    """Simulate, choose K, fit and report: the whole tool in under a minute.

    Example: hiql demo --out demo --seed 1
    """
    with errors_as_messages(debug), console.status("starting") as status:
        from hiql.experiments import demo as experiment

        result = experiment.compute(experiment.DemoConfig(seed=seed), status.update)
        status.update("drawing")
        report = experiment.write(result, out)
    best = result.selection.best.n_intentions
    print_table(experiment.readable(result.table), "Simulated two-goal expert, held out by session")
    console.print(f"BIC chooses [bold]K = {best}[/bold]. Open [bold]{report}[/bold]")


reproduce = typer.Typer(help="The paper's experiments: figures, tables and a summary.", no_args_is_help=True)
app.add_typer(reproduce, name="reproduce")
Quick = Annotated[bool, typer.Option("--quick", help="A smaller run, in minutes.")]


@reproduce.command("gridworld")
def reproduce_gridworld(
    out: Out = Path("results/gridworld"),
    quick: Quick = False,
    seed: Annotated[int, typer.Option(help="Seed of the simulation and the fits.")] = 0,
    jobs: Jobs = -1,
    debug: Debug = False,
) -> None:
    """The simulated expert of §5.1: HIAVI against DIRL. Interrupt it at will; the same command resumes.

    Example: hiql reproduce gridworld --quick --out results/gridworld
    """
    with errors_as_messages(debug):
        from hiql.experiments import gridworld

        config = gridworld.GridworldConfig.quick(seed) if quick else gridworld.GridworldConfig(seed=seed)
        summary = gridworld.write(gridworld.compute(config, out, n_jobs=jobs), out)
    show_summary(summary)


@reproduce.command("labyrinth")
def reproduce_labyrinth(
    out: Out = Path("results/labyrinth"),
    quick: Quick = False,
    seed: Annotated[int, typer.Option(help="Seed of folds and fits.")] = 0,
    jobs: Jobs = -1,
    debug: Debug = False,
) -> None:
    """The mice of §5.2, both cohorts: HIAVI against DIRL and counts. Interrupt it at will; the same command resumes.

    Example: hiql reproduce labyrinth --quick --out results/labyrinth
    """
    with errors_as_messages(debug):
        from hiql.experiments import labyrinth

        config = labyrinth.LabyrinthConfig.quick(seed) if quick else labyrinth.LabyrinthConfig(seed=seed)
        summary = labyrinth.write(labyrinth.compute(config, out, n_jobs=jobs), out)
    show_summary(summary)


@reproduce.command("reversal")
def reproduce_reversal(
    out: Out = Path("results/reversal"),
    quick: Quick = False,
    data: Annotated[Path | None, typer.Option(help="A table of trials of your own, beside the simulated mice.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the simulation, folds and fits.")] = 10,
    jobs: Jobs = -1,
    debug: Debug = False,
) -> None:
    """The reversal task of §5.3: history, intentions, animals. Interrupt it at will; the same command resumes.

    Example: hiql reproduce reversal --quick --data mice.csv --out results/reversal
    """
    with errors_as_messages(debug):
        from hiql.experiments import reversal

        table = None if data is None else str(data)
        config = reversal.ReversalConfig.quick(seed, table) if quick else reversal.ReversalConfig(seed, table)
        summary = reversal.write(reversal.compute(config, out, n_jobs=jobs), out)
    show_summary(summary)


def show_summary(path: Path) -> None:
    """Print a summary.md, and where it lies."""
    console.print(Markdown(path.read_text()))
    console.print(f"Written to [bold]{path.parent}[/bold]")


@contextmanager
def errors_as_messages(debug: bool) -> Iterator[None]:
    """Show errors about input as one red sentence and leave with exit code 2."""
    try:
        yield
    except KeyboardInterrupt:
        Console(stderr=True).print("\nInterrupted; what was finished is kept, and the same command resumes.")
        raise typer.Exit(130) from None
    except (HiqlError, OSError) as error:
        if debug:
            raise
        Console(stderr=True).print(f"[bold red]Error:[/bold red] {error}", highlight=False)
        raise typer.Exit(2) from error


def print_table(table: pd.DataFrame, title: str) -> None:
    """Print a table that is already rounded."""
    shown = Table(title=title)
    for name in table.columns:
        shown.add_column(str(name), justify="right")
    for row in table.itertuples(index=False):
        shown.add_row(*map(str, row))
    console.print(shown)


if __name__ == "__main__":
    app()
