"""Run all units of the experiment, and gather them into one result for each source of trials."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hiql.data.folds import session_folds
from hiql.data.trajectories import Trajectories
from hiql.evaluate.animals.stages import fit_individuals, fit_intentions, fit_together
from hiql.evaluate.measures.alignment import match_policies
from hiql.evaluate.words.strategies import in_order_of_archetypes, name_strategies, strategy_profile
from hiql.experiments.as_printed import AS_PRINTED
from hiql.experiments.frame import Plan, Stage
from hiql.experiments.reversal import behaviour
from hiql.experiments.reversal.config import POOLED, TRANSITIONS, ReversalConfig
from hiql.experiments.reversal.fitting import fit_unit
from hiql.experiments.reversal.scores import Scores, gather_scores
from hiql.experiments.reversal.sources import Source, Task, remembered, simulate, sources, task
from hiql.experiments.reversal.truth import aligned, compare
from hiql.models import HIQL, IntentionModel
from hiql.sweep import Failure, Outcome


class SourceResult(NamedTuple):
    """One source: the scores of all stages, the fits analysed (all sessions), and what the animals did under them.

    ``model`` is that of all animals alike, ``together`` that in which they share and differ, with the same numbers.
    ``aligned`` says of each animal whether its own fit, from ``model``, has kept them. ``truth`` is None where nobody
    knows it; ``around`` and ``switching`` where no blocks are recorded.
    """

    source: Source
    data: Trajectories
    task: Task
    scores: Scores
    model: IntentionModel
    together: HIQL
    profile: np.ndarray
    names: tuple[str, ...]
    animals: behaviour.Animals
    aligned: dict[str, bool]
    performance: dict[str, Any]
    around: dict[str, Any] | None
    roles: tuple[int, int]
    switching: dict[str, Any] | None
    truth: dict[str, Any] | None


class ReversalResult(NamedTuple):
    config: ReversalConfig
    sources: dict[str, SourceResult]
    failures: list[Failure]


def plan(config: ReversalConfig, folder: Path) -> Plan[ReversalResult]:
    """All fits to all sources; the simulated ones are written to ``folder`` first."""
    found = sources(config, folder)
    for source in found:  # too few sessions, or a missing column, is an error now, not in every unit
        session_folds(remembered(source, config.history), config.n_folds)
    units = [unit for source in found for unit in fit_units(config, source)]
    work = partial(fit_unit, found={source.name: source for source in found})
    return Plan([Stage("Reversal: fits", units, work)], partial(gather, config, found))


def gather(config: ReversalConfig, found: list[Source], done: list[Outcome], failures: list[Failure]) -> ReversalResult:
    return ReversalResult(config, {s.name: gather_source(config, s, done) for s in found}, failures)


def fit_units(config: ReversalConfig, source: Source) -> list[dict[str, Any]]:
    """Everything to be fitted to one source."""
    shared = {"experiment": "reversal", "source": source.name, "sha256": source.sha256, "seed": config.seed}
    at = {"history": config.history}
    by_fold: list[dict[str, Any]] = [
        *({"stage": "history", "history": history} for history in config.histories),
        *({"stage": "baseline", "method": name, "history": config.history} for name in ("fQ-learning", "random")),
        {"stage": "individuals", "size": config.chosen, **at},
        *({"stage": "intentions", **at, "size": k, "method": method} for k, method in config.methods()),
        *(
            {"stage": "intentions", **at, "size": k, "method": AS_PRINTED, "n_restarts": config.n_restarts}
            for k in config.n_intentions
            if k > 1
        ),
    ]
    folded = [{**unit, "n_folds": config.n_folds, "fold": i} for unit in by_fold for i in range(config.folds_run)]
    return [shared | unit for unit in [*_whole_fits(config), *folded]]


def _whole_fits(config: ReversalConfig) -> list[dict[str, Any]]:
    """Fits to all sessions, for BIC: nobody can count the parameters of pooled ones. Those of ℓ = 1 have few
    parameters, where BIC can afford intentions."""
    counted = [(k, method) for k, method in config.methods() if method != POOLED]
    fits = [(config.history, 0, "fQ-learning"), *((config.history, *fit) for fit in counted)]
    fits += [(1, k, "plain") for k in config.n_intentions if config.history != 1]
    return [{"stage": "whole", "history": history, "size": k, "method": method} for history, k, method in fits]


def gather_source(config: ReversalConfig, source: Source, done: list[Outcome]) -> SourceResult:
    """The scores of one source, and the analysis of its fit to all sessions."""
    mine = [outcome for outcome in done if outcome.unit["source"] == source.name]
    scores = gather_scores(config, mine)
    data = remembered(source, config.history)
    model = analysed_model(config, source, POOLED)
    together = fit_together(data, config.chosen, random_state=config.seed)
    together = together.permuted(match_policies(together.policy_, model.policy_).order)
    group, found = behaviour.animals(together, data), task(source)
    profile = strategy_profile(model, data)
    roles = behaviour.nearest_roles(profile)
    part = SourceResult(
        source=source,
        data=data,
        task=found,
        scores=scores,
        model=model,
        together=together,
        profile=profile,
        names=name_strategies(profile),
        animals=group,
        aligned=aligned(fit_individuals(model, data), model),
        performance=behaviour.performance(group, found.correct),
        around=behaviour.around_switches(group, data, found),
        roles=roles,
        switching=behaviour.before_and_after(group, data, found, *roles),
        truth=None,
    )
    return part._replace(truth=_truth(config, part)) if source.name in TRANSITIONS else part


def analysed_model(config: ReversalConfig, source: Source, method: str, history: int | None = None) -> IntentionModel:
    """K intentions of all sessions, in the order of the archetypes."""
    data = remembered(source, history or config.history)
    model = fit_intentions(data, config.chosen, method, random_state=config.seed)
    return model.permuted(in_order_of_archetypes(strategy_profile(model, data)))


def _truth(config: ReversalConfig, part: SourceResult) -> dict[str, Any]:
    """The simulated cohort's fits beside what was simulated, and what Figures 7e and 7g would show of the truth."""
    source, data = part.source, part.data
    fits = {
        "ℓ = 1, plain": (analysed_model(config, source, "plain", 1), remembered(source, 1)),
        f"ℓ = {config.history}, plain": (analysed_model(config, source, "plain"), data),
        f"ℓ = {config.history}, pooled": (part.model, data),
    }
    cohort = simulate(config, source.name)
    found = compare(cohort, fits, part.animals)
    really = part.animals._replace(posterior=np.eye(len(cohort.stay))[cohort.table["intention"].to_numpy()])
    roles = behaviour.nearest_roles(found["true_profile"])
    return found | {
        "around": behaviour.around_switches(really, data, part.task),
        "switching": behaviour.before_and_after(really, data, part.task, *roles),
    }
