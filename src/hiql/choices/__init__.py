"""How an intention acts."""

from hiql.choices.by_step import StepChoice
from hiql.choices.choice import Choice, Evidence
from hiql.choices.table import Policies, TableChoice

__all__ = ["Choice", "Evidence", "Policies", "StepChoice", "TableChoice"]
