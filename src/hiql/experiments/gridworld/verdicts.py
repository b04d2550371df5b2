"""The claims of §5.1, judged."""

from __future__ import annotations

from hiql.experiments.gridworld.compute import GridworldResult
from hiql.experiments.verdicts import Verdict


def verdicts(result: GridworldResult) -> list[Verdict]:
    """None yet."""
    del result
    return []
