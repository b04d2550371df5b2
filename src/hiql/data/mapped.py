"""Trajectories in a folder: plain .npy arrays that are mapped, not read, so that data may be larger than memory.

A folder holds ``states.npy``, ``actions.npy`` and ``next_states.npy`` (int32, one number a step), ``offsets.npy``
(int64), perhaps ``intentions.npy``, and ``trajectories.json`` with sizes, names and labels. Nothing in it can run code.
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
from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.errors import DataFolderError, HiqlError
from hiql.files import new_folder

FORMAT = "hiql trajectories"
VERSION = 1
ARRAYS: dict[str, Any] = dict.fromkeys(("states", "actions", "next_states", "intentions"), np.int32)
ARRAYS["offsets"] = np.int64
OPTIONAL = "intentions"
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
        parts: dict[str, Any] = _checked(about)
        written = about.get("arrays", [name for name in ARRAYS if name != OPTIONAL or _file(path, name).exists()])
        parts |= {name: _mapped(_file(path, name), kind) for name, kind in ARRAYS.items() if name in written}
        parts["offsets"] = np.array(parts["offsets"])  # small, and used everywhere: this one is read
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
        for name, kind in ARRAYS.items():
            array = getattr(data, name)
            if array is not None:
                with array_file(_file(place, name), len(array), kind) as file:
                    for _, (part,) in in_blocks(array):
                        file.write(part.data)
        write_about(place, Coding.of(data), data.session_names, data.subjects)


def new_data_folder(folder: str | PathLike[str]) -> AbstractContextManager[Path]:
    """A context in which to write the files of a folder that must not exist yet."""
    if Path(folder).exists():
        raise DataFolderError(path=folder, problem="it exists already", remedy="choose another name, or remove it")
    return new_folder(folder)


def array_file(path: Path, length: int, kind: npt.DTypeLike = np.int32) -> BinaryIO:
    """A new .npy file of ``length`` numbers, to which they can be written part by part."""
    file = path.open("xb")
    header = {"descr": np.dtype(kind).newbyteorder("<").str, "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_1_0(file, header)
    return file


def write_about(place: Path, coding: Coding, session_names: tuple[str, ...], subjects: tuple[str, ...]) -> None:
    """Written last: it tells which arrays belong to the folder, so that one lost in copying is missed."""
    about = {
        "format": FORMAT,
        "version": VERSION,
        "n_states": coding.n_states,
        "n_actions": coding.n_actions,
        "state_labels": coding.state_labels,
        "action_labels": coding.action_labels,
        "session_names": session_names,
        "subjects": subjects,
        "arrays": [name for name in ARRAYS if _file(place, name).exists()],
    }
    (place / ABOUT).write_text(json.dumps(about), encoding="utf-8")


def _check_version(about: Any, path: Path) -> None:
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DataFolderError(path=path, problem=f"its {ABOUT} is some other kind of file", remedy="check the path")
    if about["version"] > VERSION:
        raise DataFolderError(
            path=path,
            problem=f"it was written by a newer hiql (format {about['version']}, this one reads {VERSION})",
            remedy="upgrade hiql: pip install -U hiql",
        )


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.npy"


def _mapped(path: Path, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.dtype != kind or array.ndim != 1:
        raise ValueError(f"{path.name} holds {array.dtype} of shape {array.shape}, not {np.dtype(kind)}, one a step")
    return array


def _checked(about: dict[str, Any]) -> dict[str, Any]:
    """Sizes, names and labels, if they are of the right kinds."""
    sizes = {name: about[name] for name in ("n_states", "n_actions")}
    names = {name: about[name] for name in ("session_names", "subjects")}
    labels = {name: about[name] for name in ("state_labels", "action_labels")}
    sound = all(type(size) is int and size < 2**31 for size in sizes.values())
    sound &= all(isinstance(name, list) and all(isinstance(n, str) for n in name) for name in names.values())
    sound &= all(
        label is None or (isinstance(label, list) and all(isinstance(one, str | int | float) for one in label))
        for label in labels.values()
    )
    if not sound:
        raise ValueError(f"sizes, names or labels in {ABOUT} are of the wrong kind")
    same: dict[str, str] = {}  # one string for all sessions of a subject
    names["subjects"] = [same.setdefault(name, name) for name in names["subjects"]]
    tuples = {name: None if values is None else tuple(values) for name, values in (names | labels).items()}
    return sizes | tuples
