"""A Markov chain that is believed to stay: the weak limit of a sticky hierarchical Dirichlet process."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hiql.dynamics.chain import ChainPrior
from hiql.dynamics.markov import ChainParameters
from hiql.dynamics.weak_limit import WeakLimit
from hiql.errors import InvalidParameter
from hiql.parts.registry import register


@register
@dataclass(frozen=True)
class StickyChain(WeakLimit):
    """z_t ~ Λ[z_{t−1}], where the prior has ``stickiness`` more pseudo-counts for staying (Fox et al. 2011).

    Parameters
    ----------
    pseudo_count : of every move and beginning
    concentration : α of a Dirichlet process, in place of ``pseudo_count``: with ``n_intentions="auto"``, or many
        intentions, and ``estimate="bayes"`` there are as many as are needed (:class:`WeakLimit`)
    stickiness : pseudo-counts added to those of staying
    """

    stickiness: float = field(default=10.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        number = isinstance(self.stickiness, int | float | np.number) and np.isfinite(self.stickiness)
        if not (number and self.stickiness >= 0):
            raise InvalidParameter(parameter="stickiness", value=self.stickiness, remedy="choose a number ≥ 0")

    def prior(self, params: ChainParameters) -> ChainPrior:
        flat = super().prior(params)
        staying = float(self.stickiness) * np.eye(flat.transitions.shape[-1])
        return flat._replace(transitions=flat.transitions + staying)
