"""The paper's third experiment (§5.3, Appendix C.3, Figures 7 and 8): mice in a reversal task."""

from hiql.experiments.reversal.compute import compute
from hiql.experiments.reversal.config import ReversalConfig
from hiql.experiments.reversal.write import write

__all__ = ["ReversalConfig", "compute", "write"]
