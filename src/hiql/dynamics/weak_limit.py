r"""Intentions that are not all needed: the weak limit of a Dirichlet process.

.. math:: \Pi,\ \Lambda_i \sim \mathrm{Dirichlet}(\alpha/K, \ldots, \alpha/K)

As K grows this tends to a Dirichlet process of concentration α (Ishwaran & Zarepour 2002; Fox et al. 2011): K is then
no more than a bound. No intention stands out, unlike in stick-breaking, so intentions may be permuted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hiql.dynamics.chain import ChainPrior
from hiql.dynamics.markov import ChainParameters, MarkovChain
from hiql.errors import InvalidParameter


@dataclass(frozen=True)
class WeakLimit(MarkovChain):
    """A chain with ``concentration`` α in place of a pseudo-count: α/K for each of K intentions.

    With ``estimate="bayes"`` intentions that are not needed empty themselves; ``n_intentions="auto"`` leaves them out.
    """

    concentration: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        alpha = self.concentration
        number = isinstance(alpha, int | float | np.number) and np.isfinite(alpha) and alpha > 0
        if alpha is not None and not number:
            remedy = "choose a number > 0, or None for the pseudo-count"
            raise InvalidParameter(parameter="concentration", value=alpha, remedy=remedy)

    def prior(self, params: ChainParameters) -> ChainPrior:
        flat = super().prior(params)
        if self.concentration is None:
            return flat
        return ChainPrior(*(np.full(table.shape, self.concentration / table.shape[-1]) for table in flat))
