"""What an intention wants: rewards that explain choices."""

from hiql.choices.choice import Evidence
from hiql.rewards.by_regression import RegressedPreference, radial, value_by_regression
from hiql.rewards.gauge import zero_mean_gauge
from hiql.rewards.girl import GIRL
from hiql.rewards.iavi import IAVI, iavi
from hiql.rewards.iql import ExpectedIQL, StochasticIQL, iql
from hiql.rewards.preference import Preference, Reward

__all__ = [
    "GIRL",
    "IAVI",
    "Evidence",
    "ExpectedIQL",
    "Preference",
    "RegressedPreference",
    "Reward",
    "StochasticIQL",
    "iavi",
    "iql",
    "radial",
    "value_by_regression",
    "zero_mean_gauge",
]
