"""A whole sweep: plan, fit every unit that is not yet there, choose; and look whether animals differ or switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hiql.errors import InvalidParameter
from hiql.models import IntentionModel
from hiql.sweep.criteria import Criterion, criterion_named
from hiql.sweep.fitting import fit_unit
from hiql.sweep.plan import NO_FOLDS, Plan, Source
from hiql.sweep.selection import Selection, choose
from hiql.sweep.stages import Candidate, axes_of
from hiql.sweep.traits import CLOCKS, rivals
from hiql.sweep.units import Failure, Outcome, run_units


def sweep(
    source: Source, plan: Plan, folder: Path, *, by: str = "held-out", traits: bool = False, **options: Any
) -> Selection:
    """Fit every candidate of the plan to every fold and choose one; what ``folder`` already holds is not repeated.

    ``by`` is the rule of choice, a name of :mod:`hiql.sweep.criteria`; ``options`` are those of
    :func:`~hiql.sweep.run_units`: ``n_jobs``, ``cluster``, ``timeout``, ``progress``. With ``traits``, where there are
    several subjects and sessions are held out, the choice is compared with animals that differ and never switch
    (:mod:`hiql.sweep.traits`), which are then candidates, too.
    """
    criterion = criterion_named(by)
    source = complete(source, criterion)
    check(source, plan, criterion)
    wanted = plan.candidates(source)
    candidates = able(source, wanted, by)
    run = partial(_fitted, source, folder, options)
    names = next(iter(source.data.values())).subjects
    subjects = names if plan.hold_out == "subjects" else None
    outcomes, failures = run(plan, candidates)
    selection = choose(outcomes, failures, subjects, by=by, n_unable=len(wanted) - len(candidates))
    if not traits or subjects is not None or len(set(names)) < 2:
        return selection
    rivalling = rivals(axes_of(selection.unit))
    further = [rival for rival in rivalling if rival not in candidates and source.can_fit(rival)]
    more, lost = run(replace(plan, n_restarts=1), further)
    return choose([*outcomes, *more], [*failures, *lost], subjects, by=by, n_unable=len(wanted) - len(candidates))


def _fitted(
    source: Source, folder: Path, options: dict[str, Any], plan: Plan, candidates: Sequence[dict[str, Any]]
) -> tuple[list[Outcome], list[Failure]]:
    return run_units(plan.units_of(source, candidates), partial(fit_unit, source), folder, label="Fitting", **options)


def check(source: Source, plan: Plan, criterion: Criterion) -> None:
    """Refuse what the rule of choice cannot judge."""
    if criterion.folds and plan.n_folds == NO_FOLDS:
        remedy = "this rule needs held-out scores: choose 2 or more"
        raise InvalidParameter(parameter="n_folds", value=NO_FOLDS, remedy=remedy)
    first, *others = (data.observed for data in source.data.values())
    if criterion.same_steps and not all(np.array_equal(first, other) for other in others):
        remedy = "this rule compares candidates on the same steps: leave the first trials in, whatever the history"
        raise InvalidParameter(parameter="data", value="histories that leave out different steps", remedy=remedy)


def able(source: Source, candidates: Sequence[Candidate], by: str) -> list[Candidate]:
    """Those that can be fitted as the rule of choice wants; there must be one."""
    found = [candidate for candidate in candidates if source.can_fit(candidate)]
    if candidates and not found:
        remedy = "none of the candidates has one: choose held-out, or tables, regressions without lapses, and chains"
        raise InvalidParameter(parameter="by", value=by, remedy=remedy)
    return found


def complete(source: Source, criterion: Criterion) -> Source:
    """With the clocks that only we need, and models fitted as the rule of choice wants them."""
    return replace(source, clocks={**CLOCKS, **source.clocks}, settings={**source.settings, **criterion.settings})


def fit_chosen(source: Source, selection: Selection, *, by: str = "held-out") -> IntentionModel:
    """The chosen candidate, fitted to all the data: the same fit that the sweep with this rule made."""
    unit = selection.unit
    return complete(source, criterion_named(by)).model(unit).fit(source.data[unit["history"]])
