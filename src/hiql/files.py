"""Files are written whole or not at all."""

from __future__ import annotations

import os
import uuid
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
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return target
