"""A whole sweep: plan, fit every unit that is not yet there, choose."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from hiql.models import IntentionModel
from hiql.sweep.fitting import fit_unit
from hiql.sweep.plan import Plan, Source
from hiql.sweep.selection import Selection, check_rule, select
from hiql.sweep.units import run_units


def sweep(source: Source, plan: Plan, folder: Path, *, by: str = "held-out", **options: Any) -> Selection:
    """Fit every candidate of the plan to every fold and choose one; what ``folder`` already holds is not repeated.

    ``by`` is the rule of choice, "held-out" or "bic" (see :mod:`hiql.sweep.selection`); ``options`` are those of
    :func:`~hiql.sweep.run_units`: ``n_jobs``, ``cluster``, ``timeout``, ``progress``.
    """
    check_rule(by)
    units = plan.units(source)
    outcomes, failures = run_units(units, partial(fit_unit, source), folder, label="Fitting", **options)
    subjects = next(iter(source.data.values())).subjects if plan.hold_out == "subjects" else None
    return select(outcomes, failures, subjects, by=by)


def fit_chosen(source: Source, selection: Selection) -> IntentionModel:
    """The chosen candidate, fitted to all the data: the same fit that the sweep made."""
    unit = selection.unit
    return source.model(unit).fit(source.data[unit["history"]])
