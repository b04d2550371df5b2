"""Published data sets: from ``HIQL_DATA_DIR`` if it is set, else downloaded once and checked by sha256."""

from hiql.datasets.labyrinth import LabyrinthData, labyrinth
from hiql.datasets.labyrinth_long import LongNights, labyrinth_long
from hiql.datasets.mice_bandit import mice_bandit
from hiql.datasets.rat_evidence import rat_evidence
from hiql.datasets.spontaneous import spontaneous

__all__ = [
    "LabyrinthData",
    "LongNights",
    "labyrinth",
    "labyrinth_long",
    "mice_bandit",
    "rat_evidence",
    "spontaneous",
]
