"""A progress bar that stays out of the way: only on a terminal or notebook, and only after two seconds.

Other programs can follow along: each line of the file that ``HIQL_PROGRESS`` names is an object of JSON, such as
{"label": "Fitting", "done": 3, "total": 90, "at": 1763500000.0}, where "at" is the time in seconds. A file that cannot
be written to is passed over.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

QUIET_SECONDS = 2.0
TOLD_IN = "HIQL_PROGRESS"
"""The variable of the environment that names a file for other programs to read."""


@contextmanager
def progress_bar(label: str, *, enabled: bool = True) -> Iterator[Callable[[int, int], None]]:
    """Yield ``update(done, total)``; a bar with the time left appears once two seconds have passed."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=console, transient=True
    )
    task = bar.add_task(label)
    visible = enabled and (console.is_terminal or console.is_jupyter) and not console.is_dumb_terminal
    told_in = os.environ.get(TOLD_IN) if enabled else None
    began = time.monotonic()

    def update(done: int, total: int) -> None:
        if told_in:
            tell(told_in, {"label": label, "done": done, "total": total, "at": time.time()})
        if visible and time.monotonic() - began > QUIET_SECONDS:
            bar.start()
            bar.update(task, completed=done, total=total)

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()


def tell(path: str, line: dict[str, object]) -> None:
    """Add a line of JSON to a file."""
    with suppress(OSError), open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
