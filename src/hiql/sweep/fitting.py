"""One fit of a sweep: to all the data, or to all but those of a fold, which it is then judged on."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import ParametersNotCounted
from hiql.models import IntentionModel
from hiql.sweep.holding_out import held_out
from hiql.sweep.plan import ALL_SESSIONS, Source

MOST_COMPARED = 50_000
"""Paths are compared between fits on this many steps at most, evenly chosen."""


def fit_unit(source: Source, unit: Mapping[str, Any]) -> dict[str, Any]:
    """Fit and judge: plain values, small enough for a file of its own."""
    data = source.data[unit["history"]]
    hidden = None if unit["fold"] is ALL_SESSIONS else held_out(data, unit)
    train = data if hidden is None else hidden.train
    model = source.model(unit).fit(train)
    return {
        "objective": model.objective_,
        "train": model.score(train, per="step"),
        "bic": bic_of(model, train),
        "n_free": model.n_free_,
        "evidence": getattr(model, "evidence_", None),
        "converged": model.converged_,
        "notes": list(model.notes_),
        "decoded": pack_path(model.decode(data)[compared_steps(data)]),
        "held_out": {} if hidden is None else hidden.judge(model),
    }


def bic_of(model: IntentionModel, data: Trajectories) -> float | None:
    """None where there is none."""
    try:
        return float(model.bic(data))
    except ParametersNotCounted:
        return None


def compared_steps(data: Trajectories) -> npt.NDArray[np.int64]:
    """The steps on which decoded paths of different fits are compared."""
    return np.linspace(0, data.n_steps - 1, min(data.n_steps, MOST_COMPARED)).astype(np.int64)


def pack_path(path: npt.NDArray[np.int64]) -> str:
    """A path of intentions as short text."""
    return base64.b64encode(zlib.compress(path.astype(np.uint16).tobytes())).decode()


def unpack_path(text: str) -> npt.NDArray[np.int64]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint16).astype(np.int64)
