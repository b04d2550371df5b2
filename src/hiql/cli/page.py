"""``hiql app``: everything without a terminal, on a page of this computer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hiql.app.serving import PORT, serve
from hiql.cli.commands import say


def page(
    workspace: Annotated[Path, typer.Option(help="Folder for tables and results; made if needed.")] = Path("hiql-app"),
    port: Annotated[int, typer.Option(help="Port of this computer.", show_default=f"{PORT}, or any free one")] = PORT,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, and open nothing.")] = False,
) -> None:
    """A local page: drop a table, see what was understood, choose what to try, read the report.

    It is served to this computer alone, under an address with a secret in it, and works offline. Tables, fits and
    reports are kept in the workspace; started again, it goes on where it ended. Stop it with Ctrl-C.

    Example: hiql app

    Example: hiql app --workspace mice --no-browser
    """
    serve(workspace, port, lambda address: say(f"Open {address}\nStop with Ctrl-C; nothing is lost."), not no_browser)
