"""``hiql demo``: the whole tool in under a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hiql.cli.commands import Jobs, console
from hiql.cli.inputs import versions_and_command
from hiql.cli.select import print_answer, print_selection
from hiql.sweep.answer import answer


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results; made if needed.")] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Seed of the simulation and the fits.")] = 0,
    jobs: Jobs = -1,
) -> None:
    """Simulate, choose, fit, answer and report: the whole tool in about a minute.

    Example: hiql demo --out demo --seed 1
    """
    from hiql.experiments import demo as experiment

    console.print("A simulated animal crosses a 5 × 5 grid, heading for one corner, and sometimes changes its mind.")
    result = experiment.compute(experiment.DemoConfig(seed=seed), out, jobs)
    result.model.about_ = versions_and_command() | {"data": "simulated two-goal expert", "seed": seed}
    report = experiment.write(result, out)
    print_selection(result.selection)
    print_answer(answer(result.model, result.source.data[None], result.selection, result.names))
    console.print(
        f"\nOn fresh sessions its decoded intentions are the true ones in {result.agreement:.1%} of the steps."
    )
    console.print(f"Open [bold]{report}[/bold]")
