"""Starting the page: a workspace, a free port of this computer, and the way to it."""

from __future__ import annotations

import html
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

from hiql.app.workspace import Workspace, write_private
from hiql.errors import InvalidParameter, MissingExtra

LOOPBACK = "127.0.0.1"
PORT = 8737
WAY_IN = "open.html"


def serve(folder: Path, port: int, say: Callable[[str], None], browse: bool = True) -> None:
    """Serve the workspace ``folder`` until interrupted. ``say`` tells the address; ``browse`` opens it."""
    try:
        import uvicorn

        from hiql.app.reader import Reader
        from hiql.app.reading import read
        from hiql.app.runs import Runs
        from hiql.app.server import make_app
    except ImportError as error:
        raise MissingExtra(what="the page", extra="app") from error
    workspace = Workspace(folder)
    door = free_door(port)
    number = door.getsockname()[1]
    token, reader = workspace.token(), Reader(read)
    address = f"http://{LOOPBACK}:{number}/{token}/"
    write_private(folder / WAY_IN, way_in(address))
    app = make_app(workspace, token, number, reader, Runs(workspace))
    server = uvicorn.Server(
        uvicorn.Config(
            app, log_level="error", access_log=False, server_header=False, proxy_headers=False,
            timeout_graceful_shutdown=3, ws="none",
        )
    )  # fmt: skip
    say(address)
    reader.warm_up()
    if browse:  # by a file only we can read: the command lines of programs can be read by everyone
        webbrowser.open((folder / WAY_IN).absolute().as_uri())
    try:
        server.run(sockets=[door])
    finally:
        reader.close()


def free_door(port: int) -> socket.socket:
    """A socket at this port of the loopback address, or, for the usual port, at any that is free.

    It listens from the start: whoever is told the address and comes before the server is ready waits for it, and two
    programs cannot hold one port.
    """
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        if port != PORT:
            door.close()
            remedy = f"choose another, or leave it out ({error})"
            raise InvalidParameter(parameter="port", value=port, remedy=remedy) from error
        door.bind((LOOPBACK, 0))
    door.listen()
    return door


def way_in(address: str) -> str:
    """A page that goes to the address."""
    place = html.escape(address)
    return (
        f'<!doctype html><meta charset="utf-8"><title>hiql</title><meta http-equiv="refresh" content="0; url={place}">'
        f'<p>If nothing happens, start <code>hiql app</code>, then open <a href="{place}">this address</a>.'
    )
