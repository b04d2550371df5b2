"""The paper's third experiment (§5.3, Appendix C.3, Figures 7 and 8): mice in a reversal task."""

from hiql.experiments.frame import Experiment
from hiql.experiments.reversal.compute import ReversalResult, plan
from hiql.experiments.reversal.config import ReversalConfig
from hiql.experiments.reversal.document import document, models
from hiql.experiments.reversal.figures import figures
from hiql.experiments.reversal.summary import sections
from hiql.experiments.reversal.verdicts import verdicts

EXPERIMENT: Experiment[ReversalConfig, ReversalResult] = Experiment(
    "Reversal task (paper, §5.3, Appendix C.3, Figures 7 and 8)", plan, document, figures, sections, verdicts, models
)
compute, write = EXPERIMENT.compute, EXPERIMENT.write

__all__ = ["EXPERIMENT", "ReversalConfig", "compute", "write"]
