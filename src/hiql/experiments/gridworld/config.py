"""What the experiment runs, and the paper's numbers to set beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hiql.experiments.frame import ExperimentConfig

SIGMAS = (0.01, 0.1, 1.0, 10.0)
MODELS: dict[str, dict[str, Any]] = {
    "HIAVI, 1 intention": {"kind": "hiavi", "n_intentions": 1},
    "HIAVI, 2 intentions": {"kind": "hiavi", "n_intentions": 2},
    "DIRL, 1 map": {"kind": "dirl", "n_maps": 1, "sigma": 0.0},
    **{f"DIRL, 2 maps, σ = {sigma:g}": {"kind": "dirl", "n_maps": 2, "sigma": sigma} for sigma in SIGMAS},
    "random": {"kind": "random"},
    "expert": {"kind": "expert"},
}
"""The contestants. One map with constant weights is maximum causal entropy IRL; the expert knows the truth."""

PAPER_EVD = {
    "HIAVI, 1 intention": (13.96, 45.55),
    "HIAVI, 2 intentions": (5.58, 6.39),
    "DIRL, 1 map": (47.10, 48.17),
    "DIRL, 2 maps, σ = 0.01": (27.63, 45.90),
    "DIRL, 2 maps, σ = 0.1": (2.97, 45.48),
    "DIRL, 2 maps, σ = 1": (11.08, 48.15),
    "DIRL, 2 maps, σ = 10": (37.97, 48.15),
}
"""Expected value difference (goal, abandon) in the paper's Figure 3c."""


@dataclass(frozen=True, kw_only=True)
class GridworldConfig(ExperimentConfig):
    """Everything the results depend on.

    ``pseudo_count`` of HIAVI's policies is 0.01: smaller values (the paper adds 1e-6) predict small data sets badly,
    larger ones pull the policy of states that an intention hardly visits to uniform, which EVD counts heavily.
    It is the one of five values (1e-6, 1e-4, 1e-3, 0.01, 0.1) that did well at both on simulations with seeds 0 to 9,
    seed 0 included, so those seeds are no independent evidence for it; the slow test uses others.
    """

    sizes: tuple[int, ...] = (16, 32, 64, 128, 256, 512, 1024)
    inverse_temperature: float = 10.0
    pseudo_count: float = 0.01

    @classmethod
    def quick(cls, seed: int = 0) -> GridworldConfig:
        """Fewer sizes, folds and restarts: a look in under two minutes."""
        return cls(seed=seed, sizes=(16, 64, 256), folds_run=2, n_restarts=3)
