"""What the comparison runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hiql.baselines.recipes import RECIPES
from hiql.experiments.frame import ExperimentConfig

SIZES = {
    "gridworld": 200,
    "habits": 150,
    "places": 40,
    "on leaving": 60,
    "came from": 100,
    "clusters": 60,
    "experts": 20,
    "not linear": 60,
    "one reward": 40,
    "subgoals": 60,
    "drift": 100,
    "features": 60,
    "objectworld": 60,
    "gate": 40,
    "psychophysics": 40,
    "labyrinth": 200,
    "labyrinth, long": 119,
    "bandit": 100,
}
"""Sessions of each world, training and held out together."""
QUICK = {
    "gridworld": 100,
    "habits": 100,
    "places": 20,
    "on leaving": 30,
    "came from": 60,
    "clusters": 30,
    "experts": 20,
    "not linear": 30,
    "one reward": 20,
    "subgoals": 30,
    "drift": 50,
    "features": 30,
    "objectworld": 40,
    "gate": 25,
    "psychophysics": 20,
    "labyrinth": 100,
    "labyrinth, long": 16,
    "bandit": 16,
}
CONTRASTS = (
    ("planning for one reward, not counting", "MaxEnt IRL", "counting"),
    ("rewards that drift with time", "DIRL", "MaxEnt IRL"),
    ("one intention a session, not one for all", "EM-MLIRL", "MaxEnt IRL"),
    ("no fixed number of intentions", "DPM-BIRL", "EM-MLIRL"),
    ("rewards around a common one", "MRP/MPO", "EM-MLIRL"),
    ("a sticky chain, not one intention a session", "BNP-IRL", "DPM-BIRL"),
    ("switching by state, not by a sticky chain", "SWIRL", "BNP-IRL"),
    ("planning softly, not linearly solvable", "SWIRL", "G-EM-MLIRL"),
    ("intentions that switch by a chain, not counting", "HIQL", "counting"),
    ("switching by state, not by a chain", "HIAVI by state", "HIAVI"),
    ("policies that are planned, not counted", "SWIRL", "HIAVI by state"),
    ("inputs that gate intentions, not a chain", "PRISM", "HIQL"),
    ("choices by inputs, not by states", "GLM-HMM", "HIQL"),
)
"""Assumptions, each as a pair of systems that differ in little else: what the first gains on the second."""


@dataclass(frozen=True, kw_only=True)
class RelatedConfig(ExperimentConfig):
    """Everything the results depend on. ``max_iter`` is that of EM where plans are made.

    Every system has as many intentions as are true, or as said (mice: 2, or 3 for whole nights).
    """

    n_restarts: int = 4
    max_iter: int = 200
    sizes: Mapping[str, int] = field(default_factory=lambda: dict(SIZES))
    systems: tuple[str, ...] = tuple(RECIPES)

    @classmethod
    def quick(cls, seed: int = 0) -> RelatedConfig:
        """One fold of five of smaller worlds, fewer starts and shorter climbs: every cell of the table in minutes."""
        return cls(seed=seed, folds_run=1, n_restarts=2, max_iter=40, sizes=dict(QUICK))
