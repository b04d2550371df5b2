"""A progress bar that stays out of the way: only on a terminal or notebook, and only after two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

QUIET_SECONDS = 2.0


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
    began = time.monotonic()

    def update(done: int, total: int) -> None:
        if visible and time.monotonic() - began > QUIET_SECONDS:
            bar.start()
            bar.update(task, completed=done, total=total)

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()
