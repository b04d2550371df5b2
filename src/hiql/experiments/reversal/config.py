"""What the experiment runs, and the published numbers to set beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hiql.experiments.frame import ExperimentConfig
from hiql.worlds.reversal_task import REACTIVE_TRANSITION, TRANSITION

REACTIVE, CONTROL, TABLE = "reactive", "control", "table"
"""The sources of trials: two simulated cohorts, and the table given by the user."""
TRANSITIONS: dict[str, Any] = {REACTIVE: REACTIVE_TRANSITION, CONTROL: TRANSITION}
"""What tells the simulated cohorts apart: mice that may start to explore when a reward stays away, and mice whose
changes of mind have nothing to do with rewards or blocks."""
POOLED = "pooled"
"""The way of fitting that holds long histories to shorter ones; it is the one analysed further."""
PAPER_CORRECT = {"overall": 0.74, "exploitation": 0.86, "disengaged": 0.64, "exploration": 0.56}
"""Correct rates of the paper's mice, overall and in each intention."""
PAPER_CHOICE = {"history": 3, "n_intentions": 3}
"""What the paper selected: ℓ by held-out likelihood, K by BIC (2 or 3) and interpretability."""


@dataclass(frozen=True, kw_only=True)
class ReversalConfig(ExperimentConfig):
    """Everything the results depend on.

    ``history`` and ``chosen`` are the ℓ and K analysed further, whatever the data prefer: the paper's. ``stochastic``
    lists the K that are fitted by Algorithm 2 as printed too. ``data`` is the path of a table of trials. ``panels``
    writes every panel of the figures to a file of its own, too.
    """

    data: str | None = None
    histories: tuple[int, ...] = (1, 2, 3, 4, 5)
    history: int = PAPER_CHOICE["history"]
    n_intentions: tuple[int, ...] = (1, 2, 3, 4, 5)
    chosen: int = PAPER_CHOICE["n_intentions"]
    stochastic: tuple[int, ...] = (3,)
    n_mice: int = 9
    n_sessions: int = 64
    n_trials: float = 87.0
    panels: bool = True

    @classmethod
    def quick(cls, seed: int = 0, data: str | None = None) -> ReversalConfig:
        """Fewer histories, intentions and folds: a look in a minute."""
        return cls(
            seed=seed,
            data=data,
            histories=(1, 2, 3),
            n_intentions=(1, 2, 3),
            stochastic=(),
            folds_run=2,
            panels=False,
        )

    def methods(self) -> list[tuple[int, str]]:
        """The fits of the second stage, K and how, the longest last."""
        exact = [(k, method) for k in self.n_intentions for method in ("plain", POOLED)]
        return exact + [(k, "stochastic") for k in self.stochastic]
