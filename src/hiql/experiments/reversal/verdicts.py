"""The claims of §5.3 and Appendix C.3, judged.

What the paper says about its mice cannot be judged on simulated ones where we put it in: such claims stand with our
number and no mark. What a fit says about blocks can: exploration follows their changes in the reactive mice and does
not in the control, and no fit was told. A table of the user's own is judged in all claims it has the columns for.
"""

from __future__ import annotations

import numpy as np

from hiql.experiments.results import mean_and_error, plus_minus
from hiql.experiments.reversal.block_verdicts import block_verdicts
from hiql.experiments.reversal.compute import ReversalResult, SourceResult
from hiql.experiments.reversal.config import CONTROL, PAPER_CORRECT
from hiql.experiments.verdicts import NOT_RUN, Verdict, not_judged
from hiql.worlds.reversal_task import INTENTIONS

CERTAIN = 2.0
"""A difference counts from two standard errors over animals."""
PAPER_LONGEST = 5
"""The longest history ℓ that the paper tried."""
PURE, CHANCE = 0.75, 0.15
"""Bars for words: a "strong preference" is at least 0.75, "random" within 0.15 of a half."""


def verdicts(result: ReversalResult) -> list[Verdict]:
    """All claims, source by source; of the control only what it is there for."""
    found = []
    for name, part in result.sources.items():
        judged = (
            block_verdicts(part) if name == CONTROL else [*_stages(part), *_intentions(part), *block_verdicts(part)]
        )
        found += [v._replace(where=f"{v.where} ({name})") for v in judged]
    return found


def _stages(part: SourceResult) -> list[Verdict]:
    return [*_histories(part), _several_beat_one(part), _rival(part), _bic(part)]


def _histories(part: SourceResult) -> list[Verdict]:
    """The claims about ℓ, of runs that went as far as the paper.

    A count fits its own data the better the finer it is; only a prior or unfinished learning can undo that.
    """
    where, best = "§5.3, Figure 7a", part.scores.chosen_history
    bell = "Held-out likelihood against ℓ is bell-shaped: long histories overfit"
    three, drops = "The best held-out likelihood is that of ℓ = 3", "Training likelihood drops at large ℓ"
    train, test = ({n: s[side]["mean"] for n, s in part.scores.histories.items()} for side in ("train", "test"))
    longest = max(test)
    if longest < PAPER_LONGEST:
        return [not_judged(where, claim, because=NOT_RUN) for claim in (bell, three, drops)]
    falls = train[longest] < max(train.values())
    return [
        Verdict(where, bell, _list(test, 4), "largest at an inner ℓ", "yes", min(test) < best < longest),
        Verdict(where, three, f"ℓ = {best}", "ℓ = 3", "3", _unless_simulated(part, best == 3)),
        Verdict(where, drops, _list(train, 4), f"at ℓ = {longest} below the largest", "yes", falls),
    ]


def _several_beat_one(part: SourceResult) -> Verdict:
    sizes = part.scores.intentions["plain"]
    gains = _gains(sizes.get(3, {}).get("by_subject", {}), sizes.get(1, {}).get("by_subject", {}))
    return _gain("§5.3, Figure 7b", "Several intentions (K = 3) predict substantially better than one", gains)


def _rival(part: SourceResult) -> Verdict:
    rival = part.scores.baselines["fQ-learning"]["by_subject"]
    gains = _gains(part.scores.intentions["plain"].get(3, {}).get("by_subject", {}), rival)
    return _gain("§5.3, Figure 7b", "HIQL with K = 3 predicts better than fQ-learning", gains)


def _gains(ours: dict[str, float], theirs: dict[str, float]) -> list[float]:
    return [ours[name] - theirs[name] for name in ours if name in theirs]


