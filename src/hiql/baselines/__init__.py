"""Other explanations of behaviour, scored through the same door as the models."""

from hiql.baselines.dirl import DIRL
from hiql.baselines.max_causal_entropy import MaxCausalEntropyIRL
from hiql.baselines.scored import PolicyBaseline, Scored
from hiql.baselines.simple import CountPolicy, KnownExpert, RandomPolicy, TimedCountPolicy

__all__ = [
    "DIRL",
    "CountPolicy",
    "KnownExpert",
    "MaxCausalEntropyIRL",
    "PolicyBaseline",
    "RandomPolicy",
    "Scored",
    "TimedCountPolicy",
]
