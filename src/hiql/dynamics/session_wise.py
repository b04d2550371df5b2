"""One intention for a whole session, or a whole animal: clustering by what animals wanted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import ChainCounts, ChainPrior, shares_told
from hiql.dynamics.markov import ChainParameters
from hiql.dynamics.weak_limit import WeakLimit
from hiql.errors import InvalidParameter
from hiql.parts.part import FloatArray
from hiql.parts.path import Path
from hiql.parts.registry import register

UNITS = SESSION, SUBJECT = "session", "subject"


@register
@dataclass(frozen=True)
class SessionWise(WeakLimit):
    """z_0 ~ Π, and z_t = z_0: Λ is the identity, its zeros exact.

    With it a model is a mixture of ways to act, one for each unit; ``smooth_proba`` is the same at all steps of a unit,
    and ``initial_`` the share of units of each kind.

    Parameters
    ----------
    unit : "session", or "subject": all sessions of an animal, wherever they stand in the data, share one intention.
        Whose intention is which is not remembered: other sessions of an animal tell anew.
    concentration : α of a Dirichlet process over units, in place of ``pseudo_count``: with ``n_intentions="auto"``, or
        many intentions, and ``estimate="bayes"`` units fall into as many kinds as they need (:class:`WeakLimit`)
    """

    unit: str = SESSION

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unit not in UNITS:
            raise InvalidParameter(parameter="unit", value=self.unit, remedy=f"choose {SESSION!r} or {SUBJECT!r}")

    def units(self, data: Trajectories) -> npt.NDArray[np.integer[Any]]:
        if self.unit == SESSION:
            return super().units(data)
        numbers = {name: n for n, name in enumerate(dict.fromkeys(data.subjects))}
        return np.array([numbers[name] for name in data.subjects], dtype=np.int64)

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> ChainParameters:
        with np.errstate(divide="ignore"):
            staying = np.log(np.eye(n_intentions))[None]
        return replace(super().start(data, n_intentions, rng), log_transition=staying)

    def prior(self, params: ChainParameters) -> ChainPrior:
        """One for staying, in place of what is never counted: so also an intention without sessions is never left."""
        return super().prior(params)._replace(transitions=np.eye(params.log_initial.shape[-1])[None])

    def from_vector(self, vector: FloatArray, like: ChainParameters) -> ChainParameters:
        """A jump may move how sessions begin, and nothing else."""
        jumped: ChainParameters = super().from_vector(vector, like)
        return replace(jumped, log_transition=like.log_transition)

    def drawn(self, params: ChainParameters, path: Path, rng: np.random.Generator) -> ChainParameters | None:
        """How sessions begin; that no intention is left is not in doubt."""
        found = super().drawn(params, path, rng)
        return None if found is None else replace(found, log_transition=params.log_transition)

    def n_free(self, counts: ChainCounts) -> int:
        return shares_told(counts.initial)

    def check_params(self, params: ChainParameters, data: Trajectories, n_intentions: int) -> None:
        super().check_params(params, data, n_intentions)
        if not (np.exp(params.log_transition[0]) == np.eye(n_intentions)).all():
            remedy = "let no intention be left"
            raise InvalidParameter(parameter="log_transition", value=np.exp(params.log_transition[0]), remedy=remedy)
