"""Looking up the name of a host without being at the mercy of the name servers."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from threading import Thread
from urllib.parse import urlsplit


async def look_up(address: str) -> None:
    """Return once the host of ``address`` has been found; raise OSError if it is not known.

    A look-up cannot be interrupted, and an executor's threads are waited for when Python ends. So this one has a daemon
    thread of its own, which may be left behind.
    """
    loop = asyncio.get_running_loop()
    found: asyncio.Future[None] = loop.create_future()
    host = urlsplit(address if "://" in address else f"tcp://{address}").hostname

    def answer(error: Exception | None) -> None:
        if found.done():
            return
        if error is None:
            found.set_result(None)
        else:
            found.set_exception(error)

    def ask() -> None:
        error: Exception | None = None
        try:
            socket.getaddrinfo(host, None)
        except (OSError, UnicodeError) as problem:
            error = problem
        with suppress(RuntimeError):  # the loop is closed: nobody waits any longer
            loop.call_soon_threadsafe(answer, error)

    Thread(target=ask, name="hiql: host look-up", daemon=True).start()
    await found
