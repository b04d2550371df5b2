"""Trait or state: how much of what intentions predict is that animals differ, and how much that they switch.

Three candidates without any switching are always scored: one common policy (K = 1), each animal its own policy around
the population's (K = 1, pooled by subjects), and groups of animals (one intention for all of an animal's sessions).
With the held-out score ℓ of each,

    between animals = ℓ(the better of own and groups) − ℓ(common),
    switching within = ℓ(the best with switching) − ℓ(the better of own and groups),

both with the errors of paired differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.dynamics import SessionWise, registry
from hiql.priors.estimates import TIE
from hiql.sweep.plan import can_pool

FloatArray = npt.NDArray[np.float64]
GROUPS = "groups of animals"
CLOCKS = {GROUPS: SessionWise(unit="subject")}
"""Clocks that only this question needs."""


class Scores(NamedTuple):
    """Held-out log-likelihoods and steps, by session or subject."""

    log_likelihood: FloatArray
    steps: FloatArray


class Difference(NamedTuple):
    """Of two candidates, in nats per step, with its standard error."""

    mean: float
    error: float

    @property
    def is_clear(self) -> bool:
        return self.mean > self.error

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ± {self.error:.4f}"


def rivals(chosen: dict[str, Any]) -> list[dict[str, Any]]:
    """The candidates without switching that a chosen one is compared with: common, each its own, groups of animals."""
    family = still_family(chosen["family"])
    common = chosen | {"family": family, "dynamics": registry.DEFAULT, "pool": None, "n_intentions": 1}
    groups = common | {"dynamics": GROUPS, "n_intentions": chosen["n_intentions"]}
    own = [common | {"pool": "subjects"}] if can_pool(family) else []
    return [common, *own, *([groups] if chosen["n_intentions"] > 1 else [])]


def still_family(family: str) -> str:
    """The family of the candidates that never switch: the same kind of model, but one that can be pooled."""
    return "hiql" if family == "stochastic" else family


def traits_or_states(table: pd.DataFrame, scores: Sequence[Scores], chosen: int) -> str:
    """The answer in words; empty where the candidates without switching were not scored.

    Only candidates that read the data as the chosen one does are looked at.
    """
    alike = (table["history"].astype(object) == table["history"].iloc[chosen]) | table["history"].isna()
    alike &= table["family"].isin({table["family"].iloc[chosen], still_family(table["family"].iloc[chosen])})
    one, groups = alike & (table["n_intentions"] == 1), alike & (table["dynamics"] == GROUPS)
    own, common = one & (table["pool"] == "subjects"), one & table["pool"].isna()
    switching = alike & ~one & ~groups
    if not ((own | groups).any() and common.any()) or table["held_out"].isna().any():
        return ""
    base, still = _best(table, common), _best(table, own | groups)
    between = difference(scores[still], scores[base])
    if not switching.any():
        return _between_only(between)
    moving = _best(table, switching)
    return _in_words(between, difference(scores[moving], scores[still]), difference(scores[moving], scores[base]))


def traits_by_evidence(table: pd.DataFrame) -> str:
    """The answer in words where nothing is held out: differences of evidence, in nats of all data."""
    one, pooled = table["n_intentions"] == 1, table["pool"] == "subjects"
    own, groups = one & pooled, table["dynamics"] == GROUPS
    kinds = {"common": one & ~pooled, "still": own | groups, "moving": ~one & ~groups}
    found = {kind: table["evidence"].where(among).max() for kind, among in kinds.items()}
    if np.isnan(found["common"]) or np.isnan(found["still"]) or not own.any():
        return ""
    between = found["still"] - found["common"]
    kind = {True: "each its own", False: "in groups"}[bool(table["evidence"].where(own).max() >= found["still"])]
    differ = f"Animals that differ ({kind}) and never switch: {between:+.1f} nats of evidence over one common policy."
    if np.isnan(found["moving"]):
        return differ
    within = found["moving"] - max(found["still"], found["common"])
    if abs(within) < TIE:
        return f"{differ} Whether they switch as well the evidence does not tell ({within:+.1f})."
    return f"{differ} " + (
        f"Switching within animals gains {within:.1f} more." if within > 0 else
        f"Switching within animals falls short of that by {-within:.1f}: such intentions are kinds of animals."
        if between > TIE else f"Switching falls short by {-within:.1f}: neither is seen in these data."
    )  # fmt: skip


def _in_words(between: Difference, within: Difference, total: Difference) -> str:
    if not (total.is_clear or between.is_clear):
        return f"Neither animals that differ nor switching predicts better than one common policy ({total})."
    if not within.is_clear:
        return (
            f"Difference between animals explains the gain over one common policy ({between} nats per step); switching "
            f"within animals adds nothing that can be told ({within}): such intentions are kinds of animals."
        )
    if not between.is_clear:
        return (
            f"The gain over one common policy ({total} nats per step) is switching within animals: animals that differ "
            f"but never switch do not predict better than the common policy ({between})."
        )
    share = between.mean / (between.mean + within.mean)
    return (
        f"Of the gain over one common policy, {share:.0%} is difference between animals ({between} nats per step) and "
        f"{1 - share:.0%} switching within them ({within})."
    )


def _between_only(between: Difference) -> str:
    differ = "differ" if between.is_clear else "cannot be told apart"
    return f"Animals {differ}: policies of their own, without switching, gain {between} nats per step."


def _best(table: pd.DataFrame, among: pd.Series) -> int:
    return int(table["held_out"].where(among).argmax())


def difference(ours: Scores, theirs: Scores) -> Difference:
    """Of held-out scores on the same sessions."""
    gain = ours.log_likelihood - theirs.log_likelihood
    return Difference(float(gain.sum() / ours.steps.sum()), ratio_error(gain, ours.steps))


def ratio_error(totals: FloatArray, steps: FloatArray) -> float:
    """The standard error of Σ totals / Σ steps over independent sessions (formula in :mod:`hiql.sweep.selection`)."""
    m = len(totals)
    if m < 2:
        return 0.0 if m else float("nan")
    residuals = totals - totals.sum() / steps.sum() * steps
    return float(np.sqrt(m / (m - 1) * (residuals**2).sum()) / steps.sum())
