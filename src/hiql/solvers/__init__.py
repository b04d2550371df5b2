"""How a reward explains weighted demonstrations."""

from hiql.solvers.gauge import zero_mean_gauge
from hiql.solvers.iavi import IAVI, iavi
from hiql.solvers.iql import ExpectedIQL, StochasticIQL, iql
from hiql.solvers.preference import Evidence, Preference, RewardSolver

__all__ = [
    "IAVI",
    "Evidence",
    "ExpectedIQL",
    "Preference",
    "RewardSolver",
    "StochasticIQL",
    "iavi",
    "iql",
    "zero_mean_gauge",
]
