"""``python -m hiql.app.keeper FOLDER``: runs the commands of a folder, one after another, and dies with whoever asked.

``commands.json`` lists the commands, each a list of arguments for ``hiql``. Standard input is a line to the parent:
when it closes, because the parent stopped us or was killed, the keeper and all that it started end at once. What is
finished stays on the disk, and the same commands go on from there. ``ended.json`` says how it went.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import NoReturn

from hiql.files import write_whole
from hiql.progress import TOLD_IN

COMMANDS, ENDED, PROGRESS, SAID = "commands.json", "ended.json", "progress.jsonl", "said.log"
FOUND = "found.json"
"""What the first command prints: one document."""


def main(folder: Path) -> int:
    """Run until a command ends badly; exit code 1 (done, but some fits failed) is none of those."""
    Thread(target=_end_with_parent, daemon=True).start()
    commands = json.loads((folder / COMMANDS).read_text(encoding="utf-8"))
    code = 0
    for number, arguments in enumerate(commands):
        code = run(folder, arguments, FOUND if number == 0 else os.devnull)
        if code not in {0, 1}:
            break
    with suppress(OSError):  # a full disk: the page sees that it is, and goes on from what is kept
        write_whole(folder / ENDED, json.dumps({"code": code}))
    return code


def run(folder: Path, arguments: list[str], output: str) -> int:
    """One command in the folder; its errors are kept, and its output replaces what an earlier run left."""
    environment = os.environ | {TOLD_IN: str((folder / PROGRESS).absolute()), "PYTHONUTF8": "1", "COLUMNS": "1000"}
    with open(folder / output, "wb") as found, open(folder / SAID, "wb") as said:
        return subprocess.call(
            [sys.executable, "-m", "hiql.cli", *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=found,
            stderr=said,
        )


def _end_with_parent() -> None:
    """Wait until nobody holds the other end of standard input."""
    os.read(0, 1)
    end_group()


def end_group() -> NoReturn:
    """Kill the group that this process leads, itself included; where there are no groups, itself."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
