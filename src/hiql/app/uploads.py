"""Tables from a browser to the disk: as they arrive, up to a size, and nothing left of one that failed."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from pathlib import Path

from hiql.data.table_files import GZIP, PARQUET
from hiql.errors import BadTable

MEGABYTE = 1_000_000
MOST_BYTES = 500 * MEGABYTE
"""Of a table as it is sent, and as it is once unpacked."""
MOST_CELLS = 100_000_000


async def receive(chunks: AsyncIterator[bytes], path: Path, most: int = MOST_BYTES) -> int:
    """Write what arrives to ``path``; the number of bytes. An error leaves no file behind."""
    size = 0
    try:
        with path.open("xb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > most:
                    raise too_large(most)
                file.write(chunk)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if size == 0:
        path.unlink()
        raise BadTable(what="the file is empty", remedy="choose a table with a header line")
    return size


def check_unpacked(path: Path, most: int = MOST_BYTES, most_cells: int = MOST_CELLS) -> None:
    """Refuse a small file that becomes a huge one: it is unpacked to nowhere first, and counted."""
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(GZIP):
        _check_gzip(path, most)
    elif start == PARQUET:
        _check_parquet(path, most_cells)


def _check_gzip(path: Path, most: int) -> None:
    """Member by member, a megabyte at a time; what is damaged is for the reader to say."""
    size, unpacking = 0, zlib.decompressobj(wbits=31)
    with path.open("rb") as file:
        waiting = file.read(MEGABYTE)
        while waiting:
            try:
                size += len(unpacking.decompress(waiting, MEGABYTE))
            except zlib.error:
                return
            if size > most:
                raise too_large(most)
            if unpacking.eof:
                waiting = unpacking.unused_data or file.read(MEGABYTE)
                unpacking = zlib.decompressobj(wbits=31)
            else:
                waiting = unpacking.unconsumed_tail or file.read(MEGABYTE)


def _check_parquet(path: Path, most_cells: int) -> None:
    """By what its own directory says, which the reader believes, too."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:  # the reader says so
        return
    try:
        with ParquetFile(path) as file:
            cells = file.metadata.num_rows * file.metadata.num_columns
    except Exception:  # pyarrow raises what it likes on a damaged file; the reader says so
        return
    if cells > most_cells:
        remedy = "give the columns that matter, or use hiql.stream_table from Python"
        raise BadTable(what=f"the table has {cells:,} cells, more than {most_cells:,}", remedy=remedy)


def too_large(most: int) -> BadTable:
    return BadTable(
        what=f"the table is larger than {most // MEGABYTE:,} MB",
        remedy="give the columns that matter, or use the command line, which has no such limit",
    )
