"""What was found, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.evaluate.words.dwell import outlasts_sessions, tell_sessions_apart
from hiql.evaluate.words.verdict import Verdict
from hiql.plots.labels import FloatArray
from hiql.report.findings import Findings

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def headline(findings: Findings, verdict: Verdict) -> str:
    """For example "Two intentions behind 1,024 sessions", and that they are not to be relied on if so."""
    n = findings.n_intentions
    number = NUMBERS[n] if n < len(NUMBERS) else str(n)
    found = f"{number} {plural(n, 'intention')} behind {counted(findings.data.n_sessions, 'session')}"
    return found.capitalize() + verdict.headline


def summary(findings: Findings) -> str:
    """A few sentences: which intentions there are, and how well they predict what was done."""
    data = findings.data
    who = counted(len(set(data.subjects)), "subject")
    parts = [
        f"“{name}” ({percent(share)} of the steps, {lasting(dwell, data)})"
        for name, share, dwell in zip(findings.names, findings.share, findings.dwell, strict=True)
    ]
    found = f"In {counted(data.n_steps, 'decision')} of {who}, hiql finds {listed(parts)}."
    chance = f"guessing among {data.n_actions} actions would give {1 / data.n_actions:.2f}"
    predicted = f"it predicts the next action with probability {findings.typical_probability:.2f} (geometric mean)"
    return " ".join(filter(None, [found, whole_sessions(findings), f"From what came before, {predicted}; {chance}."]))


def truth_sentence(findings: Findings) -> str | None:
    """How well the decoded intentions agree with the true ones, where a simulation knows them."""
    if findings.truth is None:
        return None
    known = np.asarray(findings.data.intentions) >= 0
    agreed = (findings.decoded == findings.truth)[known].mean()
    known_truth = "The data are simulated, so the truth is known"
    return f"{known_truth}: decoded and true intentions agree on {percent(agreed)} of the steps."


def lasting(dwell: float, data: Trajectories) -> str:
    """How long an intention lasts, for example "lasting 6.2 steps on average"; or that it outlasts sessions."""
    longer = outlasts_sessions(dwell, float(data.lengths.mean()))
    return "lasting longer than a session" if longer else f"lasting {steps(dwell)} on average"


def between(bounds: FloatArray | None, i: int, written: Callable[[float], str]) -> str:
    """For example " (95 %: 5.1 to 7.3)"; nothing without bounds (2, K)."""
    if bounds is None:
        return ""
    low, high = ("∞" if np.isinf(bound) else written(float(bound)) for bound in bounds[:, i])
    return f" (95\u00a0%: {low} to {high})"


def whole_sessions(findings: Findings) -> str:
    """What to say where no intention is likely to change within a session; nothing elsewhere."""
    mean = float(findings.data.lengths.mean())
    if findings.n_intentions == 1 or not tell_sessions_apart(findings.dwell, findings.data, findings.decoded):
        return ""
    return (
        f"All of them last longer than a session ({steps(mean)} on average), so they tell sessions (or subjects) apart "
        "rather than change within them."
    )


def steps(number: float) -> str:
    return f"{rounded(number)} steps"


def rounded(number: float) -> str:
    return f"{number:,.1f}" if number < 100 else f"{number:,.0f}"


def percent(share: float) -> str:
    """With a decimal only where it matters, and never broken over two lines."""
    if 0.01 <= share <= 0.99 or share in (0, 1):
        return f"{100 * share:.0f}\u00a0%"
    return (
        "<\u00a00.1\u00a0%" if share < 0.001 else ">\u00a099.9\u00a0%" if share > 0.999 else f"{100 * share:.1f}\u00a0%"
    )


def plural(n: int, noun: str) -> str:
    return noun if n == 1 else f"{noun}s"


def counted(n: int, noun: str) -> str:
    return f"{n:,} {plural(n, noun)}"


def listed(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
