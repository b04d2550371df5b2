"""The same random experiment many times: reproducible, whatever runs at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from hiql.errors import InvalidParameter
from hiql.models import IntentionModel
from hiql.progress import progress_bar

Result = TypeVar("Result")


def repeat(
    task: Callable[[np.random.Generator], Result],
    n_repeats: int,
    random_state: int,
    *,
    label: str,
    n_jobs: int | None = None,
    progress: bool = True,
) -> list[Result]:
    """``task(rng)`` n times, in threads. Repeat i gets the i-th child of the seed, so ``n_jobs`` changes nothing."""
    if n_repeats < 1:
        raise InvalidParameter(parameter="number of repeats", value=n_repeats, remedy="choose at least 1")
    jobs = (
        delayed(task)(np.random.default_rng(seed)) for seed in np.random.SeedSequence(random_state).spawn(n_repeats)
    )
    results: list[Result] = []
    with progress_bar(label, enabled=progress) as update:
        for result in Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(jobs):
            results.append(result)
            update(len(results), n_repeats)
    return results


def unfitted(model: IntentionModel, rng: np.random.Generator) -> IntentionModel:
    """A model with the same settings to fit within a repeat: silent, one thread, and a seed of its own."""
    return clone(model).set_params(n_jobs=1, progress=False, random_state=int(rng.integers(2**31)))
