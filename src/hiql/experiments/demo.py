"""The whole tool in under a minute: simulate an expert, choose K, fit, decode, report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hiql.evaluate.alignment import decoding_agreement, match_policies
from hiql.models import IntentionModel
from hiql.plots import overview_figure, save_figure
from hiql.report import write_selection
from hiql.sweep import Plan, Selection, Source, fit_chosen, sweep
from hiql.worlds.two_goals import TwoGoals, simulate_two_goals


@dataclass(frozen=True)
class DemoConfig:
    seed: int = 0
    n_sessions: int = 512
    n_fresh: int = 512
    n_intentions: tuple[int, ...] = (1, 2, 3)
    n_restarts: int = 2
    inverse_temperature: float = 10.0


class DemoResult(NamedTuple):
    """The choice, the chosen model, and how often it is right about fresh sessions it has never seen."""

    source: Source
    selection: Selection
    model: IntentionModel
    names: tuple[str, ...] | None
    fresh: TwoGoals
    agreement: float


def compute(config: DemoConfig, folder: Path, n_jobs: int = -1) -> DemoResult:
    """Choose K for an expert with two intentions by BIC, as the paper does, and judge the fit on fresh sessions.

    The world and the changes of mind are those of the paper's expert; its actions are not greedy but as noisy as an
    animal's. Held-out likelihood would go on rising with K: the expert switches at barriers and after eight steps
    rather than by a Markov chain, and further intentions take up some of that. With the greedy expert, whose switches
    are all that is hard to predict, so would BIC from about 500 sessions on.
    """
    expert, fresh = (
        simulate_two_goals(n, config.inverse_temperature, random_state=seed)
        for n, seed in ((config.n_sessions, config.seed), (config.n_fresh, config.seed + 1))
    )
    source = Source({None: expert.data}, expert.world)
    plan = Plan(config.n_intentions, ("hiavi",), n_restarts=config.n_restarts, seed=config.seed)
    selection = sweep(source, plan, folder / "units", by="bic", n_jobs=n_jobs)
    model, names = fit_chosen(source, selection), None
    if model.n_intentions == len(expert.intentions):
        model = model.permuted(match_policies(model.policy_, expert.policy).order)
        names = expert.intentions
    true = fresh.data.intentions
    assert true is not None
    return DemoResult(source, selection, model, names, fresh, decoding_agreement(model.decode(fresh.data), true))


def write(result: DemoResult, folder: Path) -> Path:
    """Save what a sweep leaves behind, and an overview of fresh sessions; returns the report's path."""
    fresh = result.fresh
    longest = np.argsort(-fresh.data.lengths, kind="stable")[:3]
    overview = overview_figure(
        result.model,
        fresh.data,
        fresh.world,
        result.names,
        None if result.names is None else fresh.data.intentions,
        [int(i) for i in longest],
        marks={"#": fresh.barriers},
    )
    save_figure(overview, folder / "intentions")
    files = write_selection(folder, result.selection, result.model, result.source, names=result.names)
    return files["report"]
