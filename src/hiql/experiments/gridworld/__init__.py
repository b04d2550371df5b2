"""The paper's first experiment (§5.1, Appendix C.1, Figure 3): a simulated expert that changes its mind."""

from hiql.experiments.frame import Experiment
from hiql.experiments.gridworld.compute import GridworldResult, document, plan
from hiql.experiments.gridworld.config import GridworldConfig
from hiql.experiments.gridworld.draw import figures
from hiql.experiments.gridworld.summary import sections
from hiql.experiments.gridworld.verdicts import verdicts

EXPERIMENT: Experiment[GridworldConfig, GridworldResult] = Experiment(
    "Gridworld benchmark (paper, §5.1, Figure 3)", plan, document, figures, sections, verdicts
)
compute, write = EXPERIMENT.compute, EXPERIMENT.write

__all__ = ["EXPERIMENT", "GridworldConfig", "compute", "write"]
