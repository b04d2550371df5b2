"""The paper's claims, each beside our number and judged by a bar set before looking. A ✗ is a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hiql.experiments.results import markdown_table

SIMULATED, NOT_RUN = "simulated", "not run"
"""Why a claim cannot be judged: it is about recordings that are not public, or this run left it out."""


class Verdict(NamedTuple):
    """One claim.

    ``where`` in the paper it stands, the ``claim`` in the paper's terms, our number (``ours``), the ``bar`` it is held
    to, the ``paper``'s number; ``holds`` is None where it cannot be judged, for the reason in ``because``.
    """

    where: str
    claim: str
    ours: str
    bar: str
    paper: str
    holds: bool | None
    because: str = SIMULATED

    @property
    def mark(self) -> str:
        if self.holds is None:
            return f"cannot be judged ({self.because})"
        return "✓" if self.holds else "✗"


def not_judged(where: str, claim: str, paper: str = "–", because: str = SIMULATED) -> Verdict:
    """A claim that this run says nothing about."""
    return Verdict(where, claim, "–", "–", paper, None, because)


def verdict_section(verdicts: Sequence[Verdict]) -> list[str]:
    """The last paragraphs of a summary: how many claims hold, and all of them in a table."""
    if not verdicts:
        return []
    counted = Counter(verdict.mark for verdict in verdicts)
    rows = [[v.where, v.claim, v.ours, v.bar, v.paper, v.mark] for v in verdicts]
    header = ["paper", "claim", "ours", "bar", "paper's number", "verdict"]
    return [
        "## Verdicts",
        "The paper's claims in its terms: " + ", ".join(f"{n} {mark}" for mark, n in counted.items()) + ".",
        markdown_table(header, rows, n_text=len(header)),
    ]
