"""The paper's first experiment (§5.1, Appendix C.1, Figure 3): a simulated expert that changes its mind."""

from hiql.experiments.gridworld.compute import compute
from hiql.experiments.gridworld.config import GridworldConfig
from hiql.experiments.gridworld.write import write

__all__ = ["GridworldConfig", "compute", "write"]
