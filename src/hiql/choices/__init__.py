"""How an intention acts."""

from hiql.choices.animals import AnimalTables
from hiql.choices.by_policy import PolicyChoice
from hiql.choices.by_step import StepChoice
from hiql.choices.choice import Choice, Evidence
from hiql.choices.classifier import ClassifierChoice, Classifiers, Perceptron
from hiql.choices.days import DayTables
from hiql.choices.goals import Aims, Goals
from hiql.choices.linear import LinearChoice, LinearWeights
from hiql.choices.planned import Coefficients, Planned
from hiql.choices.planned_with_memory import PlannedWithMemory
from hiql.choices.pooled import PooledTable
from hiql.choices.pooled_weights import PooledWeights
from hiql.choices.table import Policies, TableChoice

__all__ = [
    "Aims",
    "AnimalTables",
    "Choice",
    "ClassifierChoice",
    "Classifiers",
    "Coefficients",
    "DayTables",
    "Evidence",
    "Goals",
    "LinearChoice",
    "LinearWeights",
    "Perceptron",
    "Planned",
    "PlannedWithMemory",
    "Policies",
    "PolicyChoice",
    "PooledTable",
    "PooledWeights",
    "StepChoice",
    "TableChoice",
]
