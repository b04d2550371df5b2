"""The paper's second experiment (§5.2, Appendix C.2, Figures 5 and 6): real mice in a labyrinth."""

from hiql.experiments.labyrinth.compute import compute
from hiql.experiments.labyrinth.config import LabyrinthConfig
from hiql.experiments.labyrinth.write import write

__all__ = ["LabyrinthConfig", "compute", "write"]
