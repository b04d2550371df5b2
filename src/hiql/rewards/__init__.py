"""What an intention wants: rewards that explain choices."""

from hiql.choices.choice import Evidence
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
    "Reward",
    "StochasticIQL",
    "iavi",
    "iql",
    "zero_mean_gauge",
]
