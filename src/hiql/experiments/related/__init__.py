"""Every system of the paper's related work (§2), as a pair of parts, on the same data: what each assumption buys."""

from hiql.experiments.frame import Experiment
from hiql.experiments.related.compute import RelatedResult, document, plan
from hiql.experiments.related.config import RelatedConfig
from hiql.experiments.related.draw import figures
from hiql.experiments.related.summary import sections
from hiql.experiments.related.verdicts import verdicts

EXPERIMENT: Experiment[RelatedConfig, RelatedResult] = Experiment(
    "The related work as pairs of parts (paper, §2)", plan, document, figures, sections, verdicts
)
compute, write = EXPERIMENT.compute, EXPERIMENT.write

__all__ = ["EXPERIMENT", "RelatedConfig", "compute", "write"]
