"""The claims of §5.3, judged."""

from __future__ import annotations

from hiql.experiments.reversal.compute import ReversalResult
from hiql.experiments.verdicts import Verdict


def verdicts(result: ReversalResult) -> list[Verdict]:
    """None yet."""
    del result
    return []
