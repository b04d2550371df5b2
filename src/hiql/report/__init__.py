"""Pages one can open and mail."""

from hiql.report.folder import told, write_selection
from hiql.report.write import write_report

__all__ = ["told", "write_report", "write_selection"]
