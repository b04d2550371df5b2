"""The command line: parses, calls, prints.

Exit codes: 0 done; 1 done, but some fits failed; 2 bad input; 70 a bug; 130 interrupted.
"""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from hiql.cli import reproduce
from hiql.cli.commands import command
from hiql.cli.decode import decode
from hiql.cli.demo import demo
from hiql.cli.fit import fit
from hiql.cli.info import info
from hiql.cli.live import live
from hiql.cli.page import page
from hiql.cli.report import report
from hiql.cli.select import select
from hiql.cli.simulate import SIMULATORS

app = typer.Typer(
    help="Find the discrete intentions behind behaviour: multi-intention inverse reinforcement learning.\n\n"
    "Start with: hiql demo. With a table of your own: hiql info TABLE, hiql select TABLE, hiql report.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def print_version(wanted: bool) -> None:
    if wanted:
        print(metadata.version("hiql"))
        raise typer.Exit


simulate = typer.Typer(help="Tables of simulated animals, to try the other commands on.", no_args_is_help=True)


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True)
    ] = False,
) -> None:
    """Find the discrete intentions behind behaviour."""


command(app, "demo")(demo)
command(app, "fit")(fit)
command(app, "select")(select)
command(app, "decode")(decode)
command(app, "report")(report)
command(app, "live")(live)
command(app, "app")(page)
for name, simulator in SIMULATORS.items():
    command(simulate, name)(simulator)
app.add_typer(simulate, name="simulate")
app.add_typer(reproduce.app, name="reproduce")
command(app, "info")(info)
