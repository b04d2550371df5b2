"""What §5.2 says about scores: HIAVI against DIRL by held-out likelihood and by BIC, as more intentions are allowed."""

from __future__ import annotations

from typing import Any

from hiql.experiments.labyrinth.compute import CohortResult
from hiql.experiments.labyrinth.config import DIRL_PUBLISHED
from hiql.experiments.verdicts import NOT_RUN, Verdict, not_judged

MINOR, FLAT = 0.25, 0.02
"""Bars for words: a gain is "minor" below a quarter of the other's, "none at all" below 2 % of the total. They were
set knowing the totals of earlier runs."""
Scores = dict[int, dict[str, Any]]


def score_verdicts(cohort: str, part: CohortResult, where: str) -> list[Verdict]:
    """All claims about one cohort's scores; those whose models this run left out are not judged."""
    hiavi, dirl = part.family("HIAVI"), part.family("DIRL")
    return [
        _sizes(part),
        _better(hiavi, dirl, where),
        _honestly_better(hiavi, dirl, where),
        _bic_below(hiavi, dirl, where),
        Verdict(where + "b", "BIC of HIAVI is lowest at K = 2", f"K = {part.best}", "K = 2", "2", part.best == 2),
        *(_restricted if cohort == "restricted" else _unrestricted)(cohort, hiavi, dirl, where),
    ]


def _sizes(part: CohortResult) -> Verdict:
    n, held_out = part.leaks["sessions"], part.leaks["held_out"]
    expected = {"restricted": 200, "unrestricted": 207}[part.cohort]
    claim = f"{expected} trajectories, 20 % of them held out"
    same = n == expected and held_out == int(0.2 * n)
    return Verdict("App. C.2", claim, f"{n}, {held_out / n:.1%}", "the same", f"{expected}, 20 %", same)


def _better(hiavi: Scores, dirl: Scores, where: str) -> Verdict:
    claim = "HIAVI with K > 1 predicts held-out trajectories better than DIRL with any number of maps"
    several = {k: s["test"] for k, s in hiavi.items() if k > 1}
    if not several or not dirl:
        return not_judged(where + "a", claim, because=NOT_RUN)
    rival = max(s["test"] for s in dirl.values())
    ours = f"{_list(several)}; DIRL at best {rival:.1f}"
    return Verdict(where + "a", claim, ours, "each above DIRL's best", "yes", min(several.values()) > rival)


def _honestly_better(hiavi: Scores, dirl: Scores, where: str) -> Verdict:
    claim = "… also where no held-out trajectory is a copy of a training one (our folds)"
    if 2 not in hiavi or not dirl:
        return not_judged(where + "a", claim, because=NOT_RUN)
    ours, rival = hiavi[2]["grouped"]["mean"], max(s["grouped"]["mean"] for s in dirl.values())
    numbers = f"K = 2 {ours:.3f}; DIRL at best {rival:.3f} nats a decision"
    return Verdict(where + "a", claim, numbers, "above DIRL's best", "not tried", ours > rival)


def _bic_below(hiavi: Scores, dirl: Scores, where: str) -> Verdict:
    claim = "BIC of HIAVI is below DIRL's whenever the number of intentions exceeds one"
    common = [k for k in hiavi if k > 1 and k in dirl]
    if not common:
        return not_judged(where + "b", claim, because=NOT_RUN)
    pairs = {k: (hiavi[k]["bic"], dirl[k]["bic"]) for k in common}
    ours = ", ".join(f"{k}: {a:.0f} and {b:.0f}" for k, (a, b) in pairs.items())
    return Verdict(where + "b", claim, ours, "first < second for each", "yes", all(a < b for a, b in pairs.values()))


def _restricted(cohort: str, hiavi: Scores, dirl: Scores, where: str) -> list[Verdict]:
    """More intentions help HIAVI much, and DIRL little."""
    rises = "Held-out likelihood of HIAVI rises with the number of intentions from 1 to 4"
    little = "More maps improve DIRL only a little"
    totals, rivals = _totals(hiavi), _totals(dirl)
    if not {1, 2, 3, 4} <= totals.keys() & rivals.keys():
        return [not_judged(where + "a", claim, because=NOT_RUN) for claim in (rises, little)]
    gain, theirs = totals[4] - totals[1], max(rivals.values()) - rivals[1]
    published = DIRL_PUBLISHED[cohort]
    climbs = all(totals[k] < totals[k + 1] for k in (1, 2, 3))
    numbers = f"{theirs:.1f} nats, HIAVI {gain:.1f}"
    paper = f"{max(published.values()) - published[1]:.1f} (published)"
    return [
        Verdict(where + "a", rises, _list(totals), "each above the one before", "yes", climbs),
        Verdict(where + "a", little, numbers, "< ¼ of HIAVI's gain", paper, theirs < MINOR * gain),
    ]


def _unrestricted(cohort: str, hiavi: Scores, dirl: Scores, where: str) -> list[Verdict]:  # noqa: ARG001
    """More maps do not help DIRL."""
    claim = "More maps do not improve DIRL at all"
    rivals, published = _totals(dirl), DIRL_PUBLISHED[cohort]
    if not {1, 2, 3, 4} <= rivals.keys():
        return [not_judged(where + "a", claim, because=NOT_RUN)]
    gain = max(rivals[m] for m in (2, 3, 4)) - rivals[1]
    bar = f"best gain over one map < 2 % ({FLAT * -rivals[1]:.1f})"
    return [Verdict(where + "a", claim, _list(rivals), bar, _list(published), gain < FLAT * -rivals[1])]


def _totals(scores: Scores) -> dict[int, float]:
    return {k: found["test"] for k, found in scores.items()}


def _list(totals: dict[int, float]) -> str:
    return ", ".join(f"{k}: {total:.1f}" for k, total in totals.items())
