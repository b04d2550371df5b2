"""A local page: drop a table, see what was understood, choose what to try, read the report. Needs the extra ``app``."""
