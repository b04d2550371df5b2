"""Fits in processes of their own: started, followed, stopped, and taken up again after an end that nobody wanted.

A run is the commands of a place (:mod:`hiql.app.wishes`) under a keeper (:mod:`hiql.app.keeper`). What is wanted is
kept in the place's folder, ``"wanted": "run"``, so that a server that was killed goes on when it is started again. A
keeper that was killed is started once more by itself; when that is killed, too, it is said.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from threading import Lock, Thread
from typing import Any

from hiql.app.keeper import COMMANDS, ENDED, FOUND, PROGRESS, SAID
from hiql.app.wishes import commands, wishes_in
from hiql.app.workspace import Place, Workspace, read_json, read_lines
from hiql.files import write_whole

AT_ONCE = 2
"""Runs at a time; others wait."""
KILLED = "killed"
SECONDS_TO_END = 10.0
BOXES = re.compile("[\u2500-\u257f]+")
"""What messages about options are drawn with."""


class Runs:
    """The runs of a workspace."""

    def __init__(self, workspace: Workspace, at_once: int = AT_ONCE, jobs: int = -1) -> None:
        self._workspace, self._at_once, self._jobs = workspace, at_once, jobs
        self._lock = Lock()
        self._waiting: list[str] = []
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._closed = False

    def resume(self) -> None:
        """Take up what was running when the server ended."""
        for place in reversed(self._workspace.places()):
            if place.about.get("wanted") == "run":
                place.note(resumed=True)
                self._enter(place)

    def start(self, place: Place) -> None:
        """Run the commands of what is wished for; what an earlier run has finished is not repeated."""
        for name in (ENDED, FOUND, SAID, PROGRESS):
            (place.folder / name).unlink(missing_ok=True)
        wishes = wishes_in(place.about.get("wishes", {}))
        write_whole(place.folder / COMMANDS, json.dumps(commands(place.table.name, wishes, self._jobs)))
        place.note(wanted="run", resumed=False, lives=0)
        self._enter(place)

    def stop(self, place: Place) -> None:
        """End a run; it can be taken up again."""
        place.note(wanted="stop")
        with self._lock:
            self._waiting = [key for key in self._waiting if key != place.key]
            process = self._running.get(place.key)
        if process is not None:
            _end(process)

    def close(self) -> None:
        """End all runs, as the server ends; what is wanted stays wanted."""
        with self._lock:
            self._closed = True
            self._waiting, processes = [], list(self._running.values())
        for process in processes:
            _end(process)

    def state(self, place: Place) -> dict[str, Any]:
        """``stage`` (new, waiting, running, done, stopped or failed), and what there is to say about it."""
        about, ended = place.about, read_json(place.folder / ENDED)
        with self._lock:
            is_waiting, is_running = place.key in self._waiting, place.key in self._running
        if is_waiting:
            return {"stage": "waiting", "resumed": bool(about.get("resumed"))}
        if is_running:
            return {"stage": "running", "resumed": bool(about.get("resumed")), **progress(place)}
        if "code" in ended:
            good = ended["code"] in {0, 1}
            return {"stage": "done" if good else "failed", "problem": "" if good else problem(place, ended["code"])}
        if about.get("wanted") == "run":  # it was killed more often than it is started by itself
            return {"stage": "failed", "problem": DISK_FULL if is_full(place) else WAS_KILLED, "killed": True}
        return {"stage": "stopped" if about.get("wanted") == "stop" else "new"}

    # --- processes ------------------------------------------------------------------------------------------

    def _enter(self, place: Place) -> None:
        with self._lock:
            if place.key not in self._waiting and place.key not in self._running:
                self._waiting.append(place.key)
        self._advance()

    def _advance(self) -> None:
        """Start what waits, as far as there is room."""
        with self._lock:
            while self._waiting and len(self._running) < self._at_once and not self._closed:
                place = self._workspace.place(self._waiting.pop(0))
                if place is not None:
                    process = self._running[place.key] = _keeper(place)
                    Thread(target=self._follow, args=(place, process), daemon=True).start()

    def _follow(self, place: Place, process: subprocess.Popen[bytes]) -> None:
        """Until the keeper ends; one that was killed by somebody else gets a second life."""
        _wait(process)
        _end(process)  # and whatever it had started
        again = False
        with suppress(OSError):  # a full disk, or a folder that is gone
            wanted = place.about.get("wanted") == "run" and not self._closed
            if (place.folder / ENDED).exists():
                place.note(wanted="nothing")
            elif wanted and place.about.get("lives", 0) < 1:
                place.note(lives=1, resumed=True)
                again = True
        with self._lock:
            del self._running[place.key]
            if again:
                self._waiting.insert(0, place.key)
        self._advance()


WAS_KILLED = (
    "The work was ended from outside, twice: most likely memory ran out. What was finished is kept. Close other "
    "programs, or try fewer and smaller candidates, and go on."
)


def progress(place: Place) -> dict[str, Any]:
    """How far a run is: fits done and in all, and seconds left as far as one can tell."""
    lines = [line for line in read_lines(place.folder / PROGRESS) if {"done", "total"} <= set(line)]
    if not lines:
        return {"done": 0, "total": 0}
    last = lines[-1]
    first = next(line for line in lines if line["total"] == last["total"])
    done, total = int(last["done"]), int(last["total"])
    fresh = done - int(first["done"])
    left = (time.time() - first.get("at", 0)) / fresh * (total - done) if fresh > 0 else None
    return {"done": done, "total": total, "left": left}


def problem(place: Place, code: int) -> str:
    """What the command said when it ended badly."""
    said = (place.folder / SAID).read_text(encoding="utf-8", errors="replace") if (place.folder / SAID).exists() else ""
    last = next((line for line in reversed(said.splitlines()) if line.startswith("Error")), "")
    if is_full(place):  # then there was no room for what the command had to say
        return DISK_FULL
    text = last.removeprefix("Error:") or BOXES.sub(" ", said[-1000:]) or f"It ended with exit code {code}."
    return " ".join(text.split())


DISK_FULL = "The disk is full. What was finished is kept: make room, and go on."
LEAST_ROOM = 1_000_000
"""Bytes without which no result can be written."""


def is_full(place: Place) -> bool:
    """Whether the disk of a table's folder has no room left."""
    return shutil.disk_usage(place.folder).free < LEAST_ROOM


def _keeper(place: Place) -> subprocess.Popen[bytes]:
    """It leads a group of its own, and ends when we do: the other end of its standard input is ours."""
    arguments = [sys.executable, "-m", "hiql.app.keeper", str(place.folder.absolute())]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, start_new_session=True)


def _wait(process: subprocess.Popen[bytes]) -> None:
    """Until a keeper has ended; its number is not given to another process before :func:`_end` is through."""
    if hasattr(os, "waitid"):
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a keeper and all that it started."""
    if process.returncode is None and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(OSError):
        process.kill()
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS_TO_END)
