"""A measurement in a process of its own: its peak memory is its own, and a time limit can end it."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def apart(target: Callable[..., None], *arguments: Any, seconds: float) -> Any:
    """What ``target(*arguments, pipe)`` sends through the pipe; None if it takes longer than ``seconds`` or dies.

    Libraries for linear algebra are held to one thread there.
    """
    os.environ |= ONE_THREAD  # the new process inherits it; here the libraries are loaded already
    ours, theirs = get_context("spawn").Pipe(duplex=False)
    process = get_context("spawn").Process(target=target, args=(*arguments, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()
