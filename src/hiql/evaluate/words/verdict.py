"""One verdict about a fit: how far to trust its intentions, and why."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

from hiql.models import IntentionModel

UNSTABLE = 0.8
"""Below this share of steps that other fits give to the same intention, intentions are unstable."""
AGREEMENTS = {"restart_agreement": "other restarts", "fold_agreement": "fits without one of the folds"}
"""What was compared with the fit; the share of steps that went to the same intention, by name."""
OPENINGS = {
    "sound": "Nothing speaks against this fit",
    "untested": "Nothing speaks against this fit so far, but it is untested",
    "care": "Read this fit with care",
    "unstable": "Do not rely on these intentions",
}
HEADLINES = {"sound": "", "untested": "", "care": ", to be read with care", "unstable": ", not to be relied on"}


class Verdict(NamedTuple):
    """``grade`` is one of "sound", "untested", "care" and "unstable"; ``reasons`` are what it rests on."""

    grade: str
    reasons: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The verdict and its reasons, for example "Do not rely on these intentions: …"."""
        return f"{OPENINGS[self.grade]}: {'; '.join(reason.rstrip('.') for reason in self.reasons)}."

    @property
    def headline(self) -> str:
        """What a headline adds: nothing where there is nothing to add."""
        return HEADLINES[self.grade]


def judge(model: IntentionModel, agreement: Mapping[str, float] | None = None, n_failed: int | None = None) -> Verdict:
    """How far the intentions of a fitted model can be trusted.

    Parameters
    ----------
    agreement : the share of steps that other fits give to the same intention: "restart_agreement", "fold_agreement",
        as in the table of a sweep
    n_failed : fits that failed beside this one

    By default both are what the model remembers of the sweep that it comes from, if it does.
    """
    about = getattr(model, "about_", {})
    remembered = about.get("agreement")
    known = agreement_in(remembered if isinstance(remembered, Mapping) else {}) if agreement is None else agreement
    failed = about.get("n_failed", 0) if n_failed is None else n_failed
    shares = known if model.n_intentions_ > 1 else {}
    lost = tuple(_found_again(name, share) for name, share in shares.items() if share < UNSTABLE)
    doubts = (*lost, *model.doubts, *([f"{failed} fits beside it failed"] if failed else []))
    if doubts:
        return Verdict("unstable" if lost else "care", doubts)
    if model.n_intentions_ == 1:
        return Verdict("sound", ("it converged, and there is only one intention",))
    if not shares:
        return Verdict("untested", ("it converged; hiql select tells whether other fits find the same intentions",))
    return Verdict("sound", ("it converged", *(_found_again(name, share) for name, share in shares.items())))


def agreement_in(row: Mapping[Any, Any]) -> dict[str, float]:
    """The agreements that were measured, in a row of a sweep's table."""
    shares = {name: row.get(name) for name in AGREEMENTS}
    return {name: float(share) for name, share in shares.items() if isinstance(share, float) and isfinite(share)}


def _found_again(name: str, share: float) -> str:
    only = "only " if share < UNSTABLE else ""
    return f"{AGREEMENTS[name]} give {only}{share:.0%} of the steps to the same intention"
