"""Files in, raw tables out: delimited text or Parquet, gzipped or not, told apart by their bytes, not their names."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from hiql.errors import BadTable, HiqlError

GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
FOREIGN = {
    b"PK\x03\x04": "a zip archive, as Excel workbooks are",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x89HDF": "an HDF5 file",
}
WIDE = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",  # Excel's "Unicode text"
    codecs.BOM_UTF16_BE: "utf-16",
}
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""Bytes that no text holds, and that damaged files are full of."""
LEADING_ZERO = re.compile(rb"(?:^|[,;\t|\r\n\"])0[0-9]")
AS_TEXT = "save it as a CSV in UTF-8 with one header line (in Excel: CSV UTF-8)"
UNREADABLE = (ValueError, OSError, EOFError, zlib.error, MemoryError)
EXACT_BELOW = 2.0**53


def load_table(path: str | PathLike[str]) -> pd.DataFrame:
    """The raw table of a file. The delimiter is found from the first lines; column names lose outer spaces."""
    path = Path(path)
    if not path.is_file():
        what = f"{path} is a folder, not a file" if path.is_dir() else f"there is no file {path}"
        raise BadTable(what=what, remedy="check the path")
    try:
        content = path.read_bytes()
        if content.startswith(GZIP):
            content = gzip.decompress(content)
        return _read_parquet(path, content) if content.startswith(PARQUET) else _read_text(path, content)
    except HiqlError:
        raise
    except UNREADABLE as error:
        problem = str(error).removeprefix("Error tokenizing data. C error: ").strip() or type(error).__name__
        raise BadTable(
            what=f"{path} is not a readable table ({problem})", remedy=f"correct it or copy it again, or {AS_TEXT}"
        ) from error


def _read_parquet(path: Path, content: bytes) -> pd.DataFrame:
    try:
        table = pd.read_parquet(io.BytesIO(content))
        rounded = _rounded(table)
        if rounded:
            table[rounded] = pd.read_parquet(io.BytesIO(content), columns=rounded, dtype_backend="numpy_nullable")
        return table
    except ImportError as error:
        raise BadTable(
            what=f"reading {path} needs pyarrow", remedy='install it with: pip install "hiql[parquet]"'
        ) from error
    except Exception as error:  # pyarrow raises what it likes on a damaged file
        raise BadTable(
            what=f"{path} is cut off or damaged: it begins like a Parquet file but is none ({error})",
            remedy="write it again",
        ) from error


def _read_text(path: Path, content: bytes) -> pd.DataFrame:
    content = _utf8(path, content)
    lines = [line for line in re.split(rb"[\r\n]+", content[:1_000_000]) if line.strip()][:2]
    if not lines:
        raise BadTable(what=f"{path} is empty", remedy=AS_TEXT)
    # A comma inside a name, or a decimal comma in a cell, is not in both of the first lines.
    delimiter = max(",;\t|", key=lambda d: (min(line.count(d.encode()) for line in lines), lines[0].count(d.encode())))
    # low_memory=False: otherwise a column's type is guessed anew for every part of a long file.
    table = pd.read_csv(io.BytesIO(content), sep=delimiter, low_memory=False)
    header = lines[0].decode()[:80]
    if not isinstance(table.index, pd.RangeIndex):
        raise BadTable(
            what=f"the rows of {path} have more cells than its header line, {header!r}",
            remedy="begin the file with the header, give every column a name, and end no line with a delimiter",
        )
    if table.shape[1] < 2:
        raise BadTable(
            what=f"{path} has a single column, {header!r}",
            remedy="separate the columns by commas, semicolons, tabs or |, and name them in the first line",
        )
    rounded, alike = _rounded(table), _perhaps_alike(table, content)
    if rounded or alike:
        written = pd.read_csv(io.BytesIO(content), sep=delimiter, usecols=[*rounded, *alike], dtype=str)
        kept = [*rounded, *(name for name in alike if written[name].nunique() > table[name].nunique())]
        table[kept] = written[kept]
    # The names as written: pandas would call a second "state" column "state.1".
    named = pd.read_csv(io.BytesIO(content), sep=delimiter, header=None, nrows=1, dtype=str, keep_default_na=False)
    return table.set_axis(named.iloc[0].str.strip(), axis="columns")


def _utf8(path: Path, content: bytes) -> bytes:
    """Text as UTF-8 without a byte-order mark; an error that says what else the file is."""
    for magic, kind in FOREIGN.items():
        if content.startswith(magic):
            raise BadTable(what=f"{path} is {kind}, not a text file", remedy=AS_TEXT)
    encoding = next((name for mark, name in WIDE.items() if content.startswith(mark)), "utf-8-sig")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        kind = encoding.removesuffix("-sig").upper()
        raise _foreign_byte(path, content, error.start, f"is not {kind} text") from error
    content = text.encode()
    control = CONTROL.search(content)
    if control is not None:
        raise _foreign_byte(path, content, control.start(), "is damaged, or no text file")
    return content


def _foreign_byte(path: Path, content: bytes, at: int, problem: str) -> BadTable:
    line = content.count(b"\n", 0, at) + 1
    return BadTable(what=f"{path} {problem} (byte 0x{content[at]:02x}, line {line})", remedy=AS_TEXT)


def _perhaps_alike(table: pd.DataFrame, content: bytes) -> list[str]:
    """Columns of numbers that may have been written in more ways than one: sessions 1.1 and 1.10, states 01 and 1."""
    floats = table.select_dtypes("floating")
    fractional = floats.columns[(floats % 1 > 0).any().to_numpy()]
    padded = table.select_dtypes("number").columns if LEADING_ZERO.search(content) else []
    return [str(name) for name in dict.fromkeys([*fractional, *padded])]


def _rounded(table: pd.DataFrame) -> list[str]:
    """Columns in which whole numbers with gaps among them became floats too large to be exact."""
    floats = table.select_dtypes("floating")
    largest = floats.abs().replace(np.inf, np.nan).max()
    return [str(name) for name in floats.columns[(largest >= EXACT_BELOW).to_numpy()]]
