"""How an intention acts."""

from hiql.choices.animals import AnimalTables
from hiql.choices.by_step import StepChoice
from hiql.choices.choice import Choice, Evidence
from hiql.choices.linear import LinearChoice, LinearWeights
from hiql.choices.pooled import PooledTable
from hiql.choices.table import Policies, TableChoice

__all__ = [
    "AnimalTables",
    "Choice",
    "Evidence",
    "LinearChoice",
    "LinearWeights",
    "Policies",
    "PooledTable",
    "StepChoice",
    "TableChoice",
]
