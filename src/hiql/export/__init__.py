"""Decoded intentions for other tools: tables and NWB files."""

from hiql.export.files import write_steps, write_table
from hiql.export.nwb import add_intentions
from hiql.export.table import METHODS, decoding_table

__all__ = ["METHODS", "add_intentions", "decoding_table", "write_steps", "write_table"]
