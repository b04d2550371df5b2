"""A function for the process that reads, which imports next to nothing."""

from __future__ import annotations

import os
import signal
import time


def odd(path, wanted):
    """Reads, dies or sleeps, as the path says."""
    if path == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if path == "sleep":
        time.sleep(60)
    if path == "who":
        return {"error": str(os.getpid())}
    return {"error": "", "rows": len(path)}
