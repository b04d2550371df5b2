"""Saving and loading fitted models: a versioned zip of JSON and arrays. Nothing in it can run code.

``model.json`` is a tree of plain values; arrays stand in it as ``{"array": name}`` and lie beside it as .npy files;
objects of the package stand in it as ``{"type": name, "fields": {…}}``, and only registered types come back.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
import zlib
from dataclasses import fields, is_dataclass
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from hiql.choices.table import Policies
from hiql.data.coding import Coding
from hiql.data.memory import Memory
from hiql.dynamics.markov import ChainParameters
from hiql.engine.problem import Point
from hiql.engine.search import Attempt, Restarts
from hiql.errors import HiqlError, InvalidNumberOfIntentions, InvalidParameter, ModelFileError
from hiql.files import write_whole
from hiql.models import GLMHMM, HIAVI, HIQL, IntentionModel
from hiql.models.kept_draws import packed_draws, unpacked_draws
from hiql.models.settings import checked_search
from hiql.parts.registry import KINDS, register
from hiql.worlds.mdp import MDP, World

FORMAT = "hiql model"
VERSION = 2
"""1: codes of states and actions only, and a Markov chain. 2: columns, their scales, and subjects; any parts."""
MOST_BYTES = 2**31
"""Unpacked size above which a file is refused unless ``load(..., max_bytes=…)`` allows it."""
TEXT_SHARE = 16
"""JSON may take a 16th of that: as Python objects it grows by about as much."""
ENTRY = re.compile(r"model\.json|array[0-9]+\.npy")
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Those whose unpacking stops where we say; a short bzip2 or LZMA stream could fill the memory in one step."""
PREFERENCE = ("reward_", "q_", "value_")
FITTED = (
    *("n_free_", "log_likelihood_", "objective_", "trace_", "n_iter_", "converged_", "share_", "notes_"),
    *("coding_", "about_"),
)

for _kind in (MDP, World, Attempt, Restarts, Coding, Memory):
    register(_kind)
MODELS = {kind.__name__: kind for kind in (IntentionModel, HIAVI, HIQL, GLMHMM)}


# --- writing --------------------------------------------------------------------------------------------------


def save_model(model: IntentionModel, path: str | PathLike[str]) -> None:
    """Write a fitted model, whole or not at all."""
    if len(model.share_) != model.n_intentions_:
        raise InvalidNumberOfIntentions(
            n_intentions=model.n_intentions_, remedy=f"the fit has {len(model.share_)}; fit again before saving"
        )
    arrays: dict[str, np.ndarray] = {}
    document = {
        "format": FORMAT,
        "version": VERSION,
        "model": type(model).__name__,
        "parameters": _pack(model.get_params(deep=False), arrays),
        "dynamics_parameters": _pack(model.dynamics_parameters_, arrays),
        "choice_parameters": _pack(model.choice_parameters_, arrays),
        "preference": _pack([getattr(model, name, None) for name in PREFERENCE], arrays),
        "restarts": _pack(model.restarts_, arrays),
        "fitted": _pack({name: getattr(model, name) for name in FITTED}, arrays),
        "draws": _pack(packed_draws(model), arrays),
        "evidence": _pack(getattr(model, "evidence_", None), arrays),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps(document, indent=1))
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    write_whole(path, buffer.getvalue())


