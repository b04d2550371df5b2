"""How an intention acts."""

from hiql.choices.choice import Choice, Evidence
from hiql.choices.table import Policies, TableChoice

__all__ = ["Choice", "Evidence", "Policies", "TableChoice"]
