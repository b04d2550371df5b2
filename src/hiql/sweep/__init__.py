"""Many fits as independent units of work that can be stopped and resumed."""

from hiql.sweep.units import Failure, Outcome, Unit, run_units

__all__ = ["Failure", "Outcome", "Unit", "run_units"]