def _pack(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """A JSON tree for ``value``; its arrays are put into ``arrays``."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, float | np.floating):
        return {"float": repr(float(value))} if not math.isfinite(value) else float(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.ndarray):
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if sparse.issparse(value):
        csr = sparse.csr_array(value)
        return {"sparse": [_pack(part, arrays) for part in (csr.data, csr.indices, csr.indptr, list(csr.shape))]}
    if type(value).__name__ in KINDS:
        return {
            "type": type(value).__name__,
            "fields": {k: _pack(v, arrays) for k, v in _fields(value).items()},
        }
    if isinstance(value, list | tuple):
        return {"tuple": [_pack(item, arrays) for item in value]}
    if isinstance(value, dict):
        return {"dict": {str(k): _pack(v, arrays) for k, v in value.items()}}
    raise InvalidParameter(
        parameter="a part of the model that cannot be saved",
        value=type(value).__name__,
        remedy="make it a dataclass and pass the class to hiql.models.persistence.register",
    )


def _fields(value: Any) -> dict[str, Any]:
    if is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in fields(value) if f.init}
    return dict(value._asdict())


# --- reading --------------------------------------------------------------------------------------------------


def load(path: str | PathLike[str], *, max_bytes: int = MOST_BYTES) -> IntentionModel:
    """Read a model written by ``model.save(path)``.

    Files from others are safe to open: nothing in them is run or written to disk, only types of this package (and
    those you registered) come back, and memory stays within a small multiple of ``max_bytes``.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_entries(archive.infolist(), max_bytes, path)
            document = json.loads(_read_entry(archive, "model.json"))
            return _restore(document, Arrays(archive), path)
    except HiqlError as error:
        raise (error if isinstance(error, ModelFileError) else ModelFileError(path=path, problem=str(error))) from error
    except FileNotFoundError:
        raise ModelFileError(path=path, problem="there is no such file", remedy="check the path") from None
    except IsADirectoryError:
        raise ModelFileError(path=path, problem="it is a folder", remedy="give the file in it") from None
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError) as error:
        raise ModelFileError(path=path, problem=f"it is truncated or not a model file ({error})") from error
    except Exception as error:  # json, zipfile and numpy raise what they like on what is no model
        raise ModelFileError(path=path, problem=f"its content is not what a model holds ({error!r})") from error


def _check_entries(entries: list[zipfile.ZipInfo], max_bytes: int, path: Any) -> None:
    """Refuse, before anything is unpacked, what is too large or not of the kind that ``save_model`` writes."""
    size = sum(entry.file_size for entry in entries)
    size = max(size, *(TEXT_SHARE * entry.file_size for entry in entries if entry.filename == "model.json"), 0)
    if size > max_bytes:
        remedy = f"pass max_bytes={size} if you trust it"
        raise ModelFileError(path=path, problem=f"it unpacks to {size} bytes", remedy=remedy)
    names: set[str] = set()
    for entry in entries:
        if entry.filename in names or not ENTRY.fullmatch(entry.filename) or entry.compress_type not in PACKINGS:
            raise ModelFileError(path=path, problem=f"its entry {entry.filename[:80]!r} is not one that a model has")
        names.add(entry.filename)


def _restore(document: dict[str, Any], arrays: Arrays, path: Any) -> IntentionModel:
    if document.get("format") != FORMAT:
        raise ModelFileError(path=path, problem="it is some other kind of file")
    if document["version"] > VERSION:
        raise ModelFileError(
            path=path,
            problem=f"it was written by a newer hiql (format {document['version']}, this one reads {VERSION})",
            remedy="upgrade hiql: pip install -U hiql",
        )
    model = MODELS[document["model"]](**_unpack(document["parameters"], arrays))
    preference = _unpack(document["preference"], arrays)
    point = _point(document, preference, arrays)
    model.restarts_ = _unpack(document["restarts"], arrays)
    fitted = _unpack(document["fitted"], arrays)
    for name in FITTED:
        setattr(model, name, fitted[name])
    if (evidence := _unpack(document.get("evidence"), arrays)) is not None:
        model.evidence_ = evidence
    model.n_states_, model.n_actions_ = model.coding_.n_states, model.coding_.n_actions
    _check_fit(model, path)
    data = model.coding_.example(model.n_intentions_)  # the least that could be fitted
    checked_search(model, data, model.n_intentions_)
    problem = model._problem(data)
    model._check_parts(problem)
    for part, params in zip(problem.parts, point, strict=True):
        part.check_params(params, data, model.n_intentions_)
    model._set_parameters(point)
    _set_preference(model, preference[: len(PREFERENCE)], path)
    model._log_likelihood(data)
    if (draws := _unpack(document.get("draws"), arrays)) is not None:
        model.posterior_ = unpacked_draws(model, draws, data)
    return model


