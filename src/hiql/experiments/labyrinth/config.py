"""What the experiment runs, and the published numbers to set beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hiql.experiments.as_printed import AS_PRINTED
from hiql.experiments.frame import ExperimentConfig
from hiql.worlds.labyrinth import HOME, WATER

COHORTS = ("restricted", "unrestricted")
INIT_STATES = {"restricted": (WATER, HOME), "unrestricted": (HOME,)}
"""Where DIRL's first maps start, as in its own code; the others start at random."""
DIRL_SETTINGS = {
    "restricted": dict.fromkeys((1, 2, 3, 4), (0.25, 0.7)),
    "unrestricted": {1: (0.15, 0.99), 2: (0.08, 0.99), 3: (0.125, 0.9), 4: (0.25, 0.7)},
}
"""σ and γ published with DIRL, by number of maps: the best it found, by held-out likelihood."""
FOLD_STARTS, FOLD_TOL = 2, 1e-5
"""How much less effort DIRL gets in cross-validation, where its fits would otherwise take most of the time."""
DIRL_PUBLISHED = {
    "restricted": {1: -534.3, 2: -504.7, 3: -500.6, 4: -500.6},
    "unrestricted": {1: -463.8, 2: -458.4, 3: -459.6, 4: -460.1},
}
"""Held-out totals published with DIRL, by number of maps."""
PAPER_NAMES = {"to water": "thirsty", "to home": "tired", "elsewhere": "exploring"}
"""What the paper calls the intentions that our rule names by where they lead."""


def dirl_settings(cohort: str, n_maps: int, split: str = "published", n_init: int = 4) -> dict[str, Any]:
    """How DIRL with so many maps is run on a split; more maps than were published take the settings of the most."""
    published = DIRL_SETTINGS[cohort]
    sigma, discount = published[min(n_maps, max(published))]
    effort = {"n_init": n_init} if split == "published" else {"n_init": min(n_init, FOLD_STARTS), "tol": FOLD_TOL}
    return {"sigma": sigma, "discount": discount, "init_states": INIT_STATES[cohort], **effort}


@dataclass(frozen=True, kw_only=True)
class LabyrinthConfig(ExperimentConfig):
    """Everything the results depend on.

    DIRL runs from ``dirl_starts`` on the published split; its authors ran two to four seeds, and kept the best by
    *held-out* likelihood, we keep the best by posterior.
    """

    n_intentions: tuple[int, ...] = (1, 2, 3, 4, 5)
    n_maps: tuple[int, ...] = (1, 2, 3, 4)
    dirl_starts: int = 4
    discount: float = 0.99
    n_bootstrap: int = 200
    n_simulations: int = 200
    n_recovery: int = 20

    @classmethod
    def quick(cls, seed: int = 0) -> LabyrinthConfig:
        """Fewer models, folds and samples: a look in about two minutes."""
        sizes = {"dirl_starts": 1, "n_bootstrap": 30, "n_simulations": 30, "n_recovery": 3}
        return cls(seed=seed, n_intentions=(1, 2, 3), n_maps=(1,), folds_run=1, n_restarts=3, **sizes)

    def models(self) -> dict[str, dict[str, Any]]:
        """The contestants by name."""
        return {
            **{f"HIAVI, K = {k}": {"kind": "hiavi", "size": k} for k in self.n_intentions},
            **{f"{AS_PRINTED}, K = {k}": {"kind": "printed", "size": k} for k in self.n_intentions if k > 1},
            **{f"DIRL, {m} map{'s' * (m > 1)}": {"kind": "dirl", "size": m} for m in self.n_maps},
            "counts by state": {"kind": "counts"},
            "counts by state and time": {"kind": "timed"},
            "random": {"kind": "random"},
        }

    def splits(self) -> list[tuple[str, int]]:
        """The published split, folds over sessions, and folds that keep identical trajectories together."""
        folds = range(self.folds_run)
        return [("published", 0), *(("sessions", i) for i in folds), *(("grouped", i) for i in folds)]
