"""Sweeps over models and data, cut into units that can be interrupted and resumed; and the choice among them."""

from hiql.sweep.door import Chosen, select
from hiql.sweep.plan import FAMILIES, Plan, Source
from hiql.sweep.proposal import Proposal, propose
from hiql.sweep.run import fit_chosen, sweep
from hiql.sweep.selection import Selection, choose
from hiql.sweep.units import Failure, Outcome, run_units

__all__ = [
    "FAMILIES",
    "Chosen",
    "Failure",
    "Outcome",
    "Plan",
    "Proposal",
    "Selection",
    "Source",
    "choose",
    "fit_chosen",
    "propose",
    "run_units",
    "select",
    "sweep",
]
