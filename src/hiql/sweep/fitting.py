"""One fit of a sweep: to all sessions, or to all but those of a fold, which it is then judged on."""

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
from hiql.models.scoring import taken_proba
from hiql.sweep.plan import ALL_SESSIONS, Source, folds_of

MOST_COMPARED = 50_000
"""Paths are compared between fits on this many steps at most, evenly chosen."""


def fit_unit(source: Source, unit: Mapping[str, Any]) -> dict[str, Any]:
    """Fit and judge: plain values, small enough for a file of its own."""
    data = source.data[unit["history"]]
    fold = None if unit["fold"] is ALL_SESSIONS else folds_of(data, unit)[unit["fold"]]
    train = data if fold is None else data.select(fold.train)
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
        "held_out": {} if fold is None else held_out_sessions(model, data, fold.test),
    }


def bic_of(model: IntentionModel, data: Trajectories) -> float | None:
    """None where there is none."""
    try:
        return float(model.bic(data))
    except ParametersNotCounted:
        return None


def held_out_sessions(model: IntentionModel, data: Trajectories, sessions: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Log-likelihood and observed steps of each held-out session: log p(a_1…a_T) = Σ_t log p(a_t | past)."""
    test = data.select(sessions)
    taken = taken_proba(model, test)
    seen = ~np.isnan(taken)
    of = test.session_of_step[seen]
    return {
        "sessions": sessions.tolist(),
        "log_likelihood": np.bincount(of, np.log(taken[seen]), minlength=test.n_sessions).tolist(),
        "steps": np.bincount(of, minlength=test.n_sessions).tolist(),
    }


def compared_steps(data: Trajectories) -> npt.NDArray[np.int64]:
    """The steps on which decoded paths of different fits are compared."""
    return np.linspace(0, data.n_steps - 1, min(data.n_steps, MOST_COMPARED)).astype(np.int64)


def pack_path(path: npt.NDArray[np.int64]) -> str:
    """A path of intentions as short text."""
    return base64.b64encode(zlib.compress(path.astype(np.uint16).tobytes())).decode()


def unpack_path(text: str) -> npt.NDArray[np.int64]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint16).astype(np.int64)
