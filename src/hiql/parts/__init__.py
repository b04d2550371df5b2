"""What the parts of a model have in common: rows bound to the data, and what each part answers for."""

from hiql.parts.part import Part
from hiql.parts.path import Path
from hiql.parts.rows import ChunkRows, Rows

__all__ = ["ChunkRows", "Part", "Path", "Rows"]
