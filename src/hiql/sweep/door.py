"""``hiql.select``: how many intentions, which clock, which prior, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd

from hiql.data.trajectories import Trajectories
from hiql.dynamics import registry
from hiql.models import IntentionModel
from hiql.sweep import holding_out
from hiql.sweep.criteria import criterion_named
from hiql.sweep.explanation import name
from hiql.sweep.in_stages import sweep_in_stages
from hiql.sweep.plan import NO_FOLDS, Plan, Source
from hiql.sweep.proposal import NUMBERS, Clock, Proposal, named, propose, several
from hiql.sweep.run import fit_chosen, sweep
from hiql.sweep.selection import Selection
from hiql.worlds.mdp import MDP


class Chosen(NamedTuple):
    """``best`` is the chosen candidate, fitted to all the data; ``selection`` holds the rest of the sweep."""

    best: IntentionModel
    selection: Selection

    def __repr__(self) -> str:
        return f"<Chosen of {len(self.table)} candidates: {name(self.table, self.selection.chosen)}; {self.best!r}>"

    @property
    def table(self) -> pd.DataFrame:
        """One row a candidate: its settings, held-out nats per step and the paired gap to the best, BIC, …"""
        return self.selection.table

    @property
    def explanation(self) -> str:
        """Why this candidate; and whether animals differ or switch."""
        return " ".join(filter(None, [self.selection.explanation, self.selection.traits]))


def select(
    data: Trajectories | Mapping[Any, Trajectories],
    n_intentions: Sequence[int] | None = None,
    dynamics: Clock | Sequence[Clock] | None = None,
    *,
    proposal: Proposal | None = None,
    by: str = "held-out",
    mdp: MDP | None = None,
    folder: Path | str | None = None,
    prior: str | Sequence[str] | None = None,
    pool: str | Sequence[str | None] | None = None,
    family: str | Sequence[str] | None = None,
    pseudo_count: float | Sequence[float] | None = None,
    inputs: tuple[str, ...] | None = None,
    discount: float = 0.99,
    n_folds: int | None = None,
    n_restarts: int | None = None,
    hold_out: str | None = None,
    random_state: int = 0,
    **options: Any,
) -> Chosen:
    """Fit many models and choose one.

    Told nothing, it tries what :func:`hiql.propose` proposes for these data, stage by stage. Told any of the settings
    from ``n_intentions`` to ``pseudo_count``, it fits every combination of them; the others are then K = 1 … 5, a
    Markov chain, and nothing pooled. In between, give a ``proposal``: ``hiql.propose(data, n_intentions=(1, 2))``.

    Where the data have several subjects, animals that differ but never switch are candidates as well, and the
    explanation says how much of the gain is difference between animals and how much is switching within them.

    Parameters
    ----------
    data : one set of trajectories, or one for each length of history, or other reading, that is compared
    n_intentions, dynamics, prior, pool, family, pseudo_count : what to try: one value, or several. Dynamics are names
        or objects of :mod:`hiql.dynamics`; families those of ``hiql.sweep.FAMILIES``, "hiavi" by default in a known
        world; "glmhmm" for choices linear in inputs
    inputs : those that such choices depend on; by default all
    by : the rule of choice, a name of ``hiql.sweep.criteria.CRITERIA``: "held-out", "bic", or "evidence", which fits
        every candidate with ``estimate="bayes"``, once, to all the data
    mdp : the world, if it is known
    folder : where results are kept, so that an interrupted call resumes; by default they are thrown away
    n_folds : parts of the data, each held out once; by default 5, or fewer sessions; 0 where ``by`` needs none
    n_restarts : searches with different seeds, to see whether they agree; by default 3, or 1 without folds
    hold_out : "sessions", "subjects" or "parts" of sessions (:mod:`hiql.sweep.holding_out`); "sessions" by default, and
        in a proposal parts where most subjects have one session
    options : ``n_jobs``, ``cluster``, ``timeout`` and ``progress``, as in :func:`hiql.sweep.run_units`; with a proposal
        also ``told``, which is called with the seconds that it will take, about
    """
    sets: dict[Any, Trajectories] = {None: data} if isinstance(data, Trajectories) else dict(data)
    settings = (n_intentions, dynamics, prior, pool, family, pseudo_count)
    if proposal is None and all(setting is None for setting in settings):
        proposal = propose(sets, mdp, hold_out=hold_out)
    kept = hold_out or (holding_out.SESSIONS if proposal is None else proposal.hold_out)
    most = holding_out.groups(next(iter(sets.values())), kept)
    needed = criterion_named(by).folds
    plan = Plan(
        n_intentions=tuple(int(k) for k in several(NUMBERS if n_intentions is None else n_intentions)),
        families=several(family or ("hiql" if mdp is None else "hiavi")),
        pseudo_counts=several(0.1 if pseudo_count is None else pseudo_count),
        dynamics=tuple(named(several(registry.DEFAULT if dynamics is None else dynamics))),
        priors=several("flat" if prior is None else prior),
        pools=several(pool),
        n_folds=(max(2, min(5, most)) if needed else NO_FOLDS) if n_folds is None else n_folds,
        n_restarts=(3 if needed else 1) if n_restarts is None else n_restarts,
        hold_out=kept,
        seed=random_state,
    )
    clocks = named(several(registry.DEFAULT if dynamics is None else dynamics)) if proposal is None else proposal.clocks
    own = {name: clock for name, clock in clocks.items() if not isinstance(clock, str)}
    source = Source(sets, mdp, discount, own, inputs=inputs)
    with TemporaryDirectory() as scratch:
        here = Path(folder or scratch)
        if proposal is None:
            selection = sweep(source, plan, here, by=by, traits=True, **options)
        else:
            selection = sweep_in_stages(source, plan, proposal, here, by=by, **options)
    return Chosen(fit_chosen(source, selection, by=by), selection)
