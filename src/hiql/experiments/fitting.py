"""What units of several experiments do: fit a model to one side of a split, and score both."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from hiql.data.trajectories import Trajectories
from hiql.models import IntentionModel


def fit_and_score(model: Any, train: Trajectories, test: Trajectories) -> dict[str, Any]:
    """Fit ``model``, and what it says about both sides, in nats."""
    began = time.perf_counter()
    model.fit(train)
    return {
        "fit_seconds": time.perf_counter() - began,
        "train": model.score(train),
        "test": model.score(test),
        "test_sessions": test.n_sessions,
        "test_steps": test.n_observed,
    }


def single_starts(
    make: Callable[..., IntentionModel], seed: int, n_starts: int, train: Trajectories, test: Trajectories
) -> list[dict[str, float]]:
    """EM from single random starts and nothing else, each with its training objective and test likelihood.

    The paper's protocol chooses from these by test likelihood.
    """
    runs = [make(n_init=1, patience=0, random_state=1000 * seed + i).fit(train) for i in range(n_starts)]
    return [{"objective": run.objective_, "test": run.score(test)} for run in runs]
