"""No clock at all: the intention of each step is drawn anew."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import ChainCounts, shares_told
from hiql.dynamics.markov import ChainParameters, MarkovChain
from hiql.errors import InvalidParameter
from hiql.kernels.log_tables import log_shares
from hiql.parts.dirichlet import log_dirichlet_draw
from hiql.parts.log_probabilities import log_dirichlet
from hiql.parts.part import FloatArray
from hiql.parts.path import Path
from hiql.parts.registry import register
from hiql.priors.estimates import concentration


@register
@dataclass(frozen=True)
class Independent(MarkovChain):
    """z_t ~ Π at every step: steps are exchangeable, and every row of Λ is Π.

    With it a model is a mixture over steps: policies by table cannot be told apart then, plans and goals can.
    ``pseudo_count`` α/K stands for a Dirichlet process over steps (Michini & How 2012), as in the weak limit.
    """

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> ChainParameters:
        return _alike(super().start(data, n_intentions, rng).log_initial)

    def update(self, params: ChainParameters, counts: ChainCounts) -> ChainParameters:  # noqa: ARG002
        return _alike(log_shares(_drawn(counts)[None] + float(self.pseudo_count)))

    def log_prior(self, params: ChainParameters) -> float:
        return log_dirichlet(float(self.pseudo_count), params.log_initial)

    def conjugate(self, params: ChainParameters) -> None:  # noqa: ARG002
        return None

    def vector(self, params: ChainParameters) -> FloatArray:
        return super().vector(replace(params, log_transition=params.log_transition[:0]))

    def from_vector(self, vector: FloatArray, like: ChainParameters) -> ChainParameters:
        jumped = super().from_vector(vector, replace(like, log_transition=like.log_transition[:0]))
        return _alike(jumped.log_initial)

    def drawn(self, params: ChainParameters, path: Path, rng: np.random.Generator) -> ChainParameters:
        counts = _drawn(path.told(self, params))
        return _alike(log_dirichlet_draw(concentration(self.estimate, self.pseudo_count) + counts[None], rng))

    def n_free(self, counts: ChainCounts) -> int:
        return shares_told(_drawn(counts))

    def check_params(self, params: ChainParameters, data: Trajectories, n_intentions: int) -> None:
        super().check_params(params, data, n_intentions)
        if not (params.log_transition == params.log_initial[:, None]).all():
            remedy = "let every row be as sessions begin"
            raise InvalidParameter(parameter="log_transition", value=np.exp(params.log_transition[0]), remedy=remedy)


def _drawn(counts: ChainCounts) -> FloatArray:
    """(K,) how often each intention was drawn."""
    return np.asarray(counts.initial.sum(axis=0) + counts.transitions.sum(axis=(0, 1)))


def _alike(log_initial: FloatArray) -> ChainParameters:
    """Π (1, K) for beginnings and for every move."""
    return ChainParameters(log_initial, np.repeat(log_initial[:, None], log_initial.shape[1], axis=1))
