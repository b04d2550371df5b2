"""What units of several experiments do: fit a model to one side of a split, and score both."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.leaking import leaking_score
from hiql.models import IntentionModel

M = TypeVar("M")


def timed(fit: Callable[[], M]) -> tuple[M, float]:
    """What ``fit`` returns, and the seconds it took."""
    began = time.perf_counter()
    return fit(), time.perf_counter() - began


def scores(model: Any, train: Trajectories, test: Trajectories) -> dict[str, Any]:
    """What a fitted model says about both sides, in nats; ``leaking`` is the authors' score of the test side."""
    return {
        "train": model.score(train),
        "test": model.score(test),
        "leaking": leaking_score(model, test) if isinstance(model, IntentionModel) else None,
        "test_sessions": test.n_sessions,
        "test_steps": test.n_observed,
    }
