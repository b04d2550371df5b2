"""Session files of laboratories, read into one table of trials that :func:`hiql.bandit_trials` takes."""

from hiql.data.importers.freibox import read_freibox
from hiql.data.importers.nwb import read_nwb
from hiql.data.importers.session_files import BadSessionFile

__all__ = ["BadSessionFile", "read_freibox", "read_nwb"]
