"""What §5.3 says about changes of blocks (Figures 7e, 7g and 8a). In the control each of these should be false."""

from __future__ import annotations

from typing import Any

import numpy as np

from hiql.experiments.results import mean_and_error, plus_minus
from hiql.experiments.reversal.behaviour import NEAR
from hiql.experiments.reversal.compute import SourceResult
from hiql.experiments.reversal.config import CONTROL
from hiql.experiments.verdicts import Verdict, not_judged
from hiql.worlds.reversal_task import INTENTIONS

Judged = tuple[str, str, bool | None]
NO_BLOCKS = "no changes of blocks, or other strategies"
CERTAIN, PREDOMINANTLY = 2.0, 2.0
"""Bars: two standard errors over animals; "predominantly" is at least twice as likely as in the trials before."""
FALLS = "After a change of blocks exploitation falls"
RISES = "… and exploration rises"
RISES_TOO = "… and disengaged rises, too"
RETURNS = "… then exploitation is dominant again"
ONSET = "Exploration occurs predominantly at the onset of a block"
CORRELATES = "Exploration after a change correlates positively with exploitation before it"
PUT_IN = (RISES_TOO, RETURNS)
"""We let disengaged mice react to nothing, and chose how often each strategy is used: nothing to be found there."""
WHERE = {FALLS: "7e", RISES: "7e", RISES_TOO: "7e", RETURNS: "7e", ONSET: "8a", CORRELATES: "7g"}


def block_verdicts(part: SourceResult) -> list[Verdict]:
    """Judged where there are blocks and the three strategies; the truth in brackets where it is known.

    A ✓ in the control says "not found"; a ✗ there, that a figure shows what the paper reads from it for another reason.
    """
    if part.around is None or part.switching is None or not set(INTENTIONS) <= set(part.names):
        return [not_judged(f"§5.3, Figure {panel}", claim, because=NO_BLOCKS) for claim, panel in WHERE.items()]
    found = judge(part.names, part.around, part.switching)
    if part.truth is not None and part.truth["around"] is not None:
        truth = judge(INTENTIONS, part.truth["around"], part.truth["switching"])
        found = {claim: (f"{ours} (truth: {truth[claim][0]})", *rest) for claim, (ours, *rest) in found.items()}
        found |= {claim: (*found[claim][:2], None) for claim in PUT_IN}
    if part.source.name == CONTROL:
        return [_denied(claim, *found[claim]) for claim in (RISES, ONSET, CORRELATES)]
    return [Verdict(f"§5.3, Figure {WHERE[c]}", c, ours, bar, "yes", holds) for c, (ours, bar, holds) in found.items()]


def judge(names: tuple[str, ...], around: dict[str, Any], switching: dict[str, Any]) -> dict[str, Any]:
    """Number, bar and verdict of every claim."""
    return {**_courses(names, around), CORRELATES: _correlation(switching["correlation"])}


def _courses(names: tuple[str, ...], around: dict[str, Any]) -> dict[str, Judged]:
    """The claims of Figures 7e and 8a, from each animal's mean course (M, L, 1 + K)."""
    lags, courses = np.asarray(around["lags"]), np.asarray(around["by_animal"])
    at = {name: 1 + names.index(name) for name in INTENTIONS}
    before, after = (lags >= -NEAR) & (lags < 0), (lags >= 0) & (lags < NEAR)
    change = {name: _change(courses[:, :, i], before, after) for name, i in at.items()}
    late = np.nanmean(courses[:, lags >= lags.max() - NEAR], axis=(0, 1))
    dominant = f"exploitation {late[at['exploitation']]:.2f} after {lags.max()} trials"
    level = np.nanmean(courses[:, :, at["exploration"]], axis=0)
    early, base = level[after].max(), level[before].mean()
    return {
        FALLS: _certain(change["exploitation"], -1),
        RISES: _certain(change["exploration"], 1),
        RISES_TOO: _certain(change["disengaged"], 1),
        RETURNS: (dominant, "the largest", int(np.argmax(late[1:])) + 1 == at["exploitation"]),
        ONSET: (f"{early:.2f} at most in the first {NEAR} trials, {base:.2f} in the {NEAR} before", "≥ 2 ×",
                bool(early >= PREDOMINANTLY * base)),
    }  # fmt: skip


def _change(course: np.ndarray, before: np.ndarray, after: np.ndarray) -> dict[str, float]:
    """How much a posterior (M, L) changes, mean and error over animals."""
    return mean_and_error(np.nanmean(course[:, after], axis=1) - np.nanmean(course[:, before], axis=1))


def _certain(change: dict[str, float], sign: int) -> Judged:
    bar = f"{'rise' if sign > 0 else 'fall'} > 2 errors over animals"
    return f"change {plus_minus(change, 3)}", bar, bool(sign * change["mean"] > CERTAIN * change["error"])


def _correlation(r: dict[str, float]) -> Judged:
    return f"r = {plus_minus(r)}", "> 2 errors over animals", bool(r["mean"] > CERTAIN * r["error"])


def _denied(claim: str, ours: str, bar: str, holds: bool | None) -> Verdict:
    where, text = (
        f"§5.3, Figure {WHERE[claim]}",
        f"Not so where there is no reason for it: {claim.removeprefix('… and ')}",
    )
    return Verdict(where, text, ours, f"not {bar}", "–", not holds)
