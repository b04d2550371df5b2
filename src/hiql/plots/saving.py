"""Writing figures to disk: whole files or nothing, and the same bytes every time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from matplotlib.figure import Figure

from hiql.errors import InvalidParameter
from hiql.plots.style import style

NO_DATES: dict[str, dict[str, Any]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""What each format is told so that a file does not depend on when it was written."""


def save_figure(
    figure: Figure, path: str | os.PathLike[str], formats: Sequence[str] = ("png", "svg")
) -> tuple[Path, ...]:
    """Write ``path``.png, ``path``.svg, …; returns the files written.

    All formats are drawn into a temporary folder next to their destination first, and moved into place only
    when every one of them is complete: a failure leaves what was there before. The folder is made if needed.
    """
    unknown = [name for name in formats if name not in NO_DATES]
    if unknown:
        raise InvalidParameter(parameter="formats", value=unknown, remedy=f"choose among {', '.join(NO_DATES)}")
    destination = Path(path)
    destination.parent.mkdir(parents=True, exist_ok=True)
    names = [f"{destination.name}.{suffix}" for suffix in formats]
    with TemporaryDirectory(dir=destination.parent, prefix=".figure-") as folder, style():
        for name, suffix in zip(names, formats, strict=True):
            figure.savefig(Path(folder, name), format=suffix, metadata=NO_DATES[suffix])
        for name in names:
            os.replace(Path(folder, name), destination.with_name(name))
    return tuple(destination.with_name(name) for name in names)
