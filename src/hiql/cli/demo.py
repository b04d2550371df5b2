"""``hiql demo``: the whole tool in under a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hiql.cli.commands import console, print_table


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results; made if needed.")] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Seed of the simulation and the fits.")] = 0,
) -> None:
    """Simulate, choose K, fit and report: the whole tool in under a minute.

    Example: hiql demo --out demo --seed 1
    """
    with console.status("starting") as status:
        from hiql.experiments import demo as experiment

        result = experiment.compute(experiment.DemoConfig(seed=seed), status.update)
        status.update("drawing")
        report = experiment.write(result, out)
    best = result.selection.best.n_intentions
    print_table(experiment.readable(result.table), "Simulated two-goal expert, held out by session")
    console.print(f"BIC chooses [bold]K = {best}[/bold]. Open [bold]{report}[/bold]")
