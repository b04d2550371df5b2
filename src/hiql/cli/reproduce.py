"""``hiql reproduce``: the paper's experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markdown import Markdown

from hiql.cli.commands import Jobs, command, console

Out = Annotated[Path, typer.Option(help="Folder for the results; made if needed.")]
Quick = Annotated[bool, typer.Option("--quick", help="A smaller run, in minutes.")]

app = typer.Typer(help="The paper's experiments: figures, tables and a summary.", no_args_is_help=True)


@command(app, "gridworld")
def gridworld(
    out: Out = Path("results/gridworld"),
    quick: Quick = False,
    seed: Annotated[
        int, typer.Option(help="Seed of the simulation, folds and fits; the default is the authors'.")
    ] = 10015,
    inverse_temperature: Annotated[
        float | None,
        typer.Option(help="An expert that acts by the softmax of this times Q, not the authors' greedy one."),
    ] = None,
    jobs: Jobs = -1,
) -> None:
    """The simulated expert of §5.1: HIAVI against DIRL. Interrupt it at will; the same command resumes.

    Example: hiql reproduce gridworld --quick --out results/gridworld
    """
    from hiql.experiments import gridworld

    make = gridworld.GridworldConfig.quick if quick else gridworld.GridworldConfig
    config = make(seed=seed, inverse_temperature=inverse_temperature)
    show_summary(gridworld.EXPERIMENT.run(config, out, n_jobs=jobs))


@command(app, "labyrinth")
def labyrinth(
    out: Out = Path("results/labyrinth"),
    quick: Quick = False,
    seed: Annotated[int, typer.Option(help="Seed of folds and fits.")] = 0,
    jobs: Jobs = -1,
) -> None:
    """The mice of §5.2, both cohorts: HIAVI against DIRL and counts. Interrupt it at will; the same command resumes.

    Example: hiql reproduce labyrinth --quick --out results/labyrinth
    """
    from hiql.experiments import labyrinth

    config = labyrinth.LabyrinthConfig.quick(seed) if quick else labyrinth.LabyrinthConfig(seed=seed)
    show_summary(labyrinth.EXPERIMENT.run(config, out, n_jobs=jobs))


@command(app, "reversal")
def reversal(
    out: Out = Path("results/reversal"),
    quick: Quick = False,
    data: Annotated[Path | None, typer.Option(help="A table of trials of your own, beside the simulated mice.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the simulation, folds and fits.")] = 0,
    jobs: Jobs = -1,
) -> None:
    """The reversal task of §5.3: history, intentions, animals. Interrupt it at will; the same command resumes.

    Example: hiql reproduce reversal --quick --data mice.csv --out results/reversal
    """
    from hiql.experiments import reversal

    table = None if data is None else str(data)
    config = reversal.ReversalConfig.quick(seed, table) if quick else reversal.ReversalConfig(seed=seed, data=table)
    show_summary(reversal.EXPERIMENT.run(config, out, n_jobs=jobs))


@command(app, "related")
def related(
    out: Out = Path("results/related"),
    quick: Quick = False,
    seed: Annotated[int, typer.Option(help="Seed of the simulations, folds and fits.")] = 0,
    jobs: Jobs = -1,
) -> None:
    """Every system of the related work on the same data: what does each assumption buy? Interrupt it at will.

    Example: hiql reproduce related --quick --out results/related
    """
    from hiql.experiments import related as comparison

    config = comparison.RelatedConfig.quick(seed) if quick else comparison.RelatedConfig(seed=seed)
    show_summary(comparison.EXPERIMENT.run(config, out, n_jobs=jobs))


def show_summary(path: Path) -> None:
    """Print a summary.md, and where it lies."""
    console.print(Markdown(path.read_text(encoding="utf-8")))
    console.print(f"Written to [bold]{path.parent}[/bold]")
