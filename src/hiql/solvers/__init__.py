"""The name of :mod:`hiql.rewards` in the first release."""

from hiql.rewards import IAVI, Evidence, ExpectedIQL, Preference, StochasticIQL, iavi, iql, zero_mean_gauge
from hiql.rewards import Reward as RewardSolver

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
