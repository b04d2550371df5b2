"""Pages one can open and mail."""

from hiql.report.folder import write_selection
from hiql.report.write import write_report

__all__ = ["write_report", "write_selection"]
