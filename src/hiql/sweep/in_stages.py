"""A proposal, computed: one folder, one progress bar, and an estimate of the time after the first fits."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs

from hiql.dynamics import registry
from hiql.progress import progress_bar
from hiql.sweep.criteria import criterion_named
from hiql.sweep.fitting import fit_unit
from hiql.sweep.plan import ALL_SESSIONS, LATER, Plan, Source
from hiql.sweep.proposal import Proposal
from hiql.sweep.run import able, check, complete
from hiql.sweep.selection import Selection, choose
from hiql.sweep.stages import Candidate, Stages, axes_of, most_candidates
from hiql.sweep.units import Failure, Outcome, run_units

FIRST = 0.15
"""What a fit of one intention costs, where one of two costs 1: it needs no search."""
OTHER_CLOCK, POOLED = 3.0, 8.0
"""About how much longer fits take whose rows are pooled by place or outcome, or by animals."""


def sweep_in_stages(
    source: Source,
    plan: Plan,
    proposal: Proposal,
    folder: Path,
    *,
    by: str = "held-out",
    told: Callable[[float], None] | None = None,
    progress: bool = True,
    **options: Any,
) -> Selection:
    """Try a proposal stage by stage and choose among all that was tried; else as :func:`hiql.sweep.sweep`.

    The axes of ``plan`` are not looked at, and its restarts are for the chosen candidate, to see whether they agree;
    all others are fitted once. ``told`` hears how many seconds it will take, about, once the first fits are done.
    """
    criterion = criterion_named(by)
    source = complete(source, criterion)
    check(source, plan, criterion)
    plan.check(source)
    once = replace(plan, n_restarts=1)
    names = next(iter(source.data.values())).subjects
    subjects = names if plan.hold_out == "subjects" else None
    with progress_bar("Fitting", enabled=progress) as update:
        trial = Trial(source, folder, options, update)
        trial.expect(once, able(source, most_candidates(proposal), by), told)
        best: Candidate | None = None
        for stage in Stages(proposal, are_told_apart=subjects is None and len(set(names)) > 1):
            trial.add(once, stage(best))
            best = axes_of(trial.choose(subjects, by).unit)
        assert best is not None  # there is always a first stage
        trial.add(plan, [best], whole=True)
    return trial.choose(subjects, by)


@dataclass
class Trial:
    """What was fitted so far, each unit once."""

    source: Source
    folder: Path
    options: Mapping[str, Any]
    update: Callable[[int, int], None]
    n_expected: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    unable: set[str] = field(default_factory=set)

    def expect(self, plan: Plan, candidates: Sequence[Candidate], told: Callable[[float], None] | None) -> None:
        """Learn how much there is to do, and how long it takes: from a small fit of each kind."""
        units = plan.units_of(self.source, candidates)
        self.n_expected = len(units)
        if told is None:
            return
        kinds: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
        for unit in units:
            kinds.setdefault((unit["history"], unit["family"]), []).append(unit)
        seconds = [self._measured(sorted(alike, key=effort)) for alike in kinds.values()]
        told(sum(seconds) / max(effective_n_jobs(self.options.get("n_jobs")), 1))

    def _measured(self, units: Sequence[dict[str, Any]]) -> float:
        """Seconds for these fits, sorted by effort: those of a small one, times what the others cost beside it."""
        *before, small = [unit for unit in units if unit["n_intentions"] > 1][:2] or units[-1:]
        for unit in (units[0], *before, small):  # what the first ones compile does not count
            self._run([unit])
        done = next((done.seconds for done in self.outcomes if key_of(done.unit) == key_of(small)), 0.0)
        return done / effort(small) * sum(map(effort, units))

    def add(self, plan: Plan, candidates: Sequence[Candidate], *, whole: bool = False) -> None:
        """Fit the units of these candidates that were not yet; with ``whole`` only those to all the data.

        Those that cannot be fitted as the rule of choice wants are passed over, and counted.
        """
        fitted = [candidate for candidate in candidates if self.source.can_fit(candidate)]
        self.unable |= {key_of(candidate) for candidate in candidates if candidate not in fitted}
        units = plan.units_of(self.source, fitted)
        self._run([unit for unit in units if unit["fold"] is ALL_SESSIONS or not whole])

    def _run(self, units: Sequence[dict[str, Any]]) -> None:
        done = {key_of(done.unit) for done in self.outcomes} | {key_of(lost.unit) for lost in self.failures}
        new = [unit for unit in units if key_of(unit) not in done]
        most = max(self.n_expected, len(done) + len(new))
        outcomes, failures = run_units(
            new,
            partial(fit_unit, self.source),
            self.folder,
            watch=lambda n, _: self.update(len(done) + n, most),
            **self.options,
        )
        self.outcomes += outcomes
        self.failures += failures

    def choose(self, subjects: Sequence[str] | None, by: str) -> Selection:
        return choose(self.outcomes, self.failures, subjects, by=by, n_unable=len(self.unable))


def key_of(unit: Mapping[str, Any]) -> str:
    """A unit as text: before it was written and after it was read, the same."""
    return json.dumps(unit, sort_keys=True)


def effort(unit: Mapping[str, Any]) -> float:
    """What a fit costs beside that of two intentions with a Markov chain: both search and passes grow with K."""
    wanted, k = LATER | dict(unit), unit["n_intentions"]
    clock = 1.0 if wanted["dynamics"] in (registry.DEFAULT, "session-wise") else OTHER_CLOCK
    return (k * (k - 1) / 2 if k > 1 else FIRST) * clock * (POOLED if wanted["pool"] else 1.0)