def _point(document: dict[str, Any], preference: Any, arrays: Arrays) -> Point:
    """The parameters of both parts. The first release had no parts: a tuple for a Markov chain, and log-policies."""
    dynamics = _unpack(document["dynamics_parameters"], arrays)
    if document["version"] > 1:
        return Point(dynamics, _unpack(document["choice_parameters"], arrays))
    log_initial, log_transition = dynamics
    bank = log_transition.reshape(-1, *log_transition.shape[-2:])
    return Point(ChainParameters(log_initial[None], bank), Policies(preference[-1]))


def _set_preference(model: IntentionModel, preference: Any, path: Any) -> None:
    """Rewards, action values and values of states, if the model has any."""
    shape = (model.n_intentions_, model.n_states_, model.n_actions_)
    for name, array, wanted in zip(PREFERENCE, preference, (shape, shape, shape[:2]), strict=True):
        if array is None and model._reward() is None:
            continue
        if not (array.dtype == np.float64 and array.shape == wanted and np.isfinite(array).all()):
            raise ModelFileError(path=path, problem="its arrays have the wrong shape, type or values")
        setattr(model, name, array)


def _check_fit(model: IntentionModel, path: Any) -> None:
    """The record of the fit holds numbers where it should."""
    numbers = [model.n_free_, model.log_likelihood_, model.objective_, model.n_iter_, getattr(model, "evidence_", 0.0)]
    for attempt in model.restarts_.attempts:
        numbers += [attempt.objective, attempt.n_passes]
    sound = all(isinstance(number, int | float) for number in numbers) and isinstance(model.converged_, bool)
    sound &= model.share_.shape == (model.n_intentions_,) and model.trace_.ndim == 1
    sound &= bool(np.isfinite(model.share_).all() and (np.array([*model.trace_, *numbers]) < np.inf).all())
    sound &= all(isinstance(note, str) for note in model.notes_) and isinstance(model.about_, dict)
    labels = (model.coding_.state_labels, model.n_states_), (model.coding_.action_labels, model.n_actions_)
    for names, size in labels:
        sound &= names is None or (len(names) == size and all(isinstance(name, str | int | float) for name in names))
    if not sound:
        raise ModelFileError(path=path, problem="its record of the fit has the wrong types or values")


class Arrays:
    """The arrays of an open archive. Each belongs to one place: a small file cannot ask for endless copies."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._taken: set[str] = set()

    def take(self, name: str) -> np.ndarray:
        if name in self._taken:
            raise ValueError(f"array {name} is used twice")
        self._taken.add(name)
        return _read_array(self._archive, name)


def _unpack(tree: Any, arrays: Arrays) -> Any:
    if not isinstance(tree, dict):
        return tree
    ((kind, content), *more) = tree.items()
    if kind == "float":
        return float(content)
    if kind == "array":
        return arrays.take(content)
    if kind == "sparse":
        data, indices, indptr, shape = (_unpack(part, arrays) for part in content)
        matrix = sparse.csr_array((data, indices, indptr), shape=tuple(shape))
        matrix.check_format(full_check=True)  # the compiled routines trust the indices
        return matrix
    if kind == "tuple":
        return tuple(_unpack(item, arrays) for item in content)
    if kind == "dict":
        return {name: _unpack(item, arrays) for name, item in content.items()}
    values = {name: _unpack(item, arrays) for name, item in dict(more)["fields"].items()}
    if content not in KINDS:
        remedy = "if it is a class of your own, pass it to hiql.models.persistence.register before loading"
        raise InvalidParameter(parameter="the type of one of its parts", value=content, remedy=remedy)
    return KINDS[content](**values)


def _read_entry(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of an entry; no more of them are unpacked than the archive declares."""
    entry = archive.getinfo(name)
    with archive.open(entry) as file:
        return file.read(entry.file_size)


def _read_array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """An array, after checking that its header describes the bytes that are there."""
    file = io.BytesIO(_read_entry(archive, f"{name}.npy"))
    version = np.lib.format.read_magic(file)
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = reader(file)
    if dtype.kind not in "biuf" or math.prod(shape) * dtype.itemsize + file.tell() != len(file.getbuffer()):
        raise ValueError(f"array {name} is not {shape} numbers of type {dtype}")
    file.seek(0)
    return np.load(file, allow_pickle=False)
