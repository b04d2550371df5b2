"""Other explanations of behaviour, scored through the same door as the models."""

from hiql.baselines.dirl import DIRL
from hiql.baselines.fq_learning import FQLearning
from hiql.baselines.max_causal_entropy import MaxCausalEntropyIRL
from hiql.baselines.policy_baseline import PolicyBaseline
from hiql.baselines.recipes import RECIPES, Recipe, Setting
from hiql.baselines.simple import CountPolicy, KnownExpert, RandomPolicy, TimedCountPolicy
from hiql.models.scoring import Scored

__all__ = [
    "DIRL",
    "RECIPES",
    "CountPolicy",
    "FQLearning",
    "KnownExpert",
    "MaxCausalEntropyIRL",
    "PolicyBaseline",
    "RandomPolicy",
    "Recipe",
    "Scored",
    "Setting",
    "TimedCountPolicy",
]
