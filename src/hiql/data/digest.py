"""Hashes of data and settings: what a result depends on, in a few letters."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from hiql.data.blocks import in_blocks
from hiql.data.described import about_of
from hiql.data.step_columns import SESSION_COLUMNS, STEP_COLUMNS
from hiql.data.trajectories import Trajectories


def digest_of(data: Trajectories) -> str:
    """A hash of everything that the data hold: steps, columns, sessions, names and labels; not of where they lie."""
    digest = hashlib.sha256(json.dumps(about_of(data), default=str).encode())
    for name in (*STEP_COLUMNS, *SESSION_COLUMNS, "offsets"):
        array = getattr(data, name)
        digest.update(f"{name} {None if array is None else array.shape}".encode())
        for _, (part,) in () if array is None else in_blocks(array):
            digest.update(part.tobytes())
    return digest.hexdigest()


def plain(setting: Any) -> Any:
    """A setting as JSON can hold it, that differs where the setting does: a part by its type and its own settings."""
    if setting is None or isinstance(setting, bool | int | float | str):
        return setting
    if isinstance(setting, np.generic):
        return setting.item()
    if isinstance(setting, np.ndarray):
        return [str(setting.dtype), list(setting.shape), hashlib.sha256(setting.tobytes()).hexdigest()]
    if isinstance(setting, list | tuple | set | frozenset):
        return [plain(part) for part in setting]
    if isinstance(setting, dict):
        return {str(name): plain(part) for name, part in setting.items()}
    inside = [f.name for f in fields(setting)] if is_dataclass(setting) else list(getattr(setting, "__dict__", ()))
    kind = getattr(setting, "__qualname__", type(setting).__qualname__)  # of a function its own name
    return {"type": kind} | {name: plain(getattr(setting, name)) for name in inside}