def _gain(where: str, claim: str, gains: list[float]) -> Verdict:
    if len(gains) < 2:
        return not_judged(where, claim, because=NOT_RUN)
    found = mean_and_error(gains)
    bar = "> 2 errors over animals"
    numbers = f"{plus_minus(found, 4)} nats a trial"
    return Verdict(where, claim, numbers, bar, "yes", found["mean"] > CERTAIN * found["error"])


def _bic(part: SourceResult) -> Verdict:
    bics = {k: found["bic"] for k, found in part.scores.whole["plain"].items()}
    claim = "BIC finds K = 2 and K = 3 reasonable"
    if not {1, 2, 3, 4} <= bics.keys():
        return not_judged("§5.3, Figure 7c", claim, "2 or 3", because=NOT_RUN)
    best = min(bics, key=lambda k: bics[k])
    return Verdict("§5.3, Figure 7c", claim, _list(bics, 0), "lowest at 2 or 3", "2 or 3", best in {2, 3})


def _intentions(part: SourceResult) -> list[Verdict]:
    """Strategies and performance: put in by us where mice are simulated."""
    where, profile = "§5.3, Figure 7d", dict(zip(part.names, part.profile, strict=True))
    if set(profile) != set(INTENTIONS):
        claim, found = "The intentions are exploitation, disengaged and exploration", ", ".join(part.names)
        return [Verdict(where, claim, found, "these three", "yes", False)]
    (_, win, lose), (_, win2, lose2), (_, win3, lose3) = (profile[name] for name in INTENTIONS)
    held = [
        ("Exploitation: win-stay, lose-switch", win, lose, f"both ≥ {PURE}", min(win, lose) >= PURE),
        ("Disengaged: win-stay, random after errors", win2, lose2, f"≥ {PURE}; ½ ± {CHANCE}",
         win2 >= PURE and abs(lose2 - 0.5) <= CHANCE),
        ("Exploration: the other side, won or lost", win3, lose3, f"≤ {1 - PURE}; ≥ {PURE}",
         win3 <= 1 - PURE and lose3 >= PURE),
    ]  # fmt: skip
    judged = [
        Verdict(where, claim, f"win-stay {a:.2f}, lose-switch {b:.2f}", bar, "yes", _unless_simulated(part, holds))
        for claim, a, b, bar, holds in held
    ]
    return [*judged, _performance(part), _stability(part), _aligned(part)]


def _performance(part: SourceResult) -> Verdict:
    rates = dict(zip(["overall", *part.names], part.performance["mean"], strict=True))
    holds = rates["exploitation"] > rates["overall"] > max(rates["disengaged"], rates["exploration"])
    numbers, paper = (", ".join(f"{n} {r[n]:.2f}" for n in PAPER_CORRECT) for r in (rates, PAPER_CORRECT))
    claim = "Exploitation is correct more often than overall, the others less"
    return Verdict("§5.3, Figure 7f", claim, numbers, "in this order", paper, _unless_simulated(part, holds))


def _stability(part: SourceResult) -> Verdict:
    stay = dict(zip(part.names, part.animals.transitions.mean(axis=0).diagonal(), strict=True))
    numbers = ", ".join(f"{name} {value:.2f}" for name, value in stay.items())
    holds = min(stay, key=lambda name: stay[name]) == "exploration"
    claim = "Exploration is the least stable intention"
    return Verdict("§5.3, Figure 8b", claim, numbers, "smallest", "yes", _unless_simulated(part, holds))


def _aligned(part: SourceResult) -> Verdict:
    kept, n = sum(part.aligned.values()), len(part.aligned)
    claim = "Fits of single animals that start at the global one stay aligned with it"
    return Verdict("§5.3, App. C.3", claim, f"{kept} of {n} animals", "all", "yes", kept == n)


def _unless_simulated(part: SourceResult, holds: bool | np.bool_) -> bool | None:
    return None if part.truth is not None else bool(holds)


def _list(values: dict[int, float], digits: int) -> str:
    return ", ".join(f"{key}: {value:.{digits}f}" for key, value in values.items())
