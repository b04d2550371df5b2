"""Which candidate to believe: held-out likelihood with the one-standard-error rule, BIC and stability beside it.

Every session i is held out once, and every candidate c gives it a log-likelihood ℓ_i(c) over its n_i steps. The score
of a candidate is Σℓ_i / Σn_i. The *gap* of a candidate to the best one is the same for the differences
d_i = ℓ_i(c) − ℓ_i(best); as both are judged on the same sessions, the error of the gap is that of the differences,

    SE² = m/(m − 1) Σ_i (d_i − gap·n_i)² / (Σ n_i)²,      m held-out sessions (or subjects),

which is much smaller than the errors of the scores. The simplest candidate (fewest free parameters) whose gap is no
larger than its error is chosen; other rules are in :mod:`hiql.sweep.criteria`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.errors import EmptyData
from hiql.evaluate.measures.alignment import decoding_agreement
from hiql.evaluate.words.verdict import agreement_in
from hiql.sweep.criteria import criterion_named
from hiql.sweep.explanation import told_limits
from hiql.sweep.fitting import unpack_path
from hiql.sweep.plan import ALL_SESSIONS, AXES, LATER
from hiql.sweep.traits import Scores, ratio_error, traits_by_evidence, traits_or_states
from hiql.sweep.units import Failure, Outcome

FloatArray = npt.NDArray[np.float64]


class Selection(NamedTuple):
    """One row a candidate in ``table``; ``chosen`` and ``best`` (highest held-out score) are positions in it.

    ``unit`` is the fit of the chosen candidate to all the data with the highest objective over restarts.
    """

    table: pd.DataFrame
    chosen: int
    best: int
    explanation: str
    unit: dict[str, Any]
    failures: tuple[Failure, ...] = ()
    traits: str = ""
    """How much of the gain is difference between animals, and how much switching within; where that was asked."""

    def __repr__(self) -> str:
        return f"<Selection among {len(self.table)} candidates. {self.explanation}>"

    @property
    def agreement(self) -> dict[str, float]:
        """The share of steps that other fits give to the same intention of the chosen candidate, where compared."""
        return agreement_in(self.table.iloc[self.chosen].to_dict())


def choose(
    outcomes: Sequence[Outcome],
    failures: Sequence[Failure],
    subjects: Sequence[str] | None = None,
    *,
    by: str = "held-out",
    n_unable: int = 0,
) -> Selection:
    """Choose among the candidates of a sweep. With ``subjects``, one a session, these are the units of the error.

    ``n_unable`` candidates were not fitted, as they have not what the rule compares; that is told.
    """
    criterion = criterion_named(by)
    groups = defaultdict(list)
    for outcome in outcomes:
        groups[tuple((LATER | outcome.unit)[axis] for axis in AXES)].append(outcome)
    folds = max((outcome.unit.get("n_folds", 0) for outcome in outcomes), default=0)
    judged = {key: Judged.of(group, subjects) for key, group in groups.items() if _is_complete(group, folds)}
    if not judged:
        raise EmptyData(what="no candidate could be fitted to every fold", remedy=_first_error(failures))
    candidates = list(judged.values())
    scores = [candidate.held_out for candidate in candidates]
    at_best = 0 if np.isnan(scores).all() else int(np.nanargmax(scores))
    rows = [
        dict(zip(AXES, key, strict=True)) | candidate.row() | candidate.gap_to(candidates[at_best])
        for key, candidate in judged.items()
    ]
    table = pd.DataFrame(rows)
    chosen = criterion.choose(table)
    unit = candidates[chosen].whole.unit
    table = table.assign(**beside([candidate.beside(candidates[chosen]) for candidate in candidates]))
    said = criterion.explain(table, chosen, at_best), told_limits(table, chosen, len(groups) - len(judged), n_unable)
    held_out = [Scores(candidate.log_likelihood, candidate.steps) for candidate in candidates]
    words = " ".join(filter(None, said))
    traits = traits_or_states(table, held_out, chosen) or traits_by_evidence(table)
    return Selection(table, chosen, at_best, words, unit, tuple(failures), traits)


class Judged(NamedTuple):
    """A candidate: its best fit to all the data, held-out log-likelihoods by session (or subject), agreements."""

    whole: Outcome
    train: float
    log_likelihood: FloatArray
    steps: FloatArray
    restart_agreement: float
    fold_agreement: float

    @classmethod
    def of(cls, group: Sequence[Outcome], subjects: Sequence[str] | None) -> Judged:
        by_fold = defaultdict(list)
        for outcome in group:
            by_fold[outcome.unit["fold"]].append(outcome)
        # Of several restarts the one that explains its training data best counts, never the one that tests best.
        winners = {fold: max(fits, key=lambda o: o.result["objective"]) for fold, fits in by_fold.items()}
        whole = winners.pop(ALL_SESSIONS)
        others = [fit for fit in by_fold[ALL_SESSIONS] if fit is not whole]
        log_likelihood, steps = _by_group([fit.result["held_out"] for fit in winners.values()], subjects)
        return cls(
            whole,
            float(np.mean([fit.result["train"] for fit in winners.values() or [whole]])),
            log_likelihood,
            steps,
            _agreement(whole, others),
            _agreement(whole, list(winners.values())),
        )

    @property
    def n_free(self) -> float:
        """NaN where rows are pooled, as nobody can say how many are free."""
        return self.whole.result["n_free"] if self.whole.result["bic"] is not None else float("nan")

    @property
    def held_out(self) -> float:
        """NaN where nothing was held out."""
        return float(self.log_likelihood.sum() / self.steps.sum()) if len(self.steps) else float("nan")

    def row(self) -> dict[str, Any]:
        return {
            "n_free": self.n_free,
            "train": self.train,
            "held_out": self.held_out,
            "held_out_se": ratio_error(self.log_likelihood, self.steps),
            "bic": self._known("bic"),
            "evidence": self._known("evidence"),
            "restart_agreement": self.restart_agreement,
            "fold_agreement": self.fold_agreement,
            "switching": _switching(self.whole),
        }

    def _known(self, name: str) -> float:
        """A number of the fit to all the data; NaN where it has none."""
        number = self.whole.result.get(name)
        return float("nan") if number is None else float(number)

    def gap_to(self, best: Judged) -> dict[str, float]:
        difference = self.log_likelihood - best.log_likelihood
        return {"gap": self.held_out - best.held_out, "gap_se": ratio_error(difference, self.steps)}

    def beside(self, chosen: Judged) -> dict[str, float]:
        """The paired difference to the chosen candidate, and the share of steps given to the same intention."""
        to_best = self.gap_to(chosen)
        same = _agreement(chosen.whole, [self.whole])
        return {"to_chosen": to_best["gap"], "to_chosen_se": to_best["gap_se"], "agrees_with_chosen": same}


def beside(rows: Sequence[dict[str, float]]) -> dict[str, list[float]]:
    """Columns from rows."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def _by_group(parts: Sequence[dict[str, Any]], subjects: Sequence[str] | None) -> tuple[FloatArray, FloatArray]:
    """Held-out log-likelihoods and steps of each session, or each subject, in the same order for all candidates."""
    if not parts:
        return np.empty(0), np.empty(0)
    sessions = np.concatenate([part["sessions"] for part in parts]).astype(np.int64)
    keys = sessions if subjects is None else np.unique(np.array(subjects), return_inverse=True)[1][sessions]
    log_likelihood = np.bincount(keys, np.concatenate([part["log_likelihood"] for part in parts])).astype(np.float64)
    steps = np.bincount(keys, np.concatenate([part["steps"] for part in parts])).astype(np.float64)
    held_out = steps > 0  # sessions without an observed step say nothing
    return log_likelihood[held_out], steps[held_out]


def _agreement(reference: Outcome, others: Sequence[Outcome]) -> float:
    """The mean share of steps that two fits give to the same intention; NaN when there is nothing to compare."""
    path = unpack_path(reference.result["decoded"])
    shares = [decoding_agreement(unpack_path(other.result["decoded"]), path) for other in others]
    return float(np.mean(shares)) if shares else float("nan")


def _switching(fit: Outcome) -> float:
    """The share of (compared) steps at which the decoded intention is not the one before."""
    path = unpack_path(fit.result["decoded"])
    return float((np.diff(path) != 0).sum() / max(len(path) - 1, 1))


def _is_complete(group: Sequence[Outcome], n_folds: int) -> bool:
    return {outcome.unit["fold"] for outcome in group} == {ALL_SESSIONS, *range(n_folds)}


def _first_error(failures: Sequence[Failure]) -> str:
    return f"the first of {len(failures)} errors was: {failures[0].error}" if failures else "compute the units first"
