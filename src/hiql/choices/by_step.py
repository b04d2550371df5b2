"""Choices whose rows are computed step by step: whatever can say how likely each action is, and learn from weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.choices.choice import Evidence, Taken
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.parts.part import FloatArray, NothingToLearn, Order
from hiql.parts.rows import Sessions, Some, StepRows


class StepChoice(NothingToLearn, ABC):
    """A choice by ``proba``, any function of what is known before a step, and ``update``, any way to learn it.

    Parameters are a frozen dataclass of float64 arrays with the intentions along the first axis of each. What
    ``update`` is given as ``evidence.counts`` (N, K) is the posterior of every step, 0 where nothing was observed.
    """

    exact: bool = True
    by_table: bool = False

    @abstractmethod
    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Any:
        """Random parameters."""

    @abstractmethod
    def proba(self, params: Any, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """(n, K, A) the probabilities of all actions at these steps, from what is known before each."""

    @abstractmethod
    def update(self, params: Any, evidence: Evidence) -> Any:
        """The M-step."""

    def log_prior(self, params: Any) -> float:  # noqa: ARG002
        return 0.0

    def check(self, data: Trajectories, n_intentions: int) -> None:
        """Any data will do, unless a subclass wants more."""

    # --- what the smoother reads -------------------------------------------------------------------------------

    def bind(self, data: Trajectories) -> StepRows:
        return StepRows.of(data)

    def taken(self, params: Any, rows: StepRows) -> Callable[[Sessions], Taken]:
        def of(sessions: Sessions) -> Taken:
            steps, data = rows.steps(sessions), rows.data
            done = data.actions[steps][:, None, None]
            likely = np.take_along_axis(self.proba(params, data, steps), done, axis=2)[..., 0]
            likely[~data.observed[steps]] = 1.0
            top = likely.max(axis=1, keepdims=True)
            here = np.arange(len(steps), dtype=np.uint32)
            with np.errstate(divide="ignore"):
                log_scale = float(np.log(top).sum())
            return Taken(likely / np.where(top > 0, top, 1.0), here, lambda: log_scale)

        return of

    def statistics(self, params: Any, rows: StepRows, sessions: Sessions, counts: FloatArray) -> FloatArray:  # noqa: ARG002
        return np.where(rows.data.observed[rows.steps(sessions)][:, None], counts, 0.0)

    def add_up(self, statistics: Sequence[tuple[FloatArray, Some | None]]) -> FloatArray:
        """Chunk after chunk, for no two share a step."""
        return np.concatenate([part for part, _ in statistics])

    def use(self, statistics: FloatArray) -> FloatArray:
        return statistics.sum(axis=0)

    def conjugate(self, params: Any) -> None:  # noqa: ARG002
        return None

    def explained(self, params: Any, log_policy: FloatArray) -> Any:  # noqa: ARG002
        """As they are: rewards explain tables."""
        return params

    def lifted(self, params: Any, parent: Order) -> Any:  # noqa: ARG002
        remedy = "only tables of policies can be seen over finer states: fit the finer data"
        raise InvalidParameter(parameter="choice", value=type(self).__name__, remedy=remedy)

    # --- arrays with the intentions along the first axis -------------------------------------------------------

    def permute(self, params: Any, order: Order) -> Any:
        return replace(params, **{name: array[order] for name, array in vars(params).items()})

    def graft(self, params: Any, intentions: Order, others: Any) -> Any:
        arrays = {name: array.copy() for name, array in vars(params).items()}
        for name, array in arrays.items():
            array[intentions] = getattr(others, name)
        return replace(params, **arrays)

    def deal(self, params: Any, rng: np.random.Generator) -> Any:
        """Every column of every array dealt out anew among the intentions."""
        return replace(params, **{name: rng.permuted(array, axis=0) for name, array in vars(params).items()})

    def vector(self, params: Any) -> FloatArray:
        return np.concatenate([array.ravel() for array in vars(params).values()])

    def from_vector(self, vector: FloatArray, like: Any) -> Any:
        ends = np.cumsum([array.size for array in vars(like).values()])[:-1]
        parts = zip(vars(like).items(), np.split(vector, ends), strict=True)
        return replace(like, **{name: part.reshape(array.shape) for (name, array), part in parts})

    def summary(self, params: Any) -> dict[str, FloatArray]:
        return dict(vars(params))

    def n_free(self, data: Trajectories, n_intentions: int) -> int:
        return self.vector(self.start(data, n_intentions, np.random.default_rng(0))).size

    def check_params(self, params: Any, data: Trajectories, n_intentions: int) -> None:
        like = self.start(data, n_intentions, np.random.default_rng(0))
        if not isinstance(params, type(like)):
            remedy = f"give {type(like).__name__}"
            raise InvalidParameter(parameter="parameters", value=type(params).__name__, remedy=remedy)
        for field in fields(like):
            array, shape = getattr(params, field.name), getattr(like, field.name).shape
            good = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.shape == shape
            if not good or not np.isfinite(array).all():
                remedy = f"give finite numbers of shape {shape}"
                raise InvalidParameter(parameter=field.name, value=np.shape(array), remedy=remedy)
