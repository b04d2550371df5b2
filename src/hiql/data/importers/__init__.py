"""Session files of laboratories, read into one table of trials that :func:`hiql.bandit_trials` takes."""

from hiql.data.importers.freibox import read_freibox
from hiql.data.importers.nwb import read_nwb

__all__ = ["read_freibox", "read_nwb"]
