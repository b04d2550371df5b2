"""What the experiment runs, and the published numbers to set beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hiql.experiments.frame import ExperimentConfig
from hiql.worlds.labyrinth import HOME, WATER

COHORTS = ("restricted", "unrestricted")
DIRL_SETTINGS: dict[str, dict[str, Any]] = {
    "restricted": {"sigma": 0.25, "discount": 0.7, "init_states": (WATER, HOME)},
    "unrestricted": {"sigma": 0.08, "discount": 0.99, "init_states": (HOME,)},
}
"""The best hyperparameters published with DIRL."""
FOLD_TOL = 1e-5
"""DIRL's tolerance in cross-validation, where its fits would otherwise take most of the time."""
DIRL_PUBLISHED = {
    "restricted": {1: -534.3, 2: -504.7, 3: -500.6, 4: -500.6},
    "unrestricted": {1: -463.8, 2: -458.4},
}
"""Held-out totals published with DIRL, by number of maps."""
PAPER_NAMES = {"to water": "thirsty", "to home": "tired", "elsewhere": "exploring"}
"""What the paper calls the intentions that our rule names by where they lead."""


def dirl_settings(cohort: str, split: str) -> dict[str, Any]:
    """How DIRL is run on a split."""
    return DIRL_SETTINGS[cohort] | ({} if split == "published" else {"tol": FOLD_TOL})


@dataclass(frozen=True, kw_only=True)
class LabyrinthConfig(ExperimentConfig):
    """Everything the results depend on."""

    n_intentions: tuple[int, ...] = (1, 2, 3, 4, 5)
    n_maps: tuple[int, ...] = (1, 2, 3, 4)
    discount: float = 0.99
    n_bootstrap: int = 200
    n_simulations: int = 200
    n_recovery: int = 20

    @classmethod
    def quick(cls, seed: int = 0) -> LabyrinthConfig:
        """Fewer models, folds and samples: a look in about two minutes."""
        sizes = {"n_bootstrap": 30, "n_simulations": 30, "n_recovery": 3}
        return cls(seed=seed, n_intentions=(1, 2, 3), n_maps=(1,), folds_run=1, n_restarts=3, **sizes)

    def models(self) -> dict[str, dict[str, Any]]:
        """The contestants by name."""
        return {
            **{f"HIAVI, K = {k}": {"kind": "hiavi", "size": k} for k in self.n_intentions},
            **{f"DIRL, {m} map{'s' * (m > 1)}": {"kind": "dirl", "size": m} for m in self.n_maps},
            "counts by state": {"kind": "counts"},
            "counts by state and time": {"kind": "timed"},
            "random": {"kind": "random"},
        }

    def splits(self) -> list[tuple[str, int]]:
        """The published split, folds over sessions, and folds that keep identical trajectories together."""
        folds = range(self.folds_run)
        return [("published", 0), *(("sessions", i) for i in folds), *(("grouped", i) for i in folds)]
