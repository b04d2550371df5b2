"""Decoded steps as a file: CSV, TSV, Parquet or NWB, by the name it is given."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.errors import InvalidParameter, MissingExtra
from hiql.export.nwb import write_nwb
from hiql.files import write_whole


def write_steps(
    path: Path, steps: pd.DataFrame, about: str = "", times: npt.NDArray[np.float64] | None = None
) -> list[Path]:
    """Write a table of :func:`decoding_table`, whole or not at all; the files written are returned.

    The ending of ``path`` chooses the format. ``about`` and ``times`` (N,), seconds of each row, serve NWB only.
    """
    if path.suffix.lower() == ".nwb":
        return write_nwb(path, steps, about, times)
    return [write_table(path, steps, or_else=", .nwb")]


def write_table(path: Path, table: pd.DataFrame, or_else: str = "") -> Path:
    """Write any table, whole or not at all; the ending of ``path`` chooses the format."""
    for ending, encoded in FORMATS.items():
        if path.name.lower().endswith(ending):
            return write_whole(path, encoded(table))
    remedy = f"let it end in {', '.join(FORMATS)}{or_else}"
    raise InvalidParameter(parameter="output file", value=str(path), remedy=remedy)


def _csv(steps: pd.DataFrame) -> bytes:
    return steps.to_csv(index=False).encode()


def _parquet(steps: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    try:
        steps.to_parquet(buffer, index=False)
    except ImportError as error:
        raise MissingExtra(what="writing Parquet files", extra="parquet") from error
    return buffer.getvalue()


FORMATS: dict[str, Callable[[pd.DataFrame], bytes]] = {
    ".csv": _csv,
    ".csv.gz": lambda steps: gzip.compress(_csv(steps), mtime=0),
    ".tsv": lambda steps: steps.to_csv(index=False, sep="\t").encode(),
    ".parquet": _parquet,
}
