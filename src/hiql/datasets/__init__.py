"""Published data sets: from ``HIQL_DATA_DIR`` if it is set, else downloaded once and checked by sha256."""

from hiql.datasets.labyrinth import LabyrinthData, labyrinth

__all__ = ["LabyrinthData", "labyrinth"]
