"""The name of :mod:`hiql.rewards` in the first release."""

from hiql.rewards import IAVI, Evidence, ExpectedIQL, Preference, Reward, StochasticIQL, iavi, iql, zero_mean_gauge

__all__ = ["IAVI", "Evidence", "ExpectedIQL", "Preference", "Reward", "StochasticIQL", "iavi", "iql", "zero_mean_gauge"]
