"""``hiql.select``: how many intentions, which clock, which prior, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd

from hiql.data.trajectories import Trajectories
from hiql.dynamics import registry
from hiql.dynamics.chain import IntentionDynamics
from hiql.models import IntentionModel
from hiql.sweep.criteria import criterion_named
from hiql.sweep.plan import NO_FOLDS, Plan, Source
from hiql.sweep.run import fit_chosen, sweep
from hiql.sweep.selection import Selection
from hiql.worlds.mdp import MDP

Clock = str | IntentionDynamics


class Chosen(NamedTuple):
    """``best`` is the chosen candidate, fitted to all the data; ``selection`` holds the rest of the sweep."""

    best: IntentionModel
    selection: Selection

    @property
    def table(self) -> pd.DataFrame:
        """One row a candidate: its settings, held-out nats per step and the paired gap to the best, BIC, …"""
        return self.selection.table

    @property
    def explanation(self) -> str:
        """Why this candidate; and whether animals differ or switch."""
        return " ".join(filter(None, [self.selection.explanation, self.selection.traits]))


def select(
    data: Trajectories | Mapping[int | None, Trajectories],
    n_intentions: Sequence[int] = range(1, 6),
    dynamics: Clock | Sequence[Clock] = registry.DEFAULT,
    *,
    by: str = "held-out",
    mdp: MDP | None = None,
    folder: Path | str | None = None,
    prior: str | Sequence[str] = "flat",
    pool: str | Sequence[str | None] | None = None,
    family: str | Sequence[str] | None = None,
    pseudo_count: float | Sequence[float] = 0.1,
    discount: float = 0.99,
    n_folds: int | None = None,
    n_restarts: int | None = None,
    hold_out: str = "sessions",
    random_state: int = 0,
    **options: Any,
) -> Chosen:
    """Fit every combination of the settings and choose one.

    Where the data have several subjects, animals that differ but never switch are candidates as well, and the
    explanation says how much of the gain is difference between animals and how much is switching within them.

    Parameters
    ----------
    data : one set of trajectories, or one for each length of history that is compared
    n_intentions, dynamics, prior, pool, family, pseudo_count : what to try: one value, or several. Dynamics are names
        or objects of :mod:`hiql.dynamics`; families those of ``hiql.sweep.FAMILIES``, "hiavi" by default in a known
        world
    by : the rule of choice, a name of ``hiql.sweep.criteria.CRITERIA``: "held-out", "bic", or "evidence", which fits
        every candidate with ``estimate="bayes"``, once, to all the data
    mdp : the world, if it is known
    folder : where results are kept, so that an interrupted call resumes; by default they are thrown away
    n_folds : parts of the data, each held out once; by default 5, or fewer sessions; 0 where ``by`` needs none
    n_restarts : searches with different seeds, to see whether they agree; by default 3, or 1 without folds
    hold_out : "sessions" or "subjects"
    options : ``n_jobs``, ``cluster``, ``timeout`` and ``progress``, as in :func:`hiql.sweep.run_units`
    """
    sets: dict[int | None, Trajectories] = {None: data} if isinstance(data, Trajectories) else dict(data)
    first = next(iter(sets.values()))
    clocks = {_name(clock): clock for clock in _several(dynamics)}
    source = Source(sets, mdp, discount, {name: clock for name, clock in clocks.items() if not isinstance(clock, str)})
    groups = len(set(first.subjects)) if hold_out == "subjects" else first.n_sessions
    needed = criterion_named(by).folds
    plan = Plan(
        n_intentions=tuple(int(k) for k in _several(n_intentions)),
        families=_several(("hiql" if mdp is None else "hiavi") if family is None else family),
        pseudo_counts=_several(pseudo_count),
        dynamics=tuple(clocks),
        priors=_several(prior),
        pools=_several(pool),
        n_folds=(max(2, min(5, groups)) if needed else NO_FOLDS) if n_folds is None else n_folds,
        n_restarts=(3 if needed else 1) if n_restarts is None else n_restarts,
        hold_out=hold_out,
        seed=random_state,
    )
    with TemporaryDirectory() as scratch:
        selection = sweep(source, plan, Path(folder or scratch), by=by, traits=True, **options)
    return Chosen(fit_chosen(source, selection, by=by), selection)


def _several(given: Any) -> tuple[Any, ...]:
    """One value, or several, as a tuple."""
    return tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else (given,)


def _name(clock: Clock) -> str:
    return clock if isinstance(clock, str) else repr(clock)
