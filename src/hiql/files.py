"""Files and folders are written whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path


def write_whole(path: str | PathLike[str], content: bytes | str) -> Path:
    """Write ``content`` to a temporary file beside ``path``, then rename it into place; folders are made."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in FULL:
            raise OSError(error.errno, NO_ROOM, str(target)) from error
        raise
    return target


FULL = {errno.ENOSPC, errno.EDQUOT}
NO_ROOM = "The disk is full; make room and do the same again, what is finished is kept. Not written"


@contextmanager
def new_folder(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary folder beside ``path`` to write files into; it gets its name when all of them are on the disk."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    temporary.mkdir()
    try:
        yield temporary
        for file in temporary.iterdir():
            with file.open("rb+") as written:
                os.fsync(written.fileno())
        os.rename(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def remove_leftovers(folder: Path, older_than: float = 3600.0) -> None:
    """Remove the temporary files that a kill left behind; younger ones (in seconds) may belong to a live run."""
    for path in folder.glob(".*"):
        if LEFTOVER.fullmatch(path.name):
            with suppress(OSError):  # another run may be tidying too, or the folder is not ours to tidy
                if time.time() - path.stat().st_mtime > older_than:
                    path.unlink()


LEFTOVER = re.compile(r"\..+\.[0-9a-f]{32}")
"""The name of a temporary file of :func:`write_whole`."""
