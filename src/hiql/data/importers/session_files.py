"""What all importers of session files share: finding the files, naming what is wrong, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path

import pandas as pd

from hiql.errors import BadSessionFile, EmptyData

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]
"""One file, a folder (searched with its subfolders), or several of either."""


def read_sessions(paths: Paths, suffix: str, read: Callable[[Path], pd.DataFrame]) -> pd.DataFrame:
    """The trial tables of all files, one after another; raises before it returns anything if one is bad.

    ``read`` returns a table with columns subject and session; a session may come from one file only.
    """
    tables: list[pd.DataFrame] = []
    source: dict[tuple[str, str], Path] = {}
    for path in session_files(paths, suffix):
        table = read(path)
        subject, session = str(table["subject"].iloc[0]), str(table["session"].iloc[0])
        earlier = source.setdefault((subject, session), path)
        if earlier != path:
            raise BadSessionFile(
                path=str(path),
                problem=f"session {session!r} of subject {subject!r} was already read from {earlier}",
                remedy="give each session once, or correct the name in one of the files",
            )
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def session_files(paths: Paths, suffix: str) -> list[Path]:
    """The files meant by ``paths``, each once; those of a folder in order of their names."""
    given = [paths] if isinstance(paths, str | PathLike) else list(paths)
    found: dict[Path, None] = {}
    for path in map(Path, given):
        files = sorted(path.rglob(f"*{suffix}")) if path.is_dir() else [path]
        if not files:
            raise EmptyData(what=f"the folder {path} holds no {suffix} file", remedy="give the folder of the sessions")
        for file in files:
            if not file.is_file():
                raise BadSessionFile(path=str(file), problem="there is no such file", remedy="check the path")
            found[file] = None
    if not found:
        raise EmptyData(what="no session file was given", remedy="give a file, several, or a folder")
    return list(found)
