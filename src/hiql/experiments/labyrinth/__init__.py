"""The paper's second experiment (§5.2, Appendix C.2, Figures 5 and 6): real mice in a labyrinth."""

from hiql.experiments.frame import Experiment
from hiql.experiments.labyrinth.compute import LabyrinthResult, document, models, plan
from hiql.experiments.labyrinth.config import LabyrinthConfig
from hiql.experiments.labyrinth.figures import figures
from hiql.experiments.labyrinth.summary import sections
from hiql.experiments.labyrinth.verdicts import verdicts

EXPERIMENT: Experiment[LabyrinthConfig, LabyrinthResult] = Experiment(
    "Labyrinth benchmark (paper, §5.2, Figures 5 and 6)", plan, document, figures, sections, verdicts, models
)
compute, write = EXPERIMENT.compute, EXPERIMENT.write

__all__ = ["EXPERIMENT", "LabyrinthConfig", "compute", "write"]
