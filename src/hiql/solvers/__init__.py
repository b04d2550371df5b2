"""What an intention wants: rewards that explain choices."""

from hiql.choices.choice import Evidence
from hiql.solvers.gauge import zero_mean_gauge
from hiql.solvers.iavi import IAVI, iavi
from hiql.solvers.iql import ExpectedIQL, StochasticIQL, iql
from hiql.solvers.preference import Preference, Reward

__all__ = ["IAVI", "Evidence", "ExpectedIQL", "Preference", "Reward", "StochasticIQL", "iavi", "iql", "zero_mean_gauge"]
