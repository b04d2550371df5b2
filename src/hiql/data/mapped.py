"""Trajectories in a folder: plain .npy arrays that are mapped, not read, so that data may be larger than memory.

A folder holds ``states.npy``, ``actions.npy`` and ``next_states.npy`` (int32, one number a step), ``offsets.npy``
(int64), and ``trajectories.json`` with sizes, names and labels; where the data have them also ``intentions.npy``,
``inputs.npy`` (float64, one row a step), ``contexts.npy``, ``outcomes.npy``, and order and day of the sessions. Nothing
in it can run code.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from hiql.data.blocks import in_blocks
from hiql.data.described import about_of, checked_about
from hiql.data.step_columns import SESSION_COLUMNS, STEP_COLUMNS
from hiql.data.trajectories import Trajectories
from hiql.errors import DataFolderError, HiqlError
from hiql.files import new_folder

FORMAT = "hiql trajectories"
VERSION = 2
"""1: states and actions only. 2: inputs, contexts, outcomes, order and day, too."""
ARRAYS: dict[str, Any] = STEP_COLUMNS | SESSION_COLUMNS | {"offsets": np.int64}
NEEDED = ("states", "actions", "next_states", "offsets")
READ = ("offsets", *SESSION_COLUMNS)
"""Small arrays that are used everywhere: these are read, not mapped."""
WIDE = ("inputs", "contexts")
"""Arrays of several columns."""
ABOUT = "trajectories.json"
REWRITE = "write it again with data.save(folder) or hiql.stream_table"


def open_trajectories(folder: str | PathLike[str]) -> Trajectories:
    """Data that stay on the disk: a folder written by ``data.save(folder)`` or :func:`hiql.stream_table`.

    The arrays are mapped: they are checked once, block by block, and then read by each pass over the data. Memory does
    not grow with the number of steps in fits of :class:`hiql.HIAVI` and in ``score``. It does where the answer has
    numbers for every step (posteriors, decoded paths), in ``select``, and where an unknown world must be counted from
    the posteriors (:class:`hiql.HIQL`). Leave the folder alone while it is open.
    """
    path = Path(folder)
    if not (path / ABOUT).is_file():
        problem = f"it has no {ABOUT}" if path.is_dir() else "there is no such folder"
        raise DataFolderError(path=path, problem=problem, remedy="check the path")
    try:
        about = json.loads((path / ABOUT).read_text(encoding="utf-8"))
        _check_version(about, path)
        parts: dict[str, Any] = checked_about(about)
        written = about.get("arrays", [name for name in ARRAYS if name in NEEDED or _file(path, name).exists()])
        parts |= {name: _mapped(path, name) for name in ARRAYS if name in written}
        parts |= {name: np.array(parts[name]) for name in READ if name in parts}
        return Trajectories(**parts)
    except DataFolderError:
        raise
    except HiqlError as error:
        raise DataFolderError(path=path, problem=str(error), remedy=REWRITE) from error
    except Exception as error:  # json and numpy raise what they like on damaged files
        raise DataFolderError(path=path, problem=f"it is incomplete or damaged ({error})", remedy=REWRITE) from error


def save_trajectories(data: Trajectories, folder: str | PathLike[str]) -> None:
    """Write ``data`` to a new folder, whole or not at all."""
    with new_data_folder(folder) as place:
        for name in ARRAYS:
            array = getattr(data, name)
            if array is not None and array.size:
                with array_file(place, name, *array.shape) as file:
                    for _, (part,) in in_blocks(array):
                        file.write(part.data)
        write_about(place, about_of(data))


def new_data_folder(folder: str | PathLike[str]) -> AbstractContextManager[Path]:
    """A context in which to write the files of a folder that must not exist yet."""
    if Path(folder).exists():
        raise DataFolderError(path=folder, problem="it exists already", remedy="choose another name, or remove it")
    return new_folder(folder)


def array_file(place: Path, name: str, *shape: int) -> BinaryIO:
    """The new .npy file of an array of this shape, to which its rows can be written part by part."""
    file = _file(place, name).open("xb")
    header = {"descr": np.dtype(ARRAYS[name]).newbyteorder("<").str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file


def write_about(place: Path, about: dict[str, Any]) -> None:
    """Written last: it tells which arrays belong to the folder, so that one lost in copying is missed."""
    arrays = [name for name in ARRAYS if _file(place, name).exists()]
    kind = {"format": FORMAT, "version": VERSION, "arrays": arrays}
    (place / ABOUT).write_text(json.dumps(kind | about), encoding="utf-8")


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.npy"


def _check_version(about: Any, path: Path) -> None:
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DataFolderError(path=path, problem=f"its {ABOUT} is some other kind of file", remedy="check the path")
    if about["version"] > VERSION:
        raise DataFolderError(
            path=path,
            problem=f"it was written by a newer hiql (format {about['version']}, this one reads {VERSION})",
            remedy="upgrade hiql: pip install -U hiql",
        )


def _mapped(folder: Path, name: str) -> npt.NDArray[Any]:
    array = np.load(_file(folder, name), mmap_mode="r", allow_pickle=False)
    kind, n_axes = np.dtype(ARRAYS[name]), 2 if name in WIDE else 1
    if array.dtype != kind or array.ndim != n_axes or not array.flags.c_contiguous:
        expected = "one row a step" if name in WIDE else "one number each"
        raise ValueError(f"{name}.npy holds {array.dtype} of shape {array.shape}, not {kind}, {expected}")
    return array
